'use strict';

/** The pool: cancelling, counting, fairness, and that every job settles just once. */

const assert = require('node:assert');
const { AsyncLocalStorage } = require('node:async_hooks');
const crypto = require('node:crypto');
const diagnostics = require('node:diagnostics_channel');
const { getEventListeners } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { afterEach, describe, it } = require('node:test');
const { Worker } = require('node:worker_threads');

const offloop = require('..');
const { pdfPath } = require('../fixtures/pdf');
const { runScript } = require('./helpers/child');
const { MiB, occupyPool } = require('./helpers/memory');
const { printSeed, randomFor } = require('./helpers/random');
const { storm } = require('./helpers/storm');

const { hashAsync, pool } = offloop;
const always = /** @type {const} */ ({ offload: 'always' });
const sha256 = (/** @type {any} */ data) => crypto.createHash('sha256').update(data).digest();

afterEach(async () => {
  await pool.drain();
  const { queued, running } = pool.stats();
  assert.deepStrictEqual({ queued, running }, { queued: 0, running: 0 });
});

describe('an AbortSignal', () => {
  it('that is aborted already keeps the job from starting', async () => {
    const before = pool.stats();
    const reason = new Error('the reason');
    for (const offload of /** @type {const} */ (['auto', 'always'])) {
      const signal = AbortSignal.abort(reason);
      const options = { signal, offload };
      for (const promise of [
        hashAsync('sha256', 'data', options),
        offloop.hmacAsync('sha256', 'key', 'data', options),
        offloop.encryptAsync('aes-256-ctr', ...ctr(MiB), options),
        offloop.decryptAsync('aes-256-ctr', ...ctr(8 * MiB), options),
        offloop.crc32Async('data', options),
        offloop.crc32Async(Buffer.alloc(8 * MiB), options),
      ]) {
        await assert.rejects(promise, (error) => error === reason);
      }
      assert.strictEqual(getEventListeners(signal, 'abort').length, 0);
    }
    assert.deepStrictEqual(pool.stats(), before);
  });

  it('takes a waiting job out of the queue at once', async () => {
    const abort = new AbortController();
    const { signal } = abort;
    const data = Buffer.alloc(4 * MiB);
    const target = Buffer.alloc(32, 1);
    let blocked = true;
    const busy = occupyPool().finally(() => (blocked = false));
    const jobs = Array.from({ length: 11 }, () => hashAsync('sha512', data, { signal }));
    jobs.push(hashAsync('sha256', data, { signal, target }));
    const before = pool.stats();
    abort.abort();
    const after = pool.stats();
    assert.strictEqual(after.cancelled - before.cancelled, 12);
    assert.ok(before.queued - after.queued >= 12);
    for (const job of jobs) await assert.rejects(job, { name: 'AbortError', code: 20 });
    assert.ok(blocked);
    assert.deepStrictEqual(target, Buffer.alloc(32, 1));
    await busy;
  });

  it('stops a running job', async () => {
    const data = Buffer.alloc(96 * MiB);
    const milliseconds = async (/** @type {() => Promise<unknown>} */ work) => {
      const start = performance.now();
      await work();
      return performance.now() - start;
    };
    const whole = await milliseconds(() => hashAsync('sha512', data));
    const cut = await milliseconds(async () => {
      const abort = new AbortController();
      const job = hashAsync('sha512', data, { signal: abort.signal });
      await untilRunning();
      abort.abort('enough');
      await assert.rejects(job, (error) => error === 'enough');
    });
    assert.ok(cut < whole / 2, `${cut} ms of ${whole}`);
  });

  it('that stops a decryption leaves no plaintext', async () => {
    const size = 48 * MiB;
    const plaintext = Buffer.alloc(size, 'plaintext');
    /** @type {[string, number][]} */
    const ciphers = [
      ['aes-256-gcm', 12],
      ['chacha20-poly1305', 12],
      ['aes-256-ctr', 16],
      ['chacha20', 16],
    ];
    for (const [algorithm, ivSize] of ciphers) {
      const [key, iv] = [Buffer.alloc(32), Buffer.alloc(ivSize)];
      const sealed = offloop.encrypt(algorithm, key, iv, plaintext);
      const target = Buffer.alloc(size + 10);
      await abortedWhileRunning((signal) => {
        target.fill(0xee);
        return offloop.decryptAsync(algorithm, key, iv, sealed, { target, signal });
      });
      const untouched = target.indexOf(0xee);
      assert.ok(untouched % MiB === 0 || untouched === size, algorithm);
      for (let at = 0; at < size; at += 4096) {
        assert.ok(target[at] === 0 || target[at] === 0xee, `${algorithm} ${at}`);
      }
      assert.deepStrictEqual(target.subarray(size), Buffer.alloc(10, 0xee));
    }
  });

  it('gets one listener for all its jobs, and none afterwards', async () => {
    const abort = new AbortController();
    const count = () => getEventListeners(abort.signal, 'abort').length;
    /** @type {Error[]} */
    const warnings = [];
    const onWarning = (/** @type {Error} */ warning) => warnings.push(warning);
    process.on('warning', onWarning);
    for (let round = 0; round < 20; round++) {
      const jobs = Array.from({ length: 1000 }, (_, i) =>
        hashAsync('md5', String(i), { signal: abort.signal, ...always }),
      );
      assert.strictEqual(count(), 1);
      await Promise.all(jobs);
      assert.strictEqual(count(), 0);
    }
    const failing = offloop.decryptAsync('aes-256-gcm', ...gcm(50), {
      signal: abort.signal,
      ...always,
    });
    assert.strictEqual(count(), 1);
    await assert.rejects(failing, { code: 'ERR_OFFLOOP_AUTHENTICATION' });
    assert.strictEqual(count(), 0);
    await assert.rejects(hashAsync('none', '', { signal: abort.signal }));
    await hashAsync('sha256', 'inline', { signal: abort.signal });
    assert.strictEqual(count(), 0);
    await new Promise(setImmediate);
    process.off('warning', onWarning);
    assert.deepStrictEqual(warnings, []);
  });

  it('is not kept alive, and heap does not grow, by the jobs that it saw', async () => {
    const abort = new AbortController();
    const batch = async () => {
      for (let round = 0; round < 20; round++) {
        await Promise.all(
          Array.from({ length: 500 }, () =>
            hashAsync('md5', 'data', { signal: abort.signal, ...always }),
          ),
        );
      }
      globalThis.gc?.();
      await new Promise(setImmediate);
      globalThis.gc?.();
      return process.memoryUsage().heapUsed;
    };
    await batch();
    const before = await batch();
    const after = await batch();
    assert.ok(after < before + MiB, `${after - before} bytes more`);
  });

  it('aborts with any reason, from any source', async () => {
    const busy = occupyPool();
    const data = Buffer.alloc(4 * MiB);
    const timeout = hashAsync('sha256', data, { signal: AbortSignal.timeout(0) });
    const abort = new AbortController();
    const any = /** @type {any} */ (AbortSignal).any?.([
      abort.signal,
      new AbortController().signal,
    ]);
    const combined = hashAsync('sha256', data, { signal: any ?? abort.signal });
    const early = hashAsync('sha256', 'x', always).then(() => abort.abort(undefined));
    const outcomes = await Promise.allSettled([timeout, combined, early, busy]);
    // The pool may have been quicker than the timer, and than the abort.
    for (const [i, name] of ['TimeoutError', 'AbortError'].entries()) {
      const { status, value, reason } = /** @type {any} */ (outcomes[i]);
      if (status === 'fulfilled') assert.deepStrictEqual(value, sha256(data));
      else assert.strictEqual(reason.name, name);
    }
  });

  it('aborted after the end changes nothing', async () => {
    const abort = new AbortController();
    const digest = await hashAsync('sha256', 'data', { signal: abort.signal, ...always });
    abort.abort();
    assert.deepStrictEqual(digest, sha256('data'));
  });

  it('of another kind than Node’s is as good', async () => {
    /** @type {Set<() => void>} */
    const listeners = new Set();
    const signal = {
      aborted: false,
      reason: 'of its own',
      addEventListener: (/** @type {string} */ _type, /** @type {() => void} */ listener) =>
        listeners.add(listener),
      removeEventListener: (/** @type {string} */ _type, /** @type {() => void} */ listener) =>
        listeners.delete(listener),
    };
    const busy = occupyPool();
    const job = hashAsync('sha256', Buffer.alloc(4 * MiB), { signal: /** @type {any} */ (signal) });
    assert.strictEqual(listeners.size, 1);
    signal.aborted = true;
    for (const listener of listeners) listener();
    await assert.rejects(job, (error) => error === 'of its own');
    await busy;
  });
});

/** @param {number} size @returns {[Buffer, Buffer, Buffer]} */
const ctr = (size) => [Buffer.alloc(32), Buffer.alloc(16), Buffer.alloc(size)];
/** @param {number} size @returns {[Buffer, Buffer, Buffer]} */
const gcm = (size) => [Buffer.alloc(32), Buffer.alloc(12), Buffer.alloc(size)];

/**
 * Aborts jobs as soon as they run until one has not been quicker.
 * @param {(signal: AbortSignal) => Promise<unknown>} submit
 */
async function abortedWhileRunning(submit) {
  for (let attempt = 0; attempt < 50; attempt++) {
    const abort = new AbortController();
    const job = submit(abort.signal).then(
      () => undefined,
      (error) => error,
    );
    await untilRunning();
    abort.abort();
    const error = await job;
    if (error !== undefined) {
      assert.strictEqual(error.name, 'AbortError');
      return;
    }
  }
  assert.fail('no job could be aborted');
}

/** Settles once no job waits: what was submitted last is at work, or done. */
async function untilRunning() {
  while (pool.stats().queued > 0) await new Promise(setImmediate);
}

describe('pool.stats', () => {
  it('counts what waits, runs, is done and was cancelled', async () => {
    await pool.drain();
    const before = pool.stats();
    const abort = new AbortController();
    const data = Buffer.alloc(4 * MiB);
    const jobs = Array.from({ length: 12 }, () => hashAsync('sha256', data));
    const doomed = hashAsync('sha256', data, { signal: abort.signal });
    const failing = offloop.decryptAsync('aes-256-gcm', ...gcm(50), always);
    const between = pool.stats();
    assert.strictEqual(between.queued + between.running, 14);
    assert.ok(between.running <= between.threads + 32);
    abort.abort();
    await assert.rejects(doomed);
    await assert.rejects(failing);
    await Promise.all(jobs);
    const after = pool.stats();
    assert.strictEqual(after.queued + after.running, 0);
    assert.strictEqual(after.completed - before.completed, 13);
    assert.strictEqual(after.cancelled - before.cancelled, 1);
  });
});

describe('pool.maxQueued', () => {
  afterEach(() => {
    pool.maxQueued = Infinity;
  });

  it('refuses one more, which leaves no trace', async () => {
    const busy = occupyPool();
    await new Promise(setImmediate);
    const { queued } = pool.stats();
    pool.maxQueued = queued + 3;
    assert.strictEqual(pool.maxQueued, queued + 3);
    const data = Buffer.alloc(4 * MiB);
    const abort = new AbortController();
    const target = Buffer.alloc(32, 1);
    const outcomes = await Promise.allSettled([
      ...Array.from({ length: 3 }, () => hashAsync('sha256', data)),
      ...Array.from({ length: 200 }, () =>
        hashAsync('sha256', data, { signal: abort.signal, target }),
      ),
    ]);
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    assert.ok(refused.length > 150, `${refused.length} refused`);
    for (const { reason } of /** @type {PromiseRejectedResult[]} */ (refused)) {
      assert.strictEqual(reason.name, 'Error');
      assert.strictEqual(reason.code, 'ERR_OFFLOOP_QUEUE_FULL');
    }
    assert.strictEqual(getEventListeners(abort.signal, 'abort').length, 0);
    await busy;
    pool.maxQueued = Infinity;
    assert.deepStrictEqual(await hashAsync('sha256', 'more', always), sha256('more'));
  });

  it('takes a message that could be split whole or not at all', async () => {
    const [key, iv] = [Buffer.alloc(32), Buffer.alloc(16)];
    const plaintext = Buffer.alloc(9 * MiB, 'data');
    const sealed = offloop.encrypt('aes-256-ctr', key, iv, plaintext);
    for (let limit = 0; limit < 6; limit++) {
      const busy = occupyPool();
      await new Promise(setImmediate);
      pool.maxQueued = limit;
      const data = Buffer.from(plaintext);
      await offloop.encryptAsync('aes-256-ctr', key, iv, data, { target: data }).then(
        () => assert.ok(data.equals(sealed), `limit ${limit}`),
        (error) => {
          assert.strictEqual(error.code, 'ERR_OFFLOOP_QUEUE_FULL');
          assert.ok(data.equals(plaintext), `limit ${limit}`);
        },
      );
      pool.maxQueued = Infinity;
      await busy;
    }
  });
});

describe('pool.concurrency', () => {
  const { concurrency } = pool;
  afterEach(() => {
    pool.concurrency = concurrency;
  });

  it('is at least one and leaves a thread to others', () => {
    pool.concurrency = 1;
    assert.strictEqual(pool.concurrency, 1);
    pool.concurrency = 1024;
    const size = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
    assert.strictEqual(pool.concurrency, Math.max(1, size - 1));
    assert.ok(pool.stats().threads <= Math.max(1, size - 1));
  });

  it('of one runs long jobs one after the other', async () => {
    pool.concurrency = 1;
    /** @type {{ queued: number, run: number }[]} */
    const seen = [];
    const listener = (/** @type {any} */ message) => seen.push(message);
    diagnostics.subscribe('offloop:job', listener);
    try {
      const data = Buffer.alloc(16 * MiB);
      await Promise.all([1, 2, 3, 4].map(() => hashAsync('sha512', data)));
    } finally {
      diagnostics.unsubscribe('offloop:job', listener);
    }
    assert.strictEqual(seen.length, 4);
    for (let i = 1; i < seen.length; i++) {
      const ahead = seen.slice(0, i).reduce((sum, { run }) => sum + run, 0);
      assert.ok(seen[i].queued >= 0.5 * ahead, JSON.stringify(seen));
    }
  });
});

describe('pool.drain', () => {
  it('settles at once where nothing is to be done', async () => {
    await pool.drain();
  });

  it('settles for everyone once all jobs have', async () => {
    let done = 0;
    const jobs = Array.from({ length: 50 }, (_, i) =>
      hashAsync('sha256', Buffer.alloc(i * 10_000), always).then(() => done++),
    );
    jobs.push(hashAsync('sha256', Buffer.alloc(8 * MiB)).then(() => done++));
    await Promise.all([pool.drain(), pool.drain()]);
    await new Promise(setImmediate);
    assert.strictEqual(done, 51);
    await Promise.all(jobs);
  });

  it('counts jobs that are cancelled', async () => {
    const abort = new AbortController();
    const busy = occupyPool();
    const job = hashAsync('sha256', Buffer.alloc(8 * MiB), { signal: abort.signal });
    const drained = pool.drain();
    abort.abort();
    await assert.rejects(job);
    await busy;
    await drained;
  });
});

describe('offloop:job', () => {
  it('tells of each job while someone listens', async () => {
    /** @type {any[]} */
    const seen = [];
    const listener = (/** @type {any} */ message) => seen.push(message);
    await hashAsync('sha256', 'nobody listens', always);
    diagnostics.subscribe('offloop:job', listener);
    try {
      await hashAsync('sha256', Buffer.alloc(100), always);
      await hashAsync('sha256', Buffer.alloc(200));
      await offloop.hmacAsync('sha256', 'key', Buffer.alloc(300_000));
      await offloop.encryptAsync('aes-256-gcm', ...gcm(5000), always);
      await assert.rejects(offloop.decryptAsync('aes-256-gcm', ...gcm(6000), always));
    } finally {
      diagnostics.unsubscribe('offloop:job', listener);
    }
    await hashAsync('sha256', 'nobody listens any more', always);
    assert.deepStrictEqual(
      seen.map(({ operation, bytes }) => [operation, bytes]),
      [
        ['hash', 100],
        ['hash', 200],
        ['hmac', 300_000],
        ['encrypt', 5000],
        ['decrypt', 6000],
      ],
    );
    for (const { queued, run } of seen) {
      assert.ok(queued >= 0 && queued < 60_000);
      assert.ok(run >= 0 && run < 60_000);
    }
    assert.ok(seen[2].run > 0);
  });
});

describe('delivery', () => {
  it('keeps the asynchronous context of each call', async () => {
    const storage = new AsyncLocalStorage();
    const jobs = Array.from({ length: 300 }, (_, i) =>
      storage.run(i, async () => {
        for (const options of [{}, always]) {
          await hashAsync('sha256', String(i), options);
          assert.strictEqual(storage.getStore(), i);
          await offloop.decryptAsync('aes-256-gcm', ...gcm(50), options).catch(() => {});
          assert.strictEqual(storage.getStore(), i);
          await offloop.encryptAsync('aes-256-ctr', ...ctr(20_000), options).then(() => {
            assert.strictEqual(storage.getStore(), i);
          });
        }
      }),
    );
    await Promise.all(jobs);
  });

  it('of one result is not stopped by what happens to another', async () => {
    const { code, signal, stdout, stderr } = await runScript(`
      class Throwing extends Uint8Array {
        static get [Symbol.species]() { throw new Error('of a species'); }
      }
      class Thenable extends Uint8Array {
        get then() { throw new Error('of a then'); }
      }
      const { signal } = new AbortController();
      signal.removeEventListener = () => { throw new Error('of a signal'); };
      const seen = { right: 0 };
      const count = (error) => { seen[error.message] = (seen[error.message] ?? 0) + 1; };
      process.on('uncaughtException', count);
      const hash = (text, options) =>
        offloop.hashAsync('sha256', text, { ...options, offload: 'always' });
      for (let i = 0; i < 300; i++) {
        const expected = offloop.hash('sha256', String(i));
        hash(String(i)).then((digest) => { if (digest.equals(expected)) seen.right++; });
        if (i % 3 > 0) continue;
        hash('x', { target: new Throwing(40) }).catch(count);
        hash('x', { target: new Thenable(32) }).catch(count);
        void hash('x', { signal });
      }
      process.on('exit', () => console.log(JSON.stringify(seen)));
    `);
    assert.deepStrictEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' });
    assert.deepStrictEqual(JSON.parse(stdout), {
      right: 300,
      'of a species': 100,
      'of a then': 100,
      'of a signal': 1,
    });
  });

  it('may be answered by further calls from within', async () => {
    let depth = 0;
    /** @param {number} left @returns {Promise<void>} */
    const chain = async (left) => {
      await hashAsync('sha256', String(left), left % 2 === 0 ? always : {});
      depth++;
      if (left > 0) await chain(left - 1);
    };
    await Promise.all(Array.from({ length: 50 }, () => chain(50)));
    assert.strictEqual(depth, 50 * 51);
  });
});

describe('exactly once', () => {
  // 300 jobs a round, in four threads: 834 rounds are a million jobs.
  const rounds = Number(process.env.OFFLOOP_STORM_ROUNDS ?? 60);

  it('every job settles, with its own result, in several threads at a time', async (t) => {
    printSeed(t);
    const random = randomFor('storm');
    const workers = Array.from({ length: 3 }, () => {
      const worker = new Worker(path.join(__dirname, 'helpers', 'storm.js'), {
        workerData: { seed: random.next(), rounds },
      });
      return new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
    });
    const here = storm(random.next(), rounds);
    const totals = await Promise.all([here, ...workers]);
    for (const { settled, submitted, wrong, aborted, counted } of totals) {
      assert.strictEqual(wrong, 0);
      assert.strictEqual(settled, submitted);
      assert.strictEqual(counted, submitted);
      assert.ok(aborted > 100, `${aborted} aborted`);
    }
  });
});

describe('nobody starves', () => {
  /** @type {Record<string, (i: number) => Promise<unknown>>} */
  const loops = {
    hashAsync: (i) => hashAsync('sha256', String(i)),
    hmacAsync: (i) => offloop.hmacAsync('sha256', 'key', String(i)),
    encryptAsync: () => offloop.encryptAsync('aes-256-gcm', ...gcm(64)),
    crc32Async: (i) => offloop.crc32Async(Buffer.alloc(256, i)),
    'hashAsync, always on the pool': (i) => hashAsync('sha256', String(i), always),
    'many at a time': () =>
      Promise.all(Array.from({ length: 64 }, (_, i) => hashAsync('sha256', String(i)))),
  };
  for (const [name, call] of Object.entries(loops)) {
    it(`timers, immediates and I/O go on during a loop of ${name}`, async () => {
      const missing = new Set(['timer', 'immediate', 'I/O']);
      setTimeout(() => missing.delete('timer'), 5);
      setImmediate(() => missing.delete('immediate'));
      fs.stat(__filename, () => missing.delete('I/O'));
      const start = Date.now();
      for (let i = 0; missing.size > 0; i++) {
        await call(i);
        if (i % 1000 === 0 && Date.now() - start > 20_000) break;
      }
      assert.deepStrictEqual([...missing], []);
    });
  }

  it('a short job does not wait for long ones', async () => {
    const data = Buffer.alloc(32 * MiB);
    let longDone = 0;
    const longs = Array.from({ length: 8 }, () => hashAsync('sha512', data).then(() => longDone++));
    const digest = await hashAsync('sha256', Buffer.alloc(4096), always);
    assert.strictEqual(longDone, 0);
    assert.deepStrictEqual(digest, sha256(Buffer.alloc(4096)));
    await Promise.all(longs);
  });

  it('a short job does not wait for documents', async () => {
    const source = pdfPath('images', { copies: 2 });
    let documentsDone = 0;
    const documents = Array.from({ length: 8 }, () =>
      offloop.recryptAsync(source, { userPassword: 'u' }).then(() => documentsDone++),
    );
    await hashAsync('sha256', Buffer.alloc(4096), always);
    assert.strictEqual(documentsDone, 0);
    await Promise.all(documents);
  });

  it('long jobs go on under a flood of short ones', async () => {
    let flooding = true;
    const flood = (async () => {
      while (flooding) {
        await Promise.all(
          Array.from({ length: 200 }, () => hashAsync('sha256', Buffer.alloc(9000), always)),
        );
      }
    })();
    const data = Buffer.alloc(2 * MiB);
    for (let i = 0; i < 5; i++) await Promise.all([1, 2, 3].map(() => hashAsync('sha512', data)));
    flooding = false;
    await flood;
  });

  it('a thread’s single job is not behind another thread’s thousand', async () => {
    const flood = new Worker(
      `const { workerData, parentPort } = require('node:worker_threads');
       const { hashAsync } = require(workerData.root);
       const data = Buffer.alloc(${2 * MiB});
       for (let i = 0; i < 400; i++) {
         void hashAsync('sha512', data).then(() => Atomics.add(workerData.done, 0, 1), () => {});
       }
       parentPort.postMessage('flooded');`,
      {
        eval: true,
        workerData: {
          root: path.join(__dirname, '..'),
          done: new Int32Array(new SharedArrayBuffer(4)),
        },
      },
    );
    await new Promise((resolve) => flood.once('message', resolve));
    await hashAsync('sha512', Buffer.alloc(2 * MiB));
    await hashAsync('sha512', Buffer.alloc(2 * MiB));
    const { queued } = pool.stats();
    assert.strictEqual(queued, 0);
    await flood.terminate();
  });
});

/** Floods the pool with hashes and asks for `fs` and `dns` 50 times each, in turn. */
const convoyScript = (/** @type {string} */ flood) => `
  const fs = require('node:fs/promises');
  const dns = require('node:dns/promises');
  const { Worker } = require('node:worker_threads');
  const JOBS = 64;
  const done = new Int32Array(new SharedArrayBuffer(4));
  const data = new SharedArrayBuffer(64 * 2 ** 20);
  ${flood}
  (async () => {
    await flooding;
    let answers = 0;
    for (let i = 0; i < 50; i++) {
      await fs.stat(__filename === '[eval]' ? root : __filename);
      await dns.lookup('localhost');
      answers += 2;
    }
    console.log(JSON.stringify({ answers, hashed: Atomics.load(done, 0) }));
    process.exit(0);
  })();
`;

const floodHere = `
  for (let i = 0; i < JOBS; i++) {
    void offloop.hashAsync('sha512', data).then(() => Atomics.add(done, 0, 1), () => {});
  }
  const flooding = undefined;
`;

const floodWorkers = `
  const source = \`
    const { workerData: { root, data, done, jobs }, parentPort } = require('node:worker_threads');
    const { hashAsync } = require(root);
    for (let i = 0; i < jobs; i++) {
      void hashAsync('sha512', data).then(() => Atomics.add(done, 0, 1), () => {});
    }
    parentPort.postMessage('flooded');
  \`;
  const flooding = Promise.all(Array.from({ length: 4 }, () => new Promise((resolve) => {
    const workerData = { root, data, done, jobs: JOBS / 4 };
    new Worker(source, { eval: true, workerData }).once('message', resolve);
  })));
`;

describe('no convoy', () => {
  for (const [from, flood] of Object.entries({
    'one thread': floodHere,
    '4 Workers': floodWorkers,
  })) {
    it(`fs and dns answer while 64 × 64 MiB of hashes from ${from} wait`, async () => {
      const { code, signal, stdout, stderr } = await runScript(convoyScript(flood), {
        env: { UV_THREADPOOL_SIZE: '4' },
      });
      assert.deepStrictEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' });
      const { answers, hashed } = JSON.parse(stdout);
      assert.strictEqual(answers, 100);
      assert.ok(hashed < 16, `${hashed} hashes were done first`);
    });
  }

  for (const size of ['1', '2']) {
    it(`with ${size} thread(s) in the pool they wait for their turn only`, async () => {
      const script = convoyScript(floodHere)
        .replace('const JOBS = 64', 'const JOBS = 200')
        .replace('64 * 2 ** 20', '4 * 2 ** 20')
        .replace('i < 50', 'i < 10');
      const { code, signal, stdout, stderr } = await runScript(script, {
        env: { UV_THREADPOOL_SIZE: size },
      });
      assert.deepStrictEqual({ code, signal, stderr }, { code: 0, signal: null, stderr: '' });
      const { answers, hashed } = JSON.parse(stdout);
      assert.strictEqual(answers, 20);
      assert.ok(hashed < 100, `${hashed} hashes were done first`);
    });
  }
});
