'use strict';

/** Where the drop-in's buffers may lie, what they may be, and what may happen to them. */

const assert = require('node:assert');
const crypto = require('node:crypto');
const { describe, it } = require('node:test');

const cryptoAsync = require('../lib/crypto-async');
const { printSeed, randomFor } = require('./helpers/random');

const random = randomFor('crypto-async buffers');
const { hash, hmac } = cryptoAsync;
/** @type {(...args: any[]) => any} */
const { cipher } = cryptoAsync;

/** The larger size leaves for the pool. */
const SIZES = [0, 1, 61, 100_003];

/** @type {{ form: string, call: (method: (...args: any[]) => any, args: any[]) => Promise<any> }[]} */
const forms = [
  { form: 'at once', call: async (method, args) => method(...args) },
  {
    form: 'with a callback',
    call: (method, args) =>
      new Promise((resolve, reject) => {
        method(...args, (/** @type {any} */ error, /** @type {any} */ result) =>
          error === undefined ? resolve(result) : reject(error),
        );
      }),
  },
];

/**
 * @param {string} name
 * @param {Uint8Array} data
 */
function seal(name, data) {
  const key = random.bytes(32);
  const iv = random.bytes(name === 'aes-256-ctr' ? 16 : 12);
  const cipheriv = /** @type {any} */ (crypto.createCipheriv(name, key, iv));
  const sealed = Buffer.concat([cipheriv.update(data), cipheriv.final()]);
  const tag = name === 'aes-256-ctr' ? Buffer.alloc(0) : cipheriv.getAuthTag();
  return { head: [key, 0, 32, iv, 0, iv.length], sealed, tag };
}

/** @param {Uint8Array} bytes */
const whole = (bytes) => [bytes, 0, bytes.byteLength];
const none = Buffer.alloc(0);

describe('crypto-async: buffers', () => {
  it('the seed', printSeed);

  for (const { form, call } of forms) {
    for (const name of ['aes-256-ctr', 'aes-256-gcm']) {
      for (const size of SIZES) {
        it(`${name} of ${size} bytes in place, and moved within a buffer, ${form}`, async () => {
          for (const shift of [0, 1, -1, 16, -16, Math.ceil(size / 2), -size, size, size + 5]) {
            const data = random.bytes(size);
            const { head, sealed, tag } = seal(name, data);
            const from = size + 20;
            const place = Buffer.alloc(tag.length);
            const buffer = random.bytes(3 * size + 60);
            data.copy(buffer, from);
            const around = Buffer.from(buffer);
            const both = [buffer, from, size, buffer, from + shift];
            const args = [name, 1, ...head, ...both, ...whole(none), ...whole(place)];
            assert.strictEqual(await call(cipher, args), size);
            sealed.copy(around, from + shift);
            assert.deepStrictEqual(buffer, around, `sealed, moved by ${shift}`);
            assert.deepStrictEqual(place, tag);

            const back = [buffer, from + shift, size, buffer, from];
            const opening = [name, 0, ...head, ...back, ...whole(none), ...whole(tag)];
            assert.strictEqual(await call(cipher, opening), size);
            data.copy(around, from);
            assert.deepStrictEqual(buffer, around, `opened, moved by ${shift}`);
          }
        });
      }
    }

    for (const size of SIZES) {
      it(`a tag that lies in the target is read first, written last, ${size}, ${form}`, async () => {
        const data = random.bytes(size);
        const { head, sealed, tag } = seal('aes-256-gcm', data);
        // Tag, then ciphertext; what is opened moves to the front.
        const buffer = Buffer.concat([tag, sealed]);
        const moved = [buffer, 16, size, buffer, 0];
        const args = ['aes-256-gcm', 0, ...head, ...moved, ...whole(none), buffer, 0, 16];
        assert.strictEqual(await call(cipher, args), size);
        assert.deepStrictEqual(buffer.subarray(0, size), data);

        // The plaintext starts where the tag goes.
        const other = Buffer.concat([data, Buffer.alloc(16)]);
        const apart = [other, 0, size, other, 16];
        const sealing = ['aes-256-gcm', 1, ...head, ...apart, ...whole(none), other, 0, 16];
        assert.strictEqual(await call(cipher, sealing), size);
        assert.deepStrictEqual(other, Buffer.concat([tag, sealed]));
      });
    }

    it(`two views of shared memory that overlap, ${form}`, async () => {
      for (const size of SIZES) {
        const shared = new SharedArrayBuffer(size + 10);
        // Another object for the same memory.
        const again = structuredClone(shared);
        const data = random.bytes(size);
        const { head, sealed } = seal('aes-256-ctr', data);
        Buffer.from(shared).set(data);
        const args = [Buffer.from(shared), 0, size, Buffer.from(again), 7];
        assert.strictEqual(await call(cipher, ['aes-256-ctr', 1, ...head, ...args]), size);
        assert.deepStrictEqual(Buffer.from(Buffer.from(again, 7, size)), sealed);
      }
    });

    it(`a digest may be written over what it is of, ${form}`, async () => {
      for (const size of SIZES.slice(2)) {
        const data = random.bytes(size);
        const digest = crypto.createHash('sha256').update(data).digest();
        const buffer = Buffer.from(data);
        assert.strictEqual(await call(hash, ['sha256', buffer, 0, size, buffer, 5]), 32);
        assert.deepStrictEqual(buffer.subarray(5, 37), digest);
        const mac = crypto.createHmac('sha256', data).update(data).digest();
        const other = Buffer.from(data);
        const args = ['sha256', other, 0, size, other, 0, size, other, 0];
        assert.strictEqual(await call(hmac, args), 32);
        assert.deepStrictEqual(other.subarray(0, 32), mac);
      }
    });

    it(`offsets count the bytes of any kind of view, ${form}`, async () => {
      const data = random.bytes(64);
      const expected = crypto.createHash('sha1').update(data.subarray(3, 43)).digest();
      const copy = new Uint8Array(data).buffer;
      const views = [
        ...[new Uint8Array(copy), new Uint16Array(copy), new Float64Array(copy)],
        ...[new DataView(copy), new BigInt64Array(copy), new Int8Array(copy)],
      ];
      for (const view of views) {
        const target = new Uint32Array(8);
        assert.strictEqual(await call(hash, ['sha1', view, 3, 40, target, 5]), 20);
        assert.deepStrictEqual(Buffer.from(target.buffer, 5, 20), expected);
        const place = new DataView(new ArrayBuffer(30));
        assert.strictEqual(await call(hash, ['sha1', view, 3, 40, place, 10]), 20);
        assert.deepStrictEqual(Buffer.from(place.buffer, 10), expected);
      }
    });

    it(`detached buffers are an error, ${form}`, async () => {
      for (const size of [0, 40]) {
        const gone = Buffer.from(new ArrayBuffer(40));
        structuredClone(gone.buffer, { transfer: [gone.buffer] });
        const target = Buffer.alloc(32);
        const expected =
          size === 0
            ? { code: 'ERR_OFFLOOP_DETACHED' }
            : { message: cryptoAsync.E_SOURCE_RANGE, code: undefined };
        await assert.rejects(call(hash, ['sha256', gone, 0, size, target, 0]), (error) => {
          const { message, code } = /** @type {any} */ (error);
          assert.deepStrictEqual({ message, code, ...expected }, { message, code });
          return true;
        });
      }
    });
  }

  it('what the arguments cannot be is thrown, not passed to the callback', () => {
    const gone = Buffer.from(new ArrayBuffer(40));
    structuredClone(gone.buffer, { transfer: [gone.buffer] });
    const never = () => assert.fail('called');
    assert.throws(() => hash('sha256', gone, never), { code: 'ERR_OFFLOOP_DETACHED' });
    const resizable = new /** @type {any} */ (ArrayBuffer)(64, { maxByteLength: 128 });
    const view = Buffer.from(resizable);
    assert.throws(() => hash('sha256', view, never), { code: 'ERR_INVALID_ARG_VALUE' });
    assert.throws(() => hash('sha256', Buffer.alloc(9), 0, 9, view, 0, never), {
      code: 'ERR_INVALID_ARG_VALUE',
    });
    assert.strictEqual(hash('sha256', view).length, 32);
  });

  it('a target that is detached during the job', async () => {
    const data = random.bytes(4_000_000);
    const target = Buffer.from(new ArrayBuffer(data.length));
    const { head } = seal('aes-256-ctr', data);
    const args = ['aes-256-ctr', 1, ...head, ...whole(data), target, 0];
    const pending = forms[1].call(cipher, args);
    structuredClone(target.buffer, { transfer: [target.buffer] });
    await assert.rejects(pending, { code: 'ERR_OFFLOOP_DETACHED' });
  });

  it('keys, IVs, additional data and tags may change after an asynchronous call', async () => {
    const data = random.bytes(100_003);
    const { head, sealed, tag } = seal('aes-256-gcm', data);
    const target = Buffer.alloc(data.length);
    const args = [...head, ...whole(sealed), target, 0, ...whole(none), ...whole(tag)];
    const pending = forms[1].call(cipher, ['aes-256-gcm', 0, ...args]);
    for (const view of [head[0], head[3], tag]) /** @type {Buffer} */ (view).fill(0);
    assert.strictEqual(await pending, data.length);
    assert.deepStrictEqual(target, data);
  });
});
