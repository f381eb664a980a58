'use strict';

/** How the drop-in calls back: when, with what, in which context, and what a callback may do. */

const assert = require('node:assert');
const { AsyncLocalStorage, createHook, executionAsyncId } = require('node:async_hooks');
const crypto = require('node:crypto');
const diagnostics = require('node:diagnostics_channel');
const path = require('node:path');
const { setImmediate: nextTurn } = require('node:timers/promises');
const { describe, it } = require('node:test');

const cryptoAsync = require('../lib/crypto-async');
const native = require('../lib/binding');
const { pool } = require('..');
const { runBare } = require('./helpers/child');

const { hash, hmac } = cryptoAsync;
/** @type {(...args: any[]) => any} */
const { cipher } = cryptoAsync;

/** One that is done on the spot, and one that is done on the pool. */
const SIZES = [100, 100_000];
const key = Buffer.alloc(32, 1);
const iv = Buffer.alloc(12, 2);
const aad = Buffer.alloc(5, 3);

/**
 * A call of each asynchronous form, and the kind of its result.
 * @param {number} size
 * @returns {{ form: string, start: (callback: any) => any, buffer: boolean }[]}
 */
function callsOf(size) {
  const source = Buffer.alloc(size, 4);
  const wide = Buffer.alloc(16, 5);
  const target = Buffer.alloc(Math.max(size, 64));
  const parts = [key, 0, 32, wide, 0, 16, source, 0, size, target, 0];
  const sealed = [key, 0, 32, iv, 0, 12, source, 0, size, target, 0, aad, 0, 5, wide, 0, 16];
  /** @type {[string, boolean, (callback: any) => any][]} */
  const rows = [
    ['cipher/6', true, (end) => cipher('aes-256-ctr', 1, key, wide, source, end)],
    ['cipher/8', true, (end) => cipher('aes-256-gcm', 1, key, iv, source, aad, wide, end)],
    ['cipher/14', false, (end) => cipher('aes-256-ctr', 1, ...parts, end)],
    ['cipher/20', false, (end) => cipher('aes-256-gcm', 1, ...sealed, end)],
    ['hash/3', true, (end) => hash('sha256', source, end)],
    ['hash/7', false, (end) => hash('sha256', source, 0, size, target, 0, end)],
    ['hmac/4', true, (end) => hmac('sha256', key, source, end)],
    ['hmac/10', false, (end) => hmac('sha256', key, 0, 32, source, 0, size, target, 0, end)],
  ];
  return rows.map(([form, buffer, start]) => ({ form, buffer, start }));
}

/**
 * Fails, as all but the tag is right.
 * @param {number} size
 * @param {any} callback
 */
const openForged = (size, callback) =>
  cipher('aes-256-gcm', 0, key, iv, Buffer.alloc(size), aad, Buffer.alloc(16), callback);

describe('crypto-async: callbacks', () => {
  for (const size of SIZES) {
    it(`get (undefined, result) once, later, on the global object: ${size} bytes`, async () => {
      for (const { form, buffer, start } of callsOf(size)) {
        let returned = false;
        let calls = 0;
        /** @type {any[]} */
        const [self, ...args] = await new Promise((resolve) => {
          const result = start(
            /** @this {any} */ function (/** @type {any[]} */ ...given) {
              calls++;
              assert.ok(returned, `${form} called back before it returned`);
              resolve([this, ...given]);
            },
          );
          assert.strictEqual(result, undefined);
          returned = true;
        });
        assert.strictEqual(self, globalThis, form);
        assert.strictEqual(args.length, 2, form);
        assert.strictEqual(args[0], undefined, form);
        assert.strictEqual(Buffer.isBuffer(args[1]), buffer, form);
        await nextTurn();
        assert.strictEqual(calls, 1, form);
      }
    });

    it(`get an error alone: ${size} bytes`, async () => {
      const [self, ...args] = await new Promise((resolve) => {
        openForged(
          size,
          /** @this {any} */ function (/** @type {any[]} */ ...given) {
            resolve([this, ...given]);
          },
        );
      });
      assert.strictEqual(self, globalThis);
      assert.strictEqual(args.length, 1);
      assert.strictEqual(args[0].constructor, Error);
      assert.strictEqual(args[0].message, cryptoAsync.E_CORRUPT);
      assert.strictEqual(`${args[0]}`, 'Error: corrupt');
    });

    it(`keep their async context: ${size} bytes`, async () => {
      const storage = new AsyncLocalStorage();
      /** @type {Set<number>} */
      const alive = new Set();
      /** @type {Set<number>} */
      const ended = new Set();
      const hook = createHook({
        init: (id, type) => type === 'offloop.crypto-async' && alive.add(id),
        destroy: (id) => alive.delete(id) && ended.add(id),
      }).enable();
      const calls = [...callsOf(size), ...callsOf(size)];
      const seen = await Promise.all(
        calls.map(({ start }, i) =>
          storage.run(i, () => {
            return new Promise((resolve) => {
              start(() => resolve([storage.getStore(), executionAsyncId()]));
            });
          }),
        ),
      );
      await nextTurn();
      await nextTurn();
      hook.disable();
      assert.deepStrictEqual(
        seen.map(([store]) => store),
        calls.map((_call, i) => i),
      );
      const ids = new Set(seen.map(([, id]) => id));
      assert.strictEqual(ids.size, calls.length);
      assert.deepStrictEqual(ended, ids);
      assert.strictEqual(alive.size, 0);
    });

    it(`may call again: ${size} bytes`, async () => {
      const source = Buffer.alloc(size, 4);
      let last = source;
      await new Promise((resolve, reject) => {
        /** @param {number} left */
        const again = (left) =>
          hash('sha256', Buffer.concat([last, source]), (error, result) => {
            if (error) return reject(error);
            last = result;
            return left === 0 ? resolve(undefined) : again(left - 1);
          });
        again(200);
      });
      let expected = source;
      for (let i = 0; i <= 200; i++) {
        expected = crypto.createHash('sha256').update(expected).update(source).digest();
      }
      assert.deepStrictEqual(last, expected);
    });

    it(`that throw lose no other: ${size} bytes`, async () => {
      const { code, stdout, stderr } = await runBare(`
        const { hash } = require('./lib/crypto-async');
        const { AsyncLocalStorage } = require('node:async_hooks');
        const storage = new AsyncLocalStorage();
        const source = Buffer.alloc(${size});
        const thrown = [];
        let done = 0;
        process.on('uncaughtException', (error, origin) => {
          thrown.push([error.message, origin, storage.getStore()].join());
        });
        for (let i = 0; i < 1100; i++) {
          storage.run(i, () => hash('sha256', source, (error, result) => {
            if (error || result.length !== 32) throw new Error('wrong result');
            if (i % 11 === 0) throw new Error('of ' + i);
            done++;
          }));
        }
        process.on('exit', () => {
          const expected = Array.from({ length: 100 }, (_, i) =>
            ['of ' + 11 * i, 'uncaughtException', 11 * i].join());
          require('node:assert').deepStrictEqual(new Set(thrown), new Set(expected));
          console.log(done, thrown.length);
        });
      `);
      assert.strictEqual(stderr, '');
      assert.strictEqual(stdout.trim(), '1000 100');
      assert.strictEqual(code, 0);
    });

    it(`that throw end a process that does not handle it: ${size} bytes`, async () => {
      const { code, stderr } = await runBare(`
        require('./lib/crypto-async').hash('sha256', Buffer.alloc(${size}), () => {
          throw new Error('from the callback');
        });
        setTimeout(() => {}, 60_000);
      `);
      assert.strictEqual(code, 1);
      assert.match(stderr, /Error: from the callback/);
    });
  }

  it('wait for work that is done on the pool', async () => {
    await pool.drain();
    const source = Buffer.alloc(4_000_000);
    const pending = Array.from(
      { length: 8 },
      () => new Promise((resolve) => hash('sha256', source, (_error, result) => resolve(result))),
    );
    const { queued, running } = pool.stats();
    assert.strictEqual(queued + running, 8);
    const expected = crypto.createHash('sha256').update(source).digest();
    for (const result of await Promise.all(pending)) assert.deepStrictEqual(result, expected);
  });

  it('of small jobs leave time for timers', async () => {
    let stopped = false;
    let calls = 0;
    const source = Buffer.alloc(64);
    const loop = () => {
      calls++;
      if (!stopped) hash('sha256', source, loop);
    };
    loop();
    await new Promise((resolve) => setTimeout(resolve, 20));
    stopped = true;
    await pool.drain();
    assert.ok(calls > 20, `${calls} calls`);
  });

  it('get the error of a full queue, the call itself does not throw', async () => {
    await pool.drain();
    pool.maxQueued = 3;
    try {
      const source = Buffer.alloc(1_000_000);
      const outcomes = await Promise.all(
        Array.from(
          { length: 50 },
          () => new Promise((resolve) => hash('sha256', source, (...args) => resolve(args))),
        ),
      );
      const failed = outcomes.filter((args) => args.length === 1);
      assert.ok(failed.length > 0 && failed.length < 50, `${failed.length} failed`);
      for (const [error] of failed) assert.strictEqual(error.code, 'ERR_OFFLOOP_QUEUE_FULL');
    } finally {
      pool.maxQueued = Infinity;
    }
  });

  it('get E_CANCELLED from the moment at which the process ends', async () => {
    const { code, stdout, stderr } = await runBare(`
      const native = require('./lib/binding');
      const { hash } = require('./lib/crypto-async');
      const source = Buffer.alloc(8_000_000);
      // What 'exit' listeners cause; here the loop still turns, so that callbacks can be seen.
      native.exit();
      let returned = false;
      for (let i = 0; i < 3; i++) {
        hash('sha256', source, (...args) => console.log(returned, args.length, args[0]?.message));
      }
      returned = true;
    `);
    assert.strictEqual(stderr, '');
    assert.strictEqual(code, 0);
    assert.strictEqual(stdout, `true 1 ${cryptoAsync.E_CANCELLED}\n`.repeat(3));
  });

  it('do not get E_OOM: it is thrown', (context) => {
    const failing = () => {
      throw Object.assign(new RangeError('?'), { code: 'ERR_MEMORY_ALLOCATION_FAILED' });
    };
    context.mock.method(native, 'hash', failing);
    context.mock.method(native, 'hashAsync', failing);
    const expected = { name: 'Error', message: cryptoAsync.E_OOM };
    const never = () => assert.fail('called');
    for (const size of SIZES) {
      assert.throws(() => hash('sha256', Buffer.alloc(size)), expected);
      assert.throws(() => hash('sha256', Buffer.alloc(size), never), expected);
    }
  });

  it('are told of on offloop:job, as every job', async () => {
    /** @type {any[]} */
    const jobs = [];
    const listener = (/** @type {any} */ job) => jobs.push(job);
    diagnostics.subscribe('offloop:job', listener);
    try {
      for (const size of SIZES) {
        await new Promise((resolve) => hash('sha256', Buffer.alloc(size), resolve));
      }
    } finally {
      diagnostics.unsubscribe('offloop:job', listener);
    }
    assert.deepStrictEqual(
      jobs.map(({ operation, bytes }) => [operation, bytes]),
      SIZES.map((size) => ['hash', size]),
    );
  });

  it('each name can be imported on its own', async () => {
    const file = path.join(__dirname, '..', 'lib', 'crypto-async.js');
    const imported = Object.keys(await import(require('node:url').pathToFileURL(file).href));
    for (const name of Object.keys(cryptoAsync)) assert.ok(imported.includes(name), name);
  });
});
