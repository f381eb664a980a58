'use strict';

/**
 * Ends of life: a process, a Worker or an environment that goes away while jobs wait, run, finish or
 * are being delivered. Each in a process of its own, whose exit code and signal are demanded.
 */

const assert = require('node:assert');
const { describe, it } = require('node:test');

const { SLOWNESS, root, runBare, runScript } = require('./helpers/child');

/**
 * What every script finds: `flood()` submits jobs of every operation, long and short, that would take
 * far longer than the script lives; `small()` is one quick job.
 */
const prelude = `
  const { Worker, isMainThread } = require('node:worker_threads');
  const MiB = 2 ** 20;
  const always = { offload: 'always' };
  const [key, iv, counter] = [Buffer.alloc(32), Buffer.alloc(12), Buffer.alloc(16)];
  const big = new Uint8Array(new SharedArrayBuffer(64 * MiB));
  const ignore = () => {};
  const operations = {
    hash: (data) => offloop.hashAsync('sha512', data, always),
    hmac: (data) => offloop.hmacAsync('sha512', key, data, always),
    encrypt: (data) => offloop.encryptAsync('aes-256-gcm', key, iv, data, always),
    decrypt: (data) => offloop.decryptAsync('chacha20-poly1305', key, iv, data, always),
    split: (data) => offloop.encryptAsync('aes-256-ctr', key, counter, data, always),
    crc32: (data) => offloop.crc32Async(data, always),
    crc64nvme: (data) => offloop.crc64nvmeAsync(data, always),
  };
  const flood = (rounds = 4) => {
    for (let i = 0; i < rounds; i++) {
      for (const run of Object.values(operations)) {
        run(big).catch(ignore);
        for (let k = 0; k < 5; k++) run(Buffer.alloc(100 * k, k)).catch(ignore);
      }
    }
  };
  const small = () => offloop.hashAsync('sha256', 'small', always);
  const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
`;

/**
 * @param {string} source
 * @param {{ code?: number, stdout?: string, stderr?: string | RegExp, flags?: string[] }} expected
 */
async function lives(source, { code = 0, stdout = '', stderr = '', flags = [] } = {}) {
  const outcome = await runScript(prelude + source, { flags });
  const context = `${source}\n${outcome.stdout}\n${outcome.stderr}`;
  assert.strictEqual(outcome.signal, null, context);
  assert.strictEqual(outcome.code, code, context);
  assert.strictEqual(outcome.stdout, stdout, context);
  if (stderr instanceof RegExp) assert.match(outcome.stderr, stderr);
  else assert.strictEqual(outcome.stderr, stderr, context);
  return outcome;
}

/** In a script: the source of a Worker that finds what the script itself finds. */
const workerSource = `
  function workerSource(body) {
    return 'const root = ' + JSON.stringify(root) + '; const offloop = require(root);' +
      ${JSON.stringify(prelude)} + body;
  }
`;

/** Moments in the life of a job at which something ends. */
const moments = {
  'while jobs wait in the outbox': (/** @type {string} */ end) =>
    `flood(1); for (let i = 0; i < 9; i++) small().catch(ignore); ${end}`,
  'while jobs are queued': (/** @type {string} */ end) => `flood(); ${end}`,
  'while jobs run': (/** @type {string} */ end) => `flood(); setTimeout(() => { ${end} }, 30);`,
  'while jobs finish': (/** @type {string} */ end) =>
    `for (let i = 0; i < 3000; i++) small().catch(ignore);
     const until = Date.now() + 20; setImmediate(() => { while (Date.now() < until); ${end} });`,
  'while one is delivered': (/** @type {string} */ end) =>
    `for (let i = 0; i < 900; i++) small().then(() => { if (i === 450) { ${end} } }, ignore);`,
  'when all are done': (/** @type {string} */ end) => `small().then(() => { ${end} });`,
};

/** Most of a script's life is its start: two at a time. */
const PAIRS = { concurrency: 2 };

describe('process.exit', PAIRS, () => {
  for (const [moment, script] of Object.entries(moments)) {
    it(moment, async () => {
      await lives(script('process.exit(7);'), { code: 7 });
    });
  }

  // Each of these would take ten seconds and more, whatever the machine.
  for (const [operation, count, submit] of /** @type {const} */ ([
    ['hash', 100, "offloop.hashAsync('sha512', data)"],
    ['hmac', 100, "offloop.hmacAsync('sha512', key, data)"],
    ['encrypt', 1000, "offloop.encryptAsync('aes-256-gcm', key, iv, data, { target: data, tag })"],
    ['decrypt', 1000, "offloop.decryptAsync('chacha20-poly1305', key, iv, data, { target, tag })"],
    ['split', 1000, "offloop.encryptAsync('aes-256-ctr', key, counter, data, { target: data })"],
    ['crc32', 4000, 'offloop.crc32Async(data)'],
    ['crc64nvme', 4000, 'offloop.crc64nvmeAsync(data)'],
  ])) {
    it(`does not wait for what is left of ${operation}`, async (t) => {
      const { stdout, code, signal } = await runScript(`${prelude}
        const data = new Uint8Array(new SharedArrayBuffer(256 * MiB));
        const target = data;
        const tag = Buffer.alloc(16);
        for (let i = 0; i < ${count}; i++) ${submit}.catch(ignore);
        setTimeout(() => { process.stdout.write(String(Date.now())); process.exit(3); }, 40);
      `);
      const delay = Date.now() - Number(stdout);
      assert.deepStrictEqual({ code, signal }, { code: 3, signal: null });
      t.diagnostic(`${delay} ms`);
      assert.ok(delay < 1500 * SLOWNESS, `${delay} ms`);
    });
  }

  it('in an exit listener, and jobs submitted there', async () => {
    await lives(
      `process.on('exit', () => {
         small().then(() => console.log('never'), ignore);
         offloop.hash('sha256', 'at once');
         console.log(offloop.pool.stats().running >= 0);
         process.exit(5);
       });
       flood();
       setTimeout(() => process.exit(4), 10);`,
      { code: 5, stdout: 'true\n' },
    );
  });

  it('with Workers at work', async () => {
    await lives(
      `${workerSource}
       for (let i = 0; i < 4; i++) new Worker(workerSource('flood();'), { eval: true });
       flood();
       setTimeout(() => process.exit(6), 300);`,
      { code: 6 },
    );
  });
});

describe('an uncaught error', PAIRS, () => {
  for (const [moment, script] of Object.entries(moments)) {
    it(moment, async () => {
      await lives(script("process.nextTick(() => { throw new Error('the end'); });"), {
        code: 1,
        stderr: /Error: the end/,
      });
    });
  }

  it('that is caught leaves all jobs to their end', async () => {
    await lives(
      `let caught = 0;
       process.on('uncaughtException', () => { caught++; });
       let right = 0;
       const expected = offloop.hash('sha256', 'small');
       for (let i = 0; i < 1000; i++) {
         small().then((digest) => { if (digest.equals(expected)) right++; });
         if (i % 100 === 0) small().then(() => process.nextTick(() => { throw new Error('x'); }));
       }
       process.on('exit', () => console.log(caught, right));`,
      { stdout: '10 1000\n' },
    );
  });

  it('of a rejected job that nobody looks at', async () => {
    await lives(`offloop.decryptAsync('aes-256-gcm', key, iv, Buffer.alloc(40), always);`, {
      code: 1,
      stderr: /ERR_OFFLOOP_AUTHENTICATION/,
    });
  });
});

describe('the natural end', PAIRS, () => {
  it('of a process that only loaded the library', async () => {
    await lives('');
  });

  it('waits for the jobs, and for no more', async () => {
    await lives(
      `let done = 0;
       for (let i = 0; i < 200; i++) small().then(() => done++);
       offloop.hashAsync('sha512', big).then(() => done++);
       process.on('exit', () => console.log(done));`,
      { stdout: '201\n' },
    );
  });

  it('waits for one small job in the inline form', async () => {
    await lives(`offloop.hashAsync('md5', 'x').then((d) => console.log(d.length));`, {
      stdout: '16\n',
    });
  });

  it('can be put off by beforeExit', async () => {
    await lives(
      `let rounds = 0;
       process.on('beforeExit', () => {
         if (rounds++ < 3) small().then(() => console.log('again'));
       });`,
      { stdout: 'again\nagain\nagain\n' },
    );
  });

  it('after aborts', async () => {
    await lives(
      `const abort = new AbortController();
       for (let i = 0; i < 100; i++) {
         offloop.hashAsync('sha512', big, { signal: abort.signal }).catch(ignore);
       }
       setTimeout(() => abort.abort(), 20);
       process.on('exit', () => {
         const { queued, running } = offloop.pool.stats();
         console.log(queued, running);
       });`,
      { stdout: '0 0\n' },
    );
  });
});

describe('a Worker', PAIRS, () => {
  /**
   * The main thread never loads the library but in its Workers, if `alone`.
   * @param {string} main
   * @param {{ stdout?: string, code?: number, stderr?: string | RegExp, alone?: boolean }} [options]
   */
  async function withWorkers(main, { stdout = '', code = 0, stderr = '', alone = false } = {}) {
    const load = alone
      ? `const root = ${JSON.stringify(root)};`
      : `const root = ${JSON.stringify(root)}; const offloop = require(root);`;
    const source = `${load}
      const { Worker } = require('node:worker_threads');
      const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
      const ended = (worker) => new Promise((resolve, reject) => {
        worker.once('exit', resolve); worker.once('error', reject);
      });
      ${workerSource}
      const start = (body) => new Worker(workerSource(body), { eval: true });
      (async () => { ${main} })();`;
    const outcome = await runBare(source);
    const context = `${main}\n${outcome.stdout}\n${outcome.stderr}`;
    assert.strictEqual(outcome.signal, null, context);
    assert.strictEqual(outcome.code, code, context);
    assert.strictEqual(outcome.stdout, stdout, context);
    if (stderr instanceof RegExp) assert.match(outcome.stderr, stderr);
    else assert.strictEqual(outcome.stderr, stderr, context);
  }

  for (const alone of [true, false]) {
    const where = alone ? 'which alone has loaded the library' : 'beside the main thread';

    for (const [moment, script] of Object.entries(moments)) {
      it(`${where}, terminated ${moment}`, async () => {
        const body = script("require('node:worker_threads').parentPort.postMessage('now');");
        await withWorkers(
          `const worker = start(${JSON.stringify(body)});
           await new Promise((resolve) => worker.once('message', resolve));
           await worker.terminate();
           console.log('terminated');`,
          { stdout: 'terminated\n', alone },
        );
      });

      it(`${where}, process.exit in it ${moment}`, async () => {
        await withWorkers(
          `const code = await ended(start(${JSON.stringify(script('process.exit(9);'))}));
           console.log(code);`,
          { stdout: '9\n', alone },
        );
      });

      it(`${where}, an uncaught error in it ${moment}`, async () => {
        const body = script("process.nextTick(() => { throw new Error('the end'); });");
        await withWorkers(
          `await ended(start(${JSON.stringify(body)})).catch((error) => console.log(error.message));`,
          { stdout: 'the end\n', alone },
        );
      });
    }

    it(`${where}, ends by itself, with its jobs`, async () => {
      await withWorkers(
        `const worker = start(\`
           let done = 0;
           for (let i = 0; i < 300; i++) small().then(() => done++);
           offloop.hashAsync('sha512', big).then(() => done++);
           process.on('exit', () => require('node:worker_threads').parentPort.postMessage(done));
         \`);
         worker.once('message', console.log);
         console.log(await ended(worker));`,
        { stdout: '301\n0\n', alone },
      );
    });

    it(`${where}, fifty of them, terminated at any moment`, async () => {
      await withWorkers(
        `let started = 0;
         const one = async (i) => {
           const worker = start('flood(2); for (;;) await Promise.all([small(), small()]);'
             .replace('for (;;)', 'void (async () => { for (;;)').concat(' })();'));
           await new Promise((resolve) => worker.once('online', resolve));
           started++;
           await later((i * 7) % 60);
           await worker.terminate();
         };
         for (let i = 0; i < 50; i += 5) {
           await Promise.all([0, 1, 2, 3, 4].map((k) => one(i + k)));
         }
         console.log(started);`,
        { stdout: '50\n', alone },
      );
    });
  }

  it('being terminated leaves the jobs of others alone', async () => {
    await withWorkers(
      `const data = Buffer.alloc(300_000, 'data');
       const expected = offloop.hash('sha256', data);
       let right = 0;
       const jobs = Array.from({ length: 400 }, () =>
         offloop.hashAsync('sha256', data).then((digest) => { right += digest.equals(expected); }));
       for (let i = 0; i < 8; i++) {
         const worker = start('flood();');
         await new Promise((resolve) => worker.once('online', resolve));
         await later(10);
         await worker.terminate();
       }
       await Promise.all(jobs);
       const { queued, running } = offloop.pool.stats();
       console.log(right, queued, running);`,
      { stdout: '400 0 0\n' },
    );
  });

  it('whose buffers are the main thread’s too', async () => {
    await withWorkers(
      `const shared = new SharedArrayBuffer(32 * 2 ** 20);
       const worker = new Worker(workerSource(\`
         const { workerData } = require('node:worker_threads');
         const target = new Uint8Array(workerData);
         void (async () => {
           for (;;) await offloop.encryptAsync('aes-256-ctr', key, counter, workerData, { target });
         })();
       \`), { eval: true, workerData: shared });
       await new Promise((resolve) => worker.once('online', resolve));
       await later(60);
       await worker.terminate();
       new Uint8Array(shared).fill(1);
       console.log((await offloop.hashAsync('sha256', shared)).length);`,
      { stdout: '32\n' },
    );
  });

  it('many at once load the library and use it', async () => {
    await withWorkers(
      `const workers = Array.from({ length: 12 }, () => start(\`
         Promise.all(Array.from({ length: 50 }, small)).then((digests) => {
           const expected = offloop.hash('sha256', 'small');
           const right = digests.filter((digest) => digest.equals(expected)).length;
           require('node:worker_threads').parentPort.postMessage(right);
         });
       \`));
       let right = 0;
       for (const worker of workers) worker.on('message', (count) => { right += count; });
       const codes = await Promise.all(workers.map(ended));
       console.log(right, new Set(codes).size, codes[0]);`,
      { stdout: '600 1 0\n', alone: true },
    );
  });
});

describe('contexts', PAIRS, () => {
  it('of vm use the library, and their own kinds of buffers', async () => {
    await lives(
      `const vm = require('node:vm');
       const context = vm.createContext({ offloop, console });
       vm.runInContext(\`
         (async () => {
           const data = new Uint8Array([1, 2, 3]);
           const target = new Uint8Array(40);
           const sync = offloop.hash('sha256', data, { target });
           const promise = await offloop.hashAsync('sha256', data.buffer, { offload: 'always' });
           console.log(sync instanceof Uint8Array, sync.length, promise.equals(sync));
           const view = new DataView(data.buffer);
           console.log((await offloop.hmacAsync('md5', view, view, { offload: 'always' })).length);
           try { offloop.hash('sha256', {}); } catch (error) { console.log(error.code); }
         })();
       \`, context);`,
      { stdout: 'true 32 true\n16\nERR_INVALID_ARG_TYPE\n' },
    );
  });

  it('that are collected while their jobs run', async () => {
    await lives(
      `const vm = require('node:vm');
       for (let i = 0; i < 20; i++) {
         vm.runInNewContext(
           'const data = new Uint8Array(3000000);' +
           'offloop.hashAsync("sha512", data).then((digest) => count(digest.length));',
           { offloop, count: (length) => { total += length; } });
       }
       var total = 0;
       for (let i = 0; i < 5; i++) gc();
       process.on('exit', () => console.log(total));`,
      { stdout: `${20 * 64}\n`, flags: ['--expose-gc'] },
    );
  });

  it('the library loaded again, with jobs of both at work', async () => {
    await lives(
      `const loaded = [offloop];
       for (let i = 0; i < 5; i++) {
         for (const name of Object.keys(require.cache)) {
           if (name.startsWith(root)) delete require.cache[name];
         }
         loaded.push(require(root));
       }
       const distinct = new Set(loaded).size;
       const jobs = loaded.flatMap((each) => Array.from({ length: 50 }, (_, i) =>
         each.hashAsync('sha256', String(i), always)));
       Promise.all(jobs).then((digests) => {
         const right = digests.filter((digest, i) =>
           digest.equals(offloop.hash('sha256', String(i % 50)))).length;
         console.log(distinct, right);
       });`,
      { stdout: '6 300\n' },
    );
  });

  it('an ES module', async () => {
    const outcome = await runBare(
      `import offloop, { hash, hashAsync, pool } from ${JSON.stringify(`${root}/lib/index.mjs`)};
       const digest = await hashAsync('sha256', 'x', { offload: 'always' });
       console.log(digest.equals(hash('sha256', 'x')), offloop.pool === pool);`,
      { flags: ['--input-type=module'] },
    );
    assert.deepStrictEqual(
      [outcome.code, outcome.signal, outcome.stdout, outcome.stderr],
      [0, null, 'true true\n', ''],
    );
  });
});
