'use strict';

/** Buffers that change, move or go away before, during and after a job. */

const assert = require('node:assert');
const crypto = require('node:crypto');
const { describe, it } = require('node:test');
const { Worker } = require('node:worker_threads');

const offloop = require('..');
const { forms } = require('./helpers/forms');
const { MiB, alone, collect, holding, holds, occupyPool, transfers } = require('./helpers/memory');
const { reference, sizes } = require('./helpers/reference');

const DETACHED = { name: 'TypeError', code: 'ERR_OFFLOOP_DETACHED' };
const REFUSED = { name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' };

const SIZE = MiB + 11;
const plaintext = crypto.createHash('shake256', { outputLength: SIZE }).update('data').digest();
/** Enough to be worked on in several jobs, where that is possible. */
const large = Buffer.alloc(4 * MiB + 100, plaintext);

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {Record<string, Uint8Array | undefined>} buffers the call's, to be copied for each call
 * @property {(b: any) => Promise<any>} submit
 * @property {(result: any, b: any) => boolean} check
 * @property {string[]} written those whose loss is the caller's loss of the result
 */

/** @type {Case[]} */
const cases = [];

{
  const digest = crypto.createHash('sha256').update(plaintext).digest();
  cases.push({
    name: 'hash',
    buffers: { data: plaintext, target: Buffer.alloc(32) },
    submit: ({ data, target }) => offloop.hashAsync('sha256', data, { target, offload: 'always' }),
    check: (result) => digest.equals(result),
    written: ['target'],
  });
  const mac = crypto.createHmac('sha256', 'key').update(plaintext).digest();
  cases.push({
    name: 'hmac',
    buffers: { key: Buffer.from('key'), data: plaintext, target: Buffer.alloc(32) },
    submit: ({ key, data, target }) =>
      offloop.hmacAsync('sha256', key, data, { target, offload: 'always' }),
    check: (result) => mac.equals(result),
    written: ['target'],
  });
  for (const [name, value] of /** @type {const} */ ([
    ['crc32', offloop.crc32(large)],
    ['crc32c', offloop.crc32c(large)],
    ['crc32k', offloop.crc32k(large)],
    ['crc64nvme', offloop.crc64nvme(large)],
  ])) {
    cases.push({
      name,
      buffers: { data: large },
      submit: ({ data }) => offloop[`${name}Async`](data, { offload: 'always' }),
      check: (result) => result === value,
      written: [],
    });
  }
  for (const algorithm of offloop.ciphers) addCipherCases(algorithm);
}

/** @param {string} algorithm */
function addCipherCases(algorithm) {
  const { aead, key, iv } = sizes[algorithm];
  const fixed = { key: Buffer.alloc(key, 'key'), iv: Buffer.alloc(iv, 'iv') };
  const data = aead ? plaintext : large;
  const aad = aead ? Buffer.alloc(70, 'aad') : undefined;
  const sealed = reference(algorithm, fixed.key, fixed.iv, data, { aad });
  const body = sealed.subarray(0, data.length);
  const sealedTag = sealed.subarray(data.length);
  const optional = (/** @type {any} */ value) => (value === undefined ? {} : value);

  for (const operation of /** @type {const} */ (['encrypt', 'decrypt'])) {
    /** @param {any} b */
    const submit = (b) =>
      offloop[`${operation}Async`](algorithm, b.key, b.iv, b.data, {
        ...optional(b.aad && { aad: b.aad }),
        ...optional(b.tag && { tag: b.tag }),
        target: b.target,
        offload: 'always',
      });
    const [from, to] = operation === 'encrypt' ? [data, sealed] : [sealed, data];
    cases.push({
      name: `${operation} ${algorithm}`,
      buffers: { ...fixed, data: from, aad, target: Buffer.alloc(to.length) },
      submit,
      check: (result) => to.equals(result),
      written: ['target'],
    });
    if (!aead) continue;
    const [apartFrom, apartTo] = operation === 'encrypt' ? [data, body] : [body, data];
    const tag = operation === 'encrypt' ? Buffer.alloc(16) : sealedTag;
    cases.push({
      name: `${operation} ${algorithm}, tag apart`,
      buffers: { ...fixed, data: apartFrom, aad, tag, target: Buffer.alloc(to.length) },
      submit,
      check: (result, b) =>
        apartTo.equals(result) && (operation === 'decrypt' || sealedTag.equals(b.tag)),
      written: operation === 'encrypt' ? ['target', 'tag'] : ['target'],
    });
  }
}

/**
 * Buffers of its own for one call.
 * @param {Case} one
 * @returns {Record<string, Uint8Array | undefined>}
 */
function fresh({ buffers }) {
  return Object.fromEntries(
    Object.entries(buffers).map(([name, bytes]) => [name, bytes && alone(bytes)]),
  );
}

/**
 * @param {Record<string, Uint8Array | undefined>} buffers
 * @param {string[]} names
 * @param {(buffer: ArrayBuffer) => void} transfer
 */
function lose(buffers, names, transfer) {
  for (const name of names) {
    const bytes = buffers[name];
    if (bytes !== undefined) transfer(/** @type {ArrayBuffer} */ (bytes.buffer));
  }
}

/** @param {Case} one */
const inputsOf = (one) => Object.keys(one.buffers).filter((name) => !one.written.includes(name));

describe('buffers that are transferred and collected', () => {
  for (const how of holds) {
    for (const [way, transfer] of Object.entries(transfers)) {
      it(`while the jobs wait: ${way}, ${how}`, async () => {
        const busy = occupyPool();
        const jobs = cases.map((one) => {
          const b = fresh(one);
          const whole = fresh(one);
          const promise = holding(how, () => one.submit(b));
          const kept = holding(how, () => one.submit(whole));
          lose(b, inputsOf(one), transfer);
          return { one, b, promise, whole, kept };
        });
        collect();
        for (const { one, b, promise, whole, kept } of jobs) {
          assert.ok(one.check(await promise, b), one.name);
          assert.ok(one.check(await kept, whole), one.name);
        }
        await busy;
      });

      it(`while each runs: ${way}, ${how}`, async () => {
        for (const one of cases) {
          const b = fresh(one);
          const promise = holding(how, () => one.submit(b));
          await started();
          lose(b, inputsOf(one), transfer);
          collect();
          assert.ok(one.check(await promise, b), one.name);
        }
      });

      it(`and were to be written: ${way}, ${how}`, async () => {
        const busy = occupyPool();
        const jobs = cases.flatMap((one) =>
          one.written.map((name) => {
            const b = fresh(one);
            const promise = holding(how, () => one.submit(b));
            lose(b, [name], transfer);
            return { place: `${one.name}: ${name}`, promise };
          }),
        );
        collect();
        const outcomes = jobs.map(({ place, promise }) => assert.rejects(promise, DETACHED, place));
        await Promise.all(outcomes);
        await busy;
      });
    }

    it(`everything at once, and nobody waits: ${how}`, async () => {
      const busy = occupyPool();
      for (const one of cases) {
        const b = fresh(one);
        holding(how, () => one.submit(b)).catch(() => {});
        lose(b, Object.keys(b), transfers.structuredClone);
      }
      collect();
      await busy;
      await offloop.pool.drain();
    });

    it(`nothing is held once the jobs are done: ${how}`, async () => {
      await offloop.pool.drain();
      collect();
      const before = process.memoryUsage().arrayBuffers;
      for (let round = 0; round < 20; round++) {
        const b = { data: new Uint8Array(8 * MiB), target: new Uint8Array(32) };
        const promise = holding(how, () => cases[0].submit(b));
        if (round % 2 === 0) lose(b, ['data'], transfers.structuredClone);
        await promise;
      }
      // What a collection frees is counted a little later.
      for (let turn = 0; turn < 5; turn++) {
        collect();
        await new Promise(setImmediate);
      }
      const after = process.memoryUsage().arrayBuffers;
      assert.ok(after < before + 16 * MiB, `${before} before, ${after} after`);
    });
  }
});

/** A moment in which a pool thread takes up what was submitted. */
const started = () => new Promise((resolve) => setTimeout(resolve, 1));

const TAMPERED = 'ERR_OFFLOOP_AUTHENTICATION';

/** @param {string[]} codes */
const isOneOf = (codes) => (/** @type {any} */ error) =>
  codes.includes(error.name === 'AbortError' ? 'ABORT_ERR' : error.code);

describe('a failing job whose target is gone', () => {
  it('is rejected for one reason or the other', async () => {
    const key = Buffer.alloc(32);
    for (const how of holds) {
      for (const [algorithm, iv] of /** @type {[string, Buffer][]} */ ([
        ['aes-256-gcm', Buffer.alloc(12)],
        ['aes-256-ctr', Buffer.alloc(16)],
      ])) {
        const busy = occupyPool();
        const abort = new AbortController();
        const target = new Uint8Array(6 * MiB);
        const promise = holding(how, () =>
          offloop.decryptAsync(algorithm, key, iv, Buffer.alloc(6 * MiB), {
            target,
            signal: abort.signal,
          }),
        );
        transfers.structuredClone(target.buffer);
        abort.abort();
        await assert.rejects(promise, isOneOf(['ABORT_ERR', 'ERR_OFFLOOP_DETACHED', TAMPERED]));
        await busy;
      }
      const target = new Uint8Array(MiB);
      const promise = holding(how, () =>
        offloop.decryptAsync('aes-256-gcm', key, Buffer.alloc(12), Buffer.alloc(MiB), { target }),
      );
      transfers.structuredClone(target.buffer);
      await assert.rejects(promise, isOneOf([TAMPERED]));
    }
  });
});

describe('private copies', () => {
  it('bring back the result and nothing else', async () => {
    const busy = occupyPool();
    const target = Buffer.alloc(2 * MiB, 1);
    const promise = holding('private copies', () =>
      offloop.hashAsync('sha256', 'abc', { target, offload: 'always' }),
    );
    target.fill(2, 32);
    const result = await promise;
    assert.deepStrictEqual(result, crypto.createHash('sha256').update('abc').digest());
    assert.ok(target.subarray(32).equals(Buffer.alloc(2 * MiB - 32, 2)));
    await busy;
  });
});

describe('buffers that are detached already', () => {
  const views = /** @type {((buffer: ArrayBuffer) => any)[]} */ ([
    (buffer) => buffer,
    (buffer) => new Uint8Array(buffer),
    (buffer) => Buffer.from(buffer),
    (buffer) => new DataView(buffer),
    (buffer) => new Float64Array(buffer),
    (buffer) => new Uint8Array(buffer, 8, 0),
    (buffer) => new DataView(buffer, 8, 0),
  ]);
  const targets = [views[1], views[2], views[5]];

  /** @param {(buffer: ArrayBuffer) => any} view */
  function gone(view) {
    const buffer = new ArrayBuffer(64);
    const bytes = view(buffer);
    transfers.structuredClone(buffer);
    return bytes;
  }
  const [key, iv, data] = [Buffer.alloc(32), Buffer.alloc(12), Buffer.alloc(9)];

  /** @type {[string, (bytes: any) => [string, any[], any?], typeof views][]} */
  const places = [
    ['hash data', (bytes) => ['hash', ['sha256', bytes]], views],
    ['hash target', (target) => ['hash', ['sha256', ''], { target }], targets],
    ['hmac key', (bytes) => ['hmac', ['sha256', bytes, '']], views],
    ['hmac data', (bytes) => ['hmac', ['sha256', '', bytes]], views],
    ['hmac target', (target) => ['hmac', ['sha256', '', ''], { target }], targets],
    ['key', (bytes) => ['encrypt', ['aes-256-gcm', bytes, iv, data]], views],
    ['iv', (bytes) => ['encrypt', ['aes-256-gcm', key, bytes, data]], views],
    ['data', (bytes) => ['encrypt', ['aes-256-gcm', key, iv, bytes]], views],
    ['ctr data', (b) => ['encrypt', ['aes-256-ctr', key, Buffer.alloc(16), b]], views],
    ['sealed data', (bytes) => ['decrypt', ['aes-256-gcm', key, iv, bytes]], views],
    ['aad', (aad) => ['encrypt', ['aes-256-gcm', key, iv, data], { aad }], views],
    ['tag', (tag) => ['encrypt', ['aes-256-gcm', key, iv, data], { tag }], targets],
    ['tag to verify', (tag) => ['decrypt', ['aes-256-gcm', key, iv, data], { tag }], targets],
    ['target', (target) => ['encrypt', ['aes-256-gcm', key, iv, data], { target }], targets],
  ];
  for (const [place, make, kinds] of places) {
    it(`${place}: ERR_OFFLOOP_DETACHED in every form`, async () => {
      for (const view of kinds) {
        for (const { call } of forms) {
          const [operation, args, options] = make(gone(view));
          await assert.rejects(call(operation, args, options), DETACHED, String(view));
        }
      }
    });
  }
  for (const name of /** @type {const} */ (['crc32', 'crc32c', 'crc32k', 'crc64nvme'])) {
    it(`${name}: ERR_OFFLOOP_DETACHED in every form`, async () => {
      for (const view of views) {
        assert.throws(() => offloop[name](gone(view)), DETACHED, String(view));
        await assert.rejects(offloop[`${name}Async`](gone(view)), DETACHED, String(view));
      }
    });
  }
});

describe('getters that detach other arguments', () => {
  /**
   * Options, each of which in turn takes away a buffer when it is read.
   * @param {Record<string, any>} options
   * @param {string} name
   * @param {Uint8Array} bytes
   */
  function taking(options, name, bytes) {
    const value = options[name];
    return Object.defineProperty({ ...options }, name, {
      enumerable: true,
      get() {
        transfers.structuredClone(/** @type {ArrayBuffer} */ (bytes.buffer));
        collect();
        return value;
      },
    });
  }

  it('are noticed in every form', async () => {
    /** @type {[string, string[], Record<string, () => any>][]} */
    const operations = [
      ['hash', ['data'], { target: () => alone(Buffer.alloc(32)), outputLength: () => 32 }],
      ['hmac', ['key', 'data'], { target: () => alone(Buffer.alloc(32)) }],
      [
        'encrypt',
        ['key', 'iv', 'data'],
        {
          aad: () => alone(Buffer.alloc(5)),
          tagLength: () => 16,
          tag: () => alone(Buffer.alloc(16)),
          target: () => alone(Buffer.alloc(20)),
        },
      ],
    ];
    const lengths = { key: 32, iv: 12, data: 20 };
    for (const [operation, names, makers] of operations) {
      for (const lost of [...names, ...Object.keys(makers)]) {
        for (const option of Object.keys(makers)) {
          for (const asynchronous of [false, true]) {
            const bytes = Object.fromEntries(names.map((n) => [n, new Uint8Array(lengths[n])]));
            const options = Object.fromEntries(
              Object.entries(makers).map(([name, make]) => [name, make()]),
            );
            const victim = bytes[lost] ?? options[lost];
            if (!(victim instanceof Uint8Array)) continue;
            const given = taking(options, option, victim);
            const algorithm = operation === 'encrypt' ? 'aes-256-gcm' : 'sha256';
            const args = [algorithm, ...names.map((name) => bytes[name]), given];
            const place = `${operation}: ${option} takes ${lost}`;
            if (asynchronous) {
              await assert.rejects(offloop[`${operation}Async`](...args), DETACHED, place);
            } else {
              assert.throws(() => offloop[operation](...args), DETACHED, place);
            }
          }
        }
      }
    }
  });
});

/** @param {number} size @param {number} most */
const resizable = (size, most) =>
  new /** @type {any} */ (ArrayBuffer)(size, { maxByteLength: most });

describe('resizable buffers', () => {
  it('are refused by the Async forms, whichever argument they are', async () => {
    const odd = () => new Uint8Array(resizable(32, 64));
    const [key, iv, data] = [Buffer.alloc(32), Buffer.alloc(12), Buffer.alloc(9)];
    const seal = (/** @type {any[]} */ ...args) => offloop.encryptAsync('aes-256-gcm', ...args);
    /** @type {(() => Promise<any>)[]} */
    const calls = [
      () => offloop.hashAsync('sha256', odd()),
      () => offloop.hashAsync('sha256', odd().buffer),
      () => offloop.hashAsync('sha256', new DataView(odd().buffer)),
      () => offloop.hashAsync('sha256', Buffer.from(odd().buffer)),
      () => offloop.hashAsync('sha256', '', { target: odd() }),
      () => offloop.hmacAsync('sha256', odd(), ''),
      () => offloop.hmacAsync('sha256', '', odd()),
      () => offloop.hmacAsync('sha256', '', '', { target: odd() }),
      () => seal(odd(), iv, data),
      () => seal(key, odd().subarray(0, 12), data),
      () => seal(key, iv, odd()),
      () => seal(key, iv, data, { aad: odd() }),
      () => seal(key, iv, data, { tag: odd() }),
      () => seal(key, iv, data, { target: odd() }),
      () => offloop.crc32Async(odd()),
      () => offloop.crc64nvmeAsync(odd()),
    ];
    for (const call of calls) await assert.rejects(call(), REFUSED, String(call));
  });

  it('are what they are at that moment to the others', () => {
    const buffer = resizable(3, 64);
    const bytes = new Uint8Array(buffer);
    bytes.set(Buffer.from('abc'));
    const digest = (/** @type {any} */ data) => crypto.createHash('sha256').update(data).digest();
    assert.deepStrictEqual(offloop.hash('sha256', bytes), digest('abc'));
    buffer.resize(2);
    assert.deepStrictEqual(offloop.hash('sha256', bytes), digest('ab'));
    const shrinking = {
      get target() {
        buffer.resize(1);
        return undefined;
      },
    };
    assert.deepStrictEqual(offloop.hash('sha256', bytes, shrinking), digest('a'));
    const target = new Uint8Array(resizable(32, 64));
    assert.deepStrictEqual(Buffer.from(offloop.hash('sha256', 'abc', { target })), digest('abc'));
    const shrinkingTarget = {
      target,
      get outputLength() {
        /** @type {any} */ (target.buffer).resize(31);
        return undefined;
      },
    };
    assert.throws(() => offloop.hash('sha256', '', shrinkingTarget), { code: 'ERR_OUT_OF_RANGE' });
  });

  it('out of whose bounds a view has fallen show no bytes', () => {
    const buffer = resizable(32, 64);
    const fixed = new Uint8Array(buffer, 8, 16);
    const view = new DataView(buffer, 8, 16);
    buffer.resize(4);
    assert.deepStrictEqual(offloop.hash('sha256', fixed), offloop.hash('sha256', ''));
    assert.throws(() => offloop.hash('sha256', view), DETACHED);
    assert.throws(() => offloop.hash('sha256', '', { target: fixed }), {
      code: 'ERR_OUT_OF_RANGE',
    });
  });
});

describe('SharedArrayBuffers', () => {
  it('may be written by others all the while', async () => {
    const shared = new SharedArrayBuffer(4 * MiB);
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const writer = new Worker(
      `const { workerData: { shared, stop } } = require('node:worker_threads');
       const words = new Uint32Array(shared);
       for (let i = 0; Atomics.load(stop, 0) === 0; i = (i + 977) % words.length) words[i]++;`,
      { eval: true, workerData: { shared, stop } },
    );
    const ended = new Promise((resolve) => writer.once('exit', resolve));
    try {
      const [key, iv] = [Buffer.alloc(32), Buffer.alloc(12)];
      for (const how of holds) {
        for (let round = 0; round < 5; round++) {
          await holding(how, () => offloop.hashAsync('sha256', shared));
          await holding(how, () => offloop.hmacAsync('sha1', 'k', shared));
          await holding(how, () => offloop.crc32cAsync(shared));
          const bytes = new Uint8Array(shared);
          const half = bytes.subarray(0, 2 * MiB);
          const options = { target: bytes.subarray(2 * MiB), tag: new Uint8Array(16) };
          const sealed = await holding(how, () =>
            offloop.encryptAsync('aes-256-gcm', key, iv, half, options),
          );
          assert.strictEqual(sealed.length, half.length);
          assert.strictEqual(sealed.buffer, shared);
        }
      }
    } finally {
      Atomics.store(stop, 0, 1);
      assert.strictEqual(await ended, 0);
    }
  });

  it('may grow meanwhile', async () => {
    const shared = new /** @type {any} */ (SharedArrayBuffer)(MiB, { maxByteLength: 4 * MiB });
    const digest = crypto.createHash('sha256').update(Buffer.alloc(MiB)).digest();
    for (const how of holds) {
      const promise = holding(how, () => offloop.hashAsync('sha256', shared));
      shared.grow(Math.min(shared.byteLength + 4096, 4 * MiB));
      const whole = crypto.createHash('sha256').update(Buffer.alloc(shared.byteLength)).digest();
      const result = await promise;
      assert.ok(result.equals(digest) || whole.equals(result) || how === 'private copies');
    }
  });
});

describe('memory of WebAssembly', () => {
  it('may grow while a job reads it', async () => {
    for (const how of holds) {
      const memory = new WebAssembly.Memory({ initial: 16, maximum: 1024 });
      new Uint8Array(memory.buffer).fill(7);
      const busy = occupyPool();
      const promise = holding(how, () =>
        offloop.hashAsync('sha256', memory.buffer, { offload: 'always' }),
      );
      memory.grow(200);
      collect();
      const expected = crypto.createHash('sha256').update(Buffer.alloc(MiB, 7)).digest();
      assert.deepStrictEqual(await promise, expected);
      await busy;
    }
  });
});

describe('pooled Buffers', () => {
  it('whose pool is transferred keep their bytes for the job', async () => {
    for (const how of holds) {
      const busy = occupyPool();
      const data = Buffer.from('a pooled buffer');
      const key = Buffer.from('a pooled key');
      const expected = crypto.createHmac('sha256', key).update(data).digest('hex');
      const promise = holding(how, () =>
        offloop.hmacAsync('sha256', key, data, { offload: 'always', outputEncoding: 'hex' }),
      );
      try {
        structuredClone(data.buffer, { transfer: [data.buffer] });
        collect();
      } catch (error) {
        // Newer versions of Node do not let the pool go.
        assert.strictEqual(error.name, 'DataCloneError');
      }
      assert.strictEqual(await promise, expected);
      assert.strictEqual(Buffer.from('pool').toString(), 'pool');
      await busy;
    }
  });

  it('hold the result of a job that left its target to the library', async () => {
    const digests = await Promise.all(
      Array.from({ length: 200 }, (_, i) => offloop.hashAsync('sha256', String(i))),
    );
    for (const [i, digest] of digests.entries()) {
      assert.deepStrictEqual(digest, crypto.createHash('sha256').update(String(i)).digest());
    }
  });
});
