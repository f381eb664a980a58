'use strict';

const assert = require('node:assert');
const { AsyncLocalStorage } = require('node:async_hooks');
const crypto = require('node:crypto');
const diagnostics = require('node:diagnostics_channel');
const { once } = require('node:events');
const { Duplex, Readable, Transform, Writable } = require('node:stream');
const { finished, pipeline } = require('node:stream/promises');
const { afterEach, describe, it } = require('node:test');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');

const native = require('../lib/binding');
const offloop = require('..');
const { runScript } = require('./helpers/child');
const { watchedKey } = require('./helpers/keys');
const { printSeed, randomFor } = require('./helpers/random');
const { reference, sizes } = require('./helpers/reference');

const { ciphers, createCrc, createDecrypt, createEncrypt, createHash, createHmac, pool } = offloop;

const MIB = 2 ** 20;
const AUTHENTICATION = { name: 'Error', code: 'ERR_OFFLOOP_AUTHENTICATION' };
const aeads = ciphers.filter((name) => sizes[name].aead);

/** Bytes whose values depend on their place. */
const pattern = (/** @type {number} */ size) => Buffer.alloc(size, Buffer.from('0123456789abcde'));

/** @param {string} algorithm */
const keyAndIv = (algorithm) => [pattern(sizes[algorithm].key), pattern(sizes[algorithm].iv)];

/**
 * Cuts data at every `size` bytes, with empty chunks in between.
 * @param {Uint8Array} data
 * @param {() => number} size
 */
function* cut(data, size) {
  yield data.subarray(0, 0);
  for (let at = 0; at < data.length;) {
    const end = Math.min(data.length, at + size());
    yield data.subarray(at, end);
    at = end;
  }
  yield data.subarray(0, 0);
}

/**
 * What a stream makes of some chunks. All are written at once: the stream's own buffer holds them.
 * @param {Transform} stream
 * @param {Iterable<Uint8Array>} chunks
 * @returns {Promise<Buffer>}
 */
async function through(stream, chunks) {
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  return collect(stream);
}

/** @param {AsyncIterable<Buffer>} stream */
async function collect(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

/**
 * The same chunks, each in a turn of the loop of its own.
 * @param {Transform} stream
 * @param {Iterable<Uint8Array>} chunks
 */
async function slowly(stream, chunks) {
  const source = Readable.from(
    (async function* () {
      for (const chunk of chunks) {
        await turn();
        yield chunk;
      }
    })(),
  );
  /** @type {Buffer[]} */
  const parts = [];
  await pipeline(source, stream, async (output) => {
    for await (const part of output) parts.push(part);
  });
  return Buffer.concat(parts);
}

/** Every stream by name: how it is made, and what comes out of it. */
const kinds = [
  ...['sha256', 'sha512', 'md5', 'blake2b512', 'sha3-256'].map((algorithm) => ({
    name: `createHash ${algorithm}`,
    create: (/** @type {any} */ options) => createHash(algorithm, options),
    expected: (/** @type {Buffer} */ data) => crypto.createHash(algorithm).update(data).digest(),
  })),
  {
    name: 'createHash shake128',
    create: (/** @type {any} */ options) =>
      createHash('shake128', { outputLength: 1000, ...options }),
    expected: (/** @type {Buffer} */ data) =>
      crypto.createHash('shake128', { outputLength: 1000 }).update(data).digest(),
  },
  ...[0, 5, 64, 65, 300].map((keySize) => ({
    name: `createHmac sha256, key of ${keySize}`,
    create: (/** @type {any} */ options) => createHmac('sha256', pattern(keySize), options),
    expected: (/** @type {Buffer} */ data) =>
      crypto.createHmac('sha256', pattern(keySize)).update(data).digest(),
  })),
  ...ciphers.flatMap((algorithm) => {
    const [key, iv] = keyAndIv(algorithm);
    const aead = sizes[algorithm].aead;
    const more = aead ? { aad: pattern(21) } : {};
    return [
      {
        name: `createEncrypt ${algorithm}`,
        create: (/** @type {any} */ options) =>
          createEncrypt(algorithm, key, iv, { ...more, ...options }),
        expected: (/** @type {Buffer} */ data) => reference(algorithm, key, iv, data, more),
      },
      {
        name: `createDecrypt ${algorithm}`,
        create: (/** @type {any} */ options) =>
          createDecrypt(algorithm, key, iv, { ...more, ...options }),
        input: (/** @type {Buffer} */ data) => reference(algorithm, key, iv, data, more),
        expected: (/** @type {Buffer} */ data) => data,
      },
    ];
  }),
  ...['crc32', 'crc32c', 'crc32k', 'crc64nvme'].map((name) => ({
    name: `createCrc ${name}`,
    create: (/** @type {any} */ options) => createCrc(/** @type {any} */ (name), options),
    expected: (/** @type {Buffer} */ data) => data,
    value: (/** @type {Buffer} */ data) => offloop[name](data),
  })),
];

/**
 * @param {any} kind
 * @param {Buffer} data
 * @param {() => number} size
 * @param {(stream: Transform, chunks: Iterable<Uint8Array>) => Promise<Buffer>} [run]
 */
async function checkChunking(kind, data, size, run = through) {
  const stream = kind.create();
  const input = kind.input === undefined ? data : kind.input(data);
  const output = await run(stream, cut(input, size));
  const place = `${kind.name}, ${data.length} bytes`;
  assert.ok(output.equals(kind.expected(data)), place);
  if (kind.value !== undefined) assert.strictEqual(stream.value, kind.value(data), place);
}

afterEach(async () => {
  await pool.drain();
  const { queued, running } = pool.stats();
  assert.deepStrictEqual({ queued, running }, { queued: 0, running: 0 });
});

describe('streams: every chunking of a message gives the same result', () => {
  for (const kind of kinds) {
    it(kind.name, async () => {
      for (const size of [0, 1, 15, 16, 17, 64, 1000]) {
        for (const chunk of [1, 3, 16, 1024]) {
          await checkChunking(kind, pattern(size), () => chunk);
        }
      }
      await checkChunking(kind, pattern(2000), () => 1);
      for (const chunk of [13, 4095, 4096, 4097, 65_536, 100_003, 3 * MIB]) {
        await checkChunking(kind, pattern(2 * MIB + 77), () => chunk);
      }
    });
  }

  it('in turns of the loop of their own', async () => {
    for (const kind of kinds) {
      await checkChunking(kind, pattern(100), () => 7, slowly);
      await checkChunking(kind, pattern(700_001), () => 50_000, slowly);
    }
  });

  it('on private copies', async () => {
    native.holdStores(false);
    try {
      for (const kind of kinds) {
        await checkChunking(kind, pattern(300_001), () => 70_000);
        await checkChunking(kind, pattern(300_001), () => 1000, slowly);
      }
    } finally {
      native.holdStores(true);
    }
  });

  it('at random', async (context) => {
    printSeed(context);
    const random = randomFor('streams');
    for (let i = 0; i < 300; i++) {
      const data = random.bytes(random.size(300_000));
      const limit = random.size(100_000) + 1;
      const least = Math.ceil(data.length / 3000);
      await checkChunking(random.pick(kinds), data, () => Math.max(least, random.size(limit)));
    }
  });

  it('of many streams at once', async () => {
    const jobs = kinds.map((kind, i) =>
      checkChunking(kind, pattern(500_000 + i), () => 30_000 + i),
    );
    await Promise.all(jobs);
  });
});

describe('streams: what goes in and comes out', () => {
  it('are Transforms', () => {
    for (const { create } of kinds) {
      const stream = create();
      assert.ok(stream instanceof Transform);
      stream.destroy();
    }
  });

  it('text is taken in its encoding, and so comes out', async () => {
    const hash = createHash('sha256', { encoding: 'hex' });
    hash.write('6162', 'hex');
    hash.write('c');
    hash.end();
    assert.strictEqual(
      (await hash.toArray()).join(''),
      offloop.hash('sha256', 'abc').toString('hex'),
    );
    const latin = createHash('md5').setEncoding('base64');
    latin.setDefaultEncoding('latin1');
    latin.end('é');
    const expected = offloop.hash('md5', Buffer.from([0xe9])).toString('base64');
    assert.strictEqual((await latin.toArray()).join(''), expected);
  });

  it('any Uint8Array is taken', async () => {
    const shared = new Uint8Array(new SharedArrayBuffer(50)).fill(5);
    const hash = createHash('sha256');
    hash.write(shared);
    hash.end(new Uint8Array(50).fill(5));
    assert.deepStrictEqual(await collect(hash), offloop.hash('sha256', Buffer.alloc(100, 5)));
  });

  it('the digest comes as one chunk, as Node’s does', async () => {
    for (const create of [createHash, crypto.createHash]) {
      const hash = create('sha256');
      hash.end('abc');
      assert.deepStrictEqual(await hash.toArray(), [offloop.hash('sha256', 'abc')]);
      assert.strictEqual(hash.read(), null);
    }
  });

  it('the digest can be read once the writing has finished', async () => {
    const hash = createHash('sha256');
    hash.end(pattern(5 * MIB));
    await finished(hash, { readable: false });
    await once(hash, 'readable');
    assert.deepStrictEqual(hash.read(), offloop.hash('sha256', pattern(5 * MIB)));
  });

  it('work with pipeline, async iteration, compose and web streams', async () => {
    const data = pattern(3 * MIB + 5);
    const [key, iv] = keyAndIv('aes-256-gcm');
    const sealed = offloop.encrypt('aes-256-gcm', key, iv, data);

    /** @type {Buffer[]} */
    const parts = [];
    await pipeline(
      Readable.from(cut(data, () => 100_000)),
      createCrc(),
      createEncrypt('aes-256-gcm', key, iv),
      createDecrypt('aes-256-gcm', key, iv),
      async (output) => {
        for await (const part of output) parts.push(part);
      },
    );
    assert.ok(Buffer.concat(parts).equals(data));

    const web = Readable.toWeb(
      Readable.from(cut(data, () => 70_000)).pipe(createEncrypt('aes-256-gcm', key, iv)),
    );
    assert.ok(
      Buffer.from(await new Response(/** @type {any} */ (web)).arrayBuffer()).equals(sealed),
    );

    const pair = /** @type {any} */ (Duplex.toWeb(createDecrypt('aes-256-gcm', key, iv)));
    const through = new Blob([sealed]).stream().pipeThrough(pair);
    assert.ok(Buffer.from(await new Response(through).arrayBuffer()).equals(data));

    const composed = Readable.from(cut(data, () => 70_000)).compose(createHash('sha256'));
    assert.deepStrictEqual(await composed.toArray(), [offloop.hash('sha256', data)]);
  });

  it('a stream that is only written to takes nothing of the loop’s life', async () => {
    const { code, stdout } = await runScript(`
      const hash = offloop.createHash('sha256');
      hash.write('abc');
      process.on('exit', () => console.log('gone'));`);
    assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: 'gone\n' });
  });
});

describe('streams: options', () => {
  it('tagLength, and a tag apart', async () => {
    const data = pattern(100_000);
    for (const algorithm of aeads) {
      const [key, iv] = keyAndIv(algorithm);
      for (const tagLength of algorithm.endsWith('gcm') ? [4, 8, 12, 13, 16] : [16]) {
        const options = { tagLength, aad: pattern(5) };
        const whole = reference(algorithm, key, iv, data, options);
        const stream = createEncrypt(algorithm, key, iv, options);
        assert.ok((await through(stream, [data])).equals(whole));
        const opened = createDecrypt(algorithm, key, iv, options);
        assert.ok(
          (
            await through(
              opened,
              cut(whole, () => 999),
            )
          ).equals(data),
        );

        const tag = Buffer.alloc(tagLength + 2, 0xee);
        const apart = createEncrypt(algorithm, key, iv, { ...options, tag });
        const ciphertext = await through(apart, [data]);
        assert.ok(ciphertext.equals(whole.subarray(0, data.length)));
        assert.ok(tag.equals(Buffer.concat([whole.subarray(data.length), Buffer.alloc(2, 0xee)])));
        const back = createDecrypt(algorithm, key, iv, { ...options, tag });
        tag.fill(0); // it was read when the stream was made
        assert.ok(
          (
            await through(
              back,
              cut(ciphertext, () => 999),
            )
          ).equals(data),
        );
      }
    }
  });

  it('value, and `value` while data passes', async () => {
    const crc = createCrc('crc32c', { value: offloop.crc32c('ab') });
    assert.strictEqual(crc.value, offloop.crc32c('ab'));
    crc.write('cd');
    const [chunk] = await once(crc, 'data');
    assert.strictEqual(chunk.toString(), 'cd');
    assert.strictEqual(crc.value, offloop.crc32c('abcd'));
    crc.end('ef');
    await crc.toArray();
    assert.strictEqual(crc.value, offloop.crc32c('abcdef'));
    assert.throws(() => Object.assign(crc, { value: 1 }), TypeError);
  });

  it('crc lets the very chunks pass', async () => {
    const chunks = [pattern(10_000), pattern(20_000)];
    const crc = createCrc();
    for (const chunk of chunks) crc.write(chunk);
    crc.end();
    const passed = await crc.toArray();
    assert.deepStrictEqual(
      passed.map(({ buffer }) => buffer),
      chunks.map(({ buffer }) => buffer),
    );
  });

  it('keys may be KeyObjects, whose bytes are wiped', async () => {
    const { key, exported } = watchedKey(32);
    const plain = Buffer.alloc(32, 0xa5);
    const iv = pattern(12);
    const streams = [
      [createHmac('sha256', key), createHmac('sha256', plain)],
      [createEncrypt('aes-256-gcm', key, iv), createEncrypt('aes-256-gcm', plain, iv)],
    ];
    for (const [a, b] of streams) {
      assert.deepStrictEqual(await through(a, [pattern(9)]), await through(b, [pattern(9)]));
    }
    assert.throws(() => createEncrypt('aes-128-gcm', key, iv), {
      code: 'ERR_CRYPTO_INVALID_KEYLEN',
    });
    assert.strictEqual(exported.length, 3);
    for (const bytes of exported) assert.deepStrictEqual(bytes, Buffer.alloc(32));
  });

  it('key, IV and aad are the stream’s own once it is made', async () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    const aad = pattern(30);
    const expected = reference('aes-256-gcm', key, iv, pattern(50), { aad });
    const stream = createEncrypt('aes-256-gcm', key, iv, { aad });
    for (const bytes of [key, iv, aad]) bytes.fill(0);
    assert.deepStrictEqual(await through(stream, [pattern(50)]), expected);
  });

  it('highWaterMark is Node’s', () => {
    const hash = createHash('sha256');
    assert.strictEqual(hash.writableHighWaterMark, 4 * MIB);
    hash.destroy();
    const small = createEncrypt('aes-256-ctr', pattern(32), pattern(16), { highWaterMark: 10 });
    assert.strictEqual(small.writableHighWaterMark, 10);
    assert.strictEqual(small.readableHighWaterMark, 10);
    assert.strictEqual(small.write(pattern(9)), true);
    assert.strictEqual(small.write(pattern(1)), false);
    small.destroy();
    const apart = createCrc('crc32', { writableHighWaterMark: 5, readableHighWaterMark: 6 });
    assert.strictEqual(apart.writableHighWaterMark, 5);
    assert.strictEqual(apart.readableHighWaterMark, 6);
    apart.destroy();
    assert.throws(() => createHash('sha256', { highWaterMark: -1 }), {
      code: 'ERR_INVALID_ARG_VALUE',
    });
  });

  it('nothing else of Node’s constructor is let in', async () => {
    const options = { objectMode: true, write() {}, transform() {}, flush() {}, destroy() {} };
    const hash = createHash('sha256', /** @type {any} */ (options));
    assert.deepStrictEqual(await through(hash, [pattern(5)]), offloop.hash('sha256', pattern(5)));
  });

  it('that are wrong throw at once', () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    const TYPE = { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' };
    const VALUE = { name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' };
    const RANGE = { name: 'RangeError', code: 'ERR_OUT_OF_RANGE' };
    const UNKNOWN = { code: 'ERR_OFFLOOP_UNKNOWN_ALGORITHM' };
    /** @type {[() => any, object][]} */
    const calls = [
      [() => createHash(/** @type {any} */ (5)), TYPE],
      [() => createHash('sha257'), UNKNOWN],
      [() => createHash('sha256', { outputLength: 5 }), RANGE],
      [() => createHash('sha256', /** @type {any} */ ('hex')), TYPE],
      [() => createHash('sha256', { signal: /** @type {any} */ ({}) }), TYPE],
      [() => createHmac('shake128', 'key'), UNKNOWN],
      [() => createHmac('sha256', /** @type {any} */ (undefined)), TYPE],
      [() => createHmac('sha256', crypto.generateKeyPairSync('ed25519').publicKey), VALUE],
      [() => createEncrypt('aes-256-cbc', key, iv), UNKNOWN],
      [() => createEncrypt('aes-256-gcm', /** @type {any} */ ('k'.repeat(32)), iv), TYPE],
      [() => createEncrypt('aes-256-gcm', pattern(31), iv), { code: 'ERR_CRYPTO_INVALID_KEYLEN' }],
      [() => createEncrypt('aes-256-gcm', pattern(999), iv), { code: 'ERR_CRYPTO_INVALID_KEYLEN' }],
      [() => createEncrypt('aes-256-gcm', key, pattern(13)), { code: 'ERR_CRYPTO_INVALID_IV' }],
      [() => createDecrypt('aes-256-gcm', key, pattern(99)), { code: 'ERR_CRYPTO_INVALID_IV' }],
      [
        () => createDecrypt('aes-256-gcm', key, iv, { tagLength: 5 }),
        { code: 'ERR_CRYPTO_INVALID_AUTH_TAG' },
      ],
      [() => createDecrypt('aes-256-gcm', key, iv, { tag: pattern(15) }), RANGE],
      [() => createEncrypt('aes-256-gcm', key, iv, { tag: pattern(3), tagLength: 4 }), RANGE],
      [() => createEncrypt('aes-256-ctr', key, pattern(16), { aad: pattern(1) }), VALUE],
      [
        () => {
          const shrinks = new /** @type {any} */ (ArrayBuffer)(16, { maxByteLength: 32 });
          return createEncrypt('aes-256-gcm', key, iv, { tag: new Uint8Array(shrinks) });
        },
        VALUE,
      ],
      [() => createCrc(/** @type {any} */ ('crc16')), UNKNOWN],
      [() => createCrc('crc32', { value: -1 }), RANGE],
      [() => createCrc('crc64nvme', { value: /** @type {any} */ (1) }), TYPE],
    ];
    for (const [call, error] of calls) assert.throws(call, error, String(call));
  });
});

describe('streams: authentication', () => {
  /**
   * @param {Transform} stream
   * @param {Uint8Array} data
   */
  async function checkRefused(stream, data) {
    let ended = false;
    stream.on('end', () => (ended = true));
    await assert.rejects(
      through(
        stream,
        cut(data, () => 20_000),
      ),
      AUTHENTICATION,
    );
    assert.ok(!ended && stream.destroyed);
  }

  it('a change of any part destroys the stream', async () => {
    for (const algorithm of aeads) {
      const [key, iv] = keyAndIv(algorithm);
      const aad = pattern(20);
      const sealed = reference(algorithm, key, iv, pattern(50_000), { aad });
      for (const part of [key, iv, aad, sealed, sealed.subarray(-16)]) {
        for (const at of [0, part.length - 1]) {
          part[at] ^= 4;
          await checkRefused(createDecrypt(algorithm, key, iv, { aad }), sealed);
          part[at] ^= 4;
        }
      }
      await checkRefused(createDecrypt(algorithm, key, iv), sealed);
      await checkRefused(createDecrypt(algorithm, key, iv, { aad }), sealed.subarray(0, -1));
      await checkRefused(createDecrypt(algorithm, key, iv, { aad }), sealed.subarray(1));
      const tag = Buffer.from(sealed.subarray(-16));
      const ciphertext = sealed.subarray(0, -16);
      tag[15] ^= 1;
      await checkRefused(createDecrypt(algorithm, key, iv, { aad, tag }), ciphertext);
    }
  });

  it('data shorter than its tag is not authentic', async () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    for (const size of [0, 1, 15]) {
      await checkRefused(createDecrypt('aes-256-gcm', key, iv), pattern(size));
    }
  });

  it('the last bytes that may be a tag are held back until the end', async () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    const stream = createDecrypt('aes-256-gcm', key, iv);
    let read = 0;
    stream.on('data', (chunk) => (read += chunk.length));
    stream.on('error', () => {});
    stream.write(pattern(1016));
    await once(stream, 'data');
    assert.strictEqual(read, 1000);
    stream.write(pattern(16));
    await once(stream, 'data');
    assert.strictEqual(read, 1016);
    stream.end();
    const [error] = await once(stream, 'error');
    assert.strictEqual(error.code, 'ERR_OFFLOOP_AUTHENTICATION');
  });

  it('a tag that has been detached is missed at the end', async () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    const tag = new Uint8Array(16);
    const stream = createEncrypt('aes-256-gcm', key, iv, { tag });
    structuredClone(tag.buffer, { transfer: [tag.buffer] });
    await assert.rejects(through(stream, [pattern(5)]), { code: 'ERR_OFFLOOP_DETACHED' });
  });
});

describe('streams: backpressure', () => {
  const CHUNK = 64 * 1024;

  /**
   * Pipes chunks through a stream to a sink that takes its time, and watches how much is on its way.
   * @param {Transform} stream
   * @param {number} total
   */
  async function most(stream, total) {
    let written = 0;
    let read = 0;
    let most = 0;
    const source = Readable.from(
      (function* () {
        while (written < total) {
          written += CHUNK;
          most = Math.max(most, written - read);
          yield Buffer.alloc(CHUNK);
        }
      })(),
      { highWaterMark: 1 },
    );
    const sink = new Writable({
      highWaterMark: 1,
      write(chunk, _encoding, callback) {
        setTimeout(() => {
          read += chunk.length;
          callback();
        }, 2);
      },
    });
    await pipeline(source, stream, sink);
    assert.ok(read >= total);
    return most;
  }

  it('holds what is outstanding flat before a slow sink', async () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    const makers = [
      (/** @type {any} */ options) => createEncrypt('aes-256-gcm', key, iv, options),
      (/** @type {any} */ options) => createCrc('crc32', options),
    ];
    for (const make of makers) {
      for (const highWaterMark of [CHUNK, 4 * CHUNK]) {
        // The source's buffer and the sink's add a chunk or two each.
        const bound = 2 * highWaterMark + 4 * CHUNK;
        const short = await most(make({ highWaterMark }), 20 * CHUNK);
        const long = await most(make({ highWaterMark }), 100 * CHUNK);
        assert.ok(short <= bound && long <= bound, `${short} and ${long} of ${bound}`);
      }
    }
  });

  it('a large chunk comes out in parts, as they are read', async () => {
    const [key, iv] = keyAndIv('aes-256-ctr');
    const stream = createEncrypt('aes-256-ctr', key, iv);
    const data = pattern(20 * MIB);
    let called = false;
    stream.end(data, () => (called = true));
    await once(stream, 'readable');
    await sleep(50);
    await pool.drain();
    assert.ok(stream.readableLength <= 2 * MIB, `${stream.readableLength}`);
    assert.ok(!called);
    assert.ok((await collect(stream)).equals(reference('aes-256-ctr', key, iv, data)));
    assert.ok(called);
  });

  it('a hash takes all its data without being read', async () => {
    const hash = createHash('sha256', { highWaterMark: CHUNK });
    let written = 0;
    while (written < 50 * CHUNK) {
      written += CHUNK;
      if (!hash.write(Buffer.alloc(CHUNK))) await once(hash, 'drain');
      assert.ok(hash.writableLength <= 2 * CHUNK);
    }
    hash.end();
    assert.deepStrictEqual(await collect(hash), offloop.hash('sha256', Buffer.alloc(written)));
  });
});

describe('streams: small writes', () => {
  /**
   * How many jobs something takes, inline ones included.
   * @param {() => Promise<void>} work
   */
  async function countJobs(work) {
    let jobs = 0;
    let bytes = 0;
    /** @param {any} message */
    const count = (message) => {
      jobs++;
      bytes += message.bytes;
    };
    diagnostics.subscribe('offloop:job', count);
    await work();
    diagnostics.unsubscribe('offloop:job', count);
    return { jobs, bytes };
  }

  it('of one turn become one job, or two', async () => {
    for (const create of [
      () => createHash('sha256'),
      () => createEncrypt('aes-256-ctr', pattern(32), pattern(16)),
      () => createCrc(),
    ]) {
      const stream = create();
      stream.resume();
      const { jobs, bytes } = await countJobs(async () => {
        for (let i = 0; i < 2000; i++) stream.write(pattern(100));
        await new Promise((resolve) => stream.write(pattern(1), resolve));
      });
      assert.ok(jobs <= 2, `${jobs}`);
      assert.strictEqual(bytes, 200_001);
      stream.destroy();
    }
  });

  it('of a few bytes are joined, however many', async () => {
    const hash = createHash('sha256');
    const { jobs } = await countJobs(async () => {
      for (let i = 0; i < 300_000; i++) hash.write('abc');
      hash.end();
      assert.deepStrictEqual(await collect(hash), offloop.hash('sha256', 'abc'.repeat(300_000)));
    });
    assert.ok(jobs <= 5, `${jobs}`);
  });

  it('come out soon, even if nothing follows', async () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    const stream = createEncrypt('aes-256-gcm', key, iv);
    for (let i = 0; i < 20; i++) {
      stream.write('abc');
      const [chunk] = await once(stream, 'data');
      assert.strictEqual(chunk.length, 3);
    }
    stream.destroy();
  });
});

describe('streams: aborts', () => {
  const makers = kinds.filter(({ name }) =>
    /Hash sha256|key of 5$|crypt aes-256-gcm|crc32c/.test(name),
  );

  /**
   * `events.once` would reject with an error that comes first.
   * @param {Transform} stream
   */
  async function closed(stream) {
    if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve));
  }

  /**
   * @param {Transform} stream
   * @param {string} name of the error
   */
  async function checkEnd(stream, name) {
    const [error] = await once(stream, 'error');
    assert.strictEqual(error.name, name);
    await closed(stream);
    assert.ok(stream.destroyed);
    await pool.drain();
    return error;
  }

  for (const { name, create } of makers) {
    it(`${name}: by a signal that is aborted already`, async () => {
      const reason = new Error('enough');
      const stream = create({ signal: AbortSignal.abort(reason) });
      const error = await checkEnd(stream, 'AbortError');
      assert.strictEqual(error.cause, reason);
    });

    it(`${name}: while idle`, async () => {
      const controller = new AbortController();
      const stream = create({ signal: controller.signal });
      stream.resume();
      stream.write(pattern(100));
      await turn();
      controller.abort();
      await checkEnd(stream, 'AbortError');
    });

    it(`${name}: while a job is queued, or runs`, async () => {
      const data = Buffer.alloc(64 * MIB);
      for (const wait of [() => {}, turn, () => sleep(3), () => sleep(20)]) {
        const controller = new AbortController();
        const stream = create({ signal: controller.signal });
        stream.resume();
        /** @type {any} */
        let outcome;
        stream.write(data, (error) => (outcome = error ?? 'written'));
        const after = new Promise((resolve) => stream.write(pattern(9), resolve));
        await wait();
        controller.abort();
        await checkEnd(stream, 'AbortError');
        assert.strictEqual(/** @type {any} */ (await after)?.name, 'AbortError');
        assert.strictEqual(outcome?.name, 'AbortError');
      }
    });

    it(`${name}: at the end`, async () => {
      const controller = new AbortController();
      const stream = create({ signal: controller.signal });
      stream.on('error', () => {});
      stream.end(pattern(100_000));
      stream.once('prefinish', () => controller.abort());
      stream.resume();
      await closed(stream);
      assert.ok(stream.destroyed && !stream.readableEnded);
    });

    it(`${name}: by destroy, with and without an error`, async () => {
      const quiet = create();
      quiet.write(Buffer.alloc(8 * MIB));
      quiet.on('data', () => assert.fail('data after destroy'));
      quiet.destroy();
      await once(quiet, 'close');
      await pool.drain();

      const loud = create();
      loud.write(Buffer.alloc(8 * MIB));
      loud.destroy(new RangeError('mine'));
      const error = await checkEnd(loud, 'RangeError');
      assert.strictEqual(error.message, 'mine');
      loud.destroy();
    });
  }

  it('a job that waits is gone at once, and its stream closed', async () => {
    const blockers = Array.from({ length: 6 }, () =>
      offloop.hashAsync('sha256', Buffer.alloc(100 * MIB)),
    );
    const stream = createHash('sha256');
    stream.write(Buffer.alloc(8 * MIB), () => {});
    await turn();
    const { queued } = pool.stats();
    stream.destroy();
    await once(stream, 'close');
    assert.strictEqual(pool.stats().queued, queued - 1);
    await Promise.all(blockers);
  });

  it('`close` comes only when no job is at work any more', async () => {
    for (let i = 0; i < 20; i++) {
      const stream = createHash('sha256');
      stream.write(Buffer.alloc(32 * MIB), () => {});
      await sleep(1);
      stream.destroy();
      await once(stream, 'close');
      const { queued, running } = pool.stats();
      assert.deepStrictEqual({ queued, running }, { queued: 0, running: 0 });
    }
  });

  it('a pipeline that is aborted leaves nothing at work', async () => {
    const controller = new AbortController();
    const source = new Readable({
      read() {
        this.push(Buffer.alloc(MIB));
      },
    });
    const streams = [createCrc(), createEncrypt('aes-256-ctr', pattern(32), pattern(16))];
    const sink = new Writable({ write: (_chunk, _encoding, callback) => callback() });
    setTimeout(() => controller.abort(), 30);
    await assert.rejects(pipeline([source, ...streams, sink], { signal: controller.signal }), {
      name: 'AbortError',
    });
    for (const stream of streams) await closed(stream);
  });
});

describe('streams: errors', () => {
  it('a full queue destroys the stream', async () => {
    const blockers = Array.from({ length: 4 }, () =>
      offloop.hashAsync('sha256', Buffer.alloc(50 * MIB)),
    );
    pool.maxQueued = 0;
    try {
      const stream = createHash('sha256');
      stream.write(Buffer.alloc(MIB));
      const [error] = await once(stream, 'error');
      assert.strictEqual(error.code, 'ERR_OFFLOOP_QUEUE_FULL');
      assert.ok(stream.destroyed);
    } finally {
      pool.maxQueued = Infinity;
    }
    await Promise.all(blockers);
  });

  it('chunks that may shrink or are gone are refused', async () => {
    const resizable = new /** @type {any} */ (ArrayBuffer)(100_000, { maxByteLength: 200_000 });
    const gone = Buffer.from(new ArrayBuffer(10));
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    /** @type {[Uint8Array, string][]} */
    const chunks = [
      [new Uint8Array(resizable), 'ERR_INVALID_ARG_VALUE'],
      [gone, 'ERR_OFFLOOP_DETACHED'],
    ];
    for (const [chunk, code] of chunks) {
      for (const create of [() => createHash('sha256'), () => createCrc()]) {
        const stream = create();
        stream.write(chunk);
        const [error] = await once(stream, 'error');
        assert.strictEqual(error.code, code);
      }
    }
  });

  it('a chunk that is transferred while it is hashed is hashed all the same', async () => {
    const data = new Uint8Array(32 * MIB).fill(7);
    const expected = offloop.hash('sha256', data);
    const stream = createHash('sha256');
    stream.end(data);
    await turn();
    structuredClone(data.buffer, { transfer: [data.buffer] });
    assert.deepStrictEqual(await collect(stream), expected);
  });

  it('a write after the end is Node’s own error', async () => {
    const stream = createHash('sha256');
    stream.end('abc');
    stream.write('d');
    const [error] = await once(stream, 'error');
    assert.strictEqual(error.code, 'ERR_STREAM_WRITE_AFTER_END');
  });

  it('what a listener throws is an uncaught exception, and no other stream is lost', async () => {
    const { code, stdout, stderr } = await runScript(`
      const thrown = [];
      process.on('uncaughtException', (error) => thrown.push(error.message));
      const crcs = Array.from({ length: 20 }, (_, i) => {
        const crc = offloop.createCrc();
        crc.on('data', () => { if (i % 2 === 0) throw new Error('listener ' + i); });
        crc.write(Buffer.alloc(100_000 + i));
        return crc;
      });
      setTimeout(() => {
        const sums = crcs.map(({ value }, i) => value === offloop.crc32(Buffer.alloc(100_000 + i)));
        console.log(thrown.length, sums.every(Boolean));
      }, 500);`);
    assert.deepStrictEqual({ code, stdout, stderr }, { code: 0, stdout: '10 true\n', stderr: '' });
  });

  it('listeners run in the async context of the write', async () => {
    const storage = new AsyncLocalStorage();
    const contexts = await Promise.all(
      [1, 2, 3].map((id) =>
        storage.run(id, async () => {
          const hash = createHash('sha256');
          await new Promise((resolve) => hash.write(pattern(100_000 * id), resolve));
          const seen = [storage.getStore()];
          const called = new Promise((resolve) => {
            hash.write(pattern(200_000), () => resolve(storage.getStore()));
          });
          seen.push(await called);
          hash.once('data', () => seen.push(storage.getStore()));
          hash.end();
          await once(hash, 'end');
          return seen;
        }),
      ),
    );
    assert.deepStrictEqual(contexts, [
      [1, 1, 1],
      [2, 2, 2],
      [3, 3, 3],
    ]);
  });

  it('a native stream takes nothing once it has ended, failed or been closed', () => {
    const digest = native.findDigest('sha256');
    const target = Buffer.alloc(32);
    const state = native.hashStream(digest.id, 32);
    native.streamUpdate(state, undefined, Buffer.from('abc'));
    assert.throws(() => native.streamFinish(state, target.subarray(1)), {
      code: 'ERR_OUT_OF_RANGE',
    });
    assert.throws(() => native.streamFinish(state, target), { code: 'ERR_INVALID_ARG_VALUE' });
    native.streamClose(state);
    native.streamClose(state);
    assert.throws(() => native.streamUpdate(state, undefined, Buffer.from('abc')), {
      code: 'ERR_INVALID_ARG_VALUE',
    });
    assert.throws(() => native.streamUpdate({}, undefined, Buffer.from('abc')), {
      code: 'ERR_INVALID_ARG_TYPE',
    });
    const cipher = native.findCipher('aes-256-ctr');
    const open = native.cipherStream(cipher.id, true, 16, pattern(32), pattern(16));
    assert.throws(() => native.streamUpdate(open, Buffer.alloc(4), pattern(5)), {
      code: 'ERR_OUT_OF_RANGE',
    });
    native.streamClose(open);
  });
});

describe('streams: ends of life', () => {
  const stuff = `
    const start = (megabytes) => {
      const key = Buffer.alloc(32);
      const streams = [
        offloop.createHash('sha256'),
        offloop.createHmac('sha512', 'key'),
        offloop.createEncrypt('aes-256-gcm', key, Buffer.alloc(12)),
        offloop.createDecrypt('aes-256-ctr', key, Buffer.alloc(16)),
        offloop.createCrc('crc64nvme'),
      ];
      for (const stream of streams) {
        stream.resume();
        stream.write(Buffer.alloc(megabytes * 1_000_000));
        stream.write(Buffer.alloc(100));
      }
      return streams;
    };`;

  it('streams that are let go of are collected, at work or not', async () => {
    const { code, signal, stderr } = await runScript(
      `${stuff}
      (async () => {
        for (let i = 0; i < 20; i++) {
          start(1);
          offloop.createHmac('sha256', 'key');
          offloop.createEncrypt('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12)).write('abc');
          gc();
          await new Promise((resolve) => setTimeout(resolve, 2));
          gc();
        }
        await offloop.pool.drain();
        gc();
      })();`,
      { flags: ['--expose-gc'] },
    );
    assert.deepStrictEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' });
  });

  it('no key is left in memory', { skip: process.platform !== 'linux' }, async () => {
    const { code, stdout, stderr } = await runScript(`
      const crypto = require('node:crypto');
      const fs = require('node:fs');
      const { once } = require('node:events');

      /* Finds bytes in this process that are known here inverted only, as is all that is read. */
      function isInMemory(inverted) {
        const memory = fs.openSync('/proc/self/mem', 'r');
        const chunk = Buffer.allocUnsafeSlow(1 << 20);
        const words = new Uint32Array(chunk.buffer);
        let found = 0;
        for (const line of fs.readFileSync('/proc/self/maps', 'latin1').split('\\n')) {
          const match = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line);
          if (match === null) continue;
          const end = Number('0x' + match[2]);
          for (let at = Number('0x' + match[1]); at < end; at += chunk.length - 64) {
            let size = 0;
            try {
              size = fs.readSync(memory, chunk, 0, Math.min(chunk.length, end - at), at);
            } catch {}
            for (let i = 0; i < words.length; i++) words[i] = ~words[i];
            if (chunk.subarray(0, size).includes(inverted)) found++;
          }
        }
        fs.closeSync(memory);
        return found > 0;
      }

      async function check(create, end) {
        const key = crypto.randomBytes(32);
        const inverted = key.map((byte) => ~byte);
        const stream = create(key);
        key.fill(0);
        stream.resume();
        await new Promise((resolve) => stream.write(Buffer.alloc(100_000), resolve));
        const before = isInMemory(inverted);
        end(stream);
        await once(stream, 'close');
        return [before, isInMemory(inverted)];
      }

      (async () => {
        const iv = Buffer.alloc(12);
        const makers = [
          (key) => offloop.createEncrypt('aes-256-gcm', key, iv),
          (key) => offloop.createDecrypt('aes-256-ctr', key, Buffer.alloc(16)),
        ];
        for (const create of makers) {
          console.log(...(await check(create, (stream) => stream.end())));
          console.log(...(await check(create, (stream) => stream.destroy())));
        }
      })();`);
    assert.strictEqual(stderr, '');
    assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: 'true false\n'.repeat(4) });
  });

  it('process.exit with streams at work is quick', async () => {
    const { code, milliseconds } = await runScript(
      `${stuff} start(50); setTimeout(() => process.exit(3), 20);`,
    );
    assert.strictEqual(code, 3);
    assert.ok(milliseconds < 20_000, `${milliseconds}`);
  });

  it('a Worker may end with streams at work, by any way', async () => {
    const { code, signal, stdout, stderr } = await runScript(`
      const { Worker } = require('node:worker_threads');
      const source = (end) => \`
        const offloop = require(\${JSON.stringify(root)});
        ${stuff.replaceAll('`', '\\`')}
        globalThis.kept = start(50);
        \${end}\`;
      (async () => {
        for (const end of ['process.exit()', 'setTimeout(() => process.exit(), 5)', '']) {
          for (let i = 0; i < 4; i++) {
            const worker = new Worker(source(end), { eval: true });
            if (end === '') setTimeout(() => worker.terminate(), 60 + 10 * i);
            await new Promise((resolve) => worker.once('exit', resolve));
          }
        }
        console.log('done');
      })();`);
    assert.deepStrictEqual(
      { code, signal, stdout, stderr },
      { code: 0, signal: null, stdout: 'done\n', stderr: '' },
    );
  });
});
