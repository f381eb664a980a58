'use strict';

/** What the drop-in's methods compute, in each form, wherever the buffers lie. */

const assert = require('node:assert');
const crypto = require('node:crypto');
const { describe, it } = require('node:test');

const { cipher, hash, hmac, E_ALGORITHM_DISABLED, E_CORRUPT } = require('../lib/crypto-async');
const { printSeed, randomFor } = require('./helpers/random');

const random = randomFor('crypto-async');
const SMALL = 61;
const LARGE = 100_003;
const names = crypto.getCiphers();

/**
 * A method's result without and with a callback.
 * @type {{ form: string, call: (method: (...args: any[]) => any, args: any[]) => Promise<any> }[]}
 */
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

/** @param {string} name */
function sizesOf(name) {
  const info = /** @type {crypto.CipherInfo} */ (crypto.getCipherInfo(name));
  const aead = info.mode === 'gcm' || /poly1305/i.test(name);
  return { keySize: info.keyLength, ivSize: info.ivLength ?? 0, aead, mode: info.mode };
}

/** @param {string} name */
function isOffered(name) {
  return ['ctr', 'gcm'].includes(sizesOf(name).mode) || /^chacha20/i.test(name);
}

const offered = names.filter(isOffered);

/**
 * What node:crypto makes of it.
 * @param {string} name
 * @param {Uint8Array} key
 * @param {Uint8Array} iv
 * @param {Uint8Array} data
 * @param {Uint8Array} aad
 * @param {number} tagSize
 */
function reference(name, key, iv, data, aad, tagSize) {
  const options = /** @type {any} */ (tagSize > 0 ? { authTagLength: tagSize } : {});
  const encrypting = /** @type {any} */ (crypto.createCipheriv(name, key, iv, options));
  if (tagSize > 0) encrypting.setAAD(aad, { plaintextLength: data.length });
  const target = Buffer.concat([encrypting.update(data), encrypting.final()]);
  return { target, tag: tagSize > 0 ? encrypting.getAuthTag() : Buffer.alloc(0) };
}

/**
 * @param {string} name
 * @param {number} size
 * @param {number} [tagSize]
 */
function messageFor(name, size, tagSize = 16) {
  const { keySize, ivSize, aead } = sizesOf(name);
  const key = random.bytes(keySize);
  const iv = random.bytes(ivSize);
  const data = random.bytes(size);
  const aad = random.bytes(aead ? random.below(40) : 0);
  const expected = reference(name, key, iv, data, aad, aead ? tagSize : 0);
  return { name, aead, key, iv, data, aad, ...expected };
}

/** The arguments of a buffer, an offset and a size, with other bytes around it. @param {Buffer} bytes */
function ranged(bytes) {
  const before = random.below(20);
  const buffer = random.bytes(before + bytes.length + random.below(20));
  bytes.copy(buffer, before);
  return [buffer, before, bytes.length];
}

/**
 * @param {(...args: any[]) => any} task
 * @param {string} message
 */
const rejects = (task, message) =>
  assert.rejects(task, (/** @type {any} */ error) => error.message === message);

describe('crypto-async: ciphers', () => {
  it('the seed', printSeed);

  it('all of a counter or Galois mode, chacha20 and chacha20-poly1305; no others', () => {
    for (const name of ['aes-192-gcm', 'id-aes256-GCM', 'aes-128-ctr', 'chacha20']) {
      assert.ok(
        offered.some((each) => each.toLowerCase() === name.toLowerCase()),
        name,
      );
    }
    for (const name of names.filter((each) => !isOffered(each))) {
      const args = [name, 1, Buffer.alloc(32), Buffer.alloc(16), Buffer.alloc(9)];
      assert.throws(() => /** @type {any} */ (cipher)(...args), { message: E_ALGORITHM_DISABLED });
    }
  });

  for (const { form, call } of forms) {
    for (const name of offered) {
      for (const size of [0, SMALL, LARGE]) {
        it(`${name}, ${size} bytes, ${form}`, async () => {
          const { aead, key, iv, data, aad, target, tag } = messageFor(name, size);
          const place = Buffer.alloc(tag.length);
          const tail = aead ? [aad, place] : [];
          const sealed = await call(cipher, [name.toUpperCase(), 1, key, iv, data, ...tail]);
          assert.ok(Buffer.isBuffer(sealed));
          assert.deepStrictEqual(sealed, target);
          assert.deepStrictEqual(place, tag);
          const opened = await call(cipher, [name, 0, key, iv, sealed, ...tail]);
          assert.deepStrictEqual(opened, data);
        });

        it(`${name}, ${size} bytes, zero-copy, ${form}`, async () => {
          const { aead, key, iv, data, aad, target, tag } = messageFor(name, size);
          const head = (/** @type {number} */ encrypt) => [
            ...[name, encrypt, ...ranged(key), ...ranged(iv)],
          ];
          const place = Buffer.alloc(size + 50, 7);
          const tags = Buffer.alloc(40, 7);
          const tail = aead ? [...ranged(aad), tags, 9, 16] : [];
          const args = [...head(1), ...ranged(data), place, 11, ...tail];
          assert.strictEqual(await call(cipher, args), size);
          const around = Buffer.alloc(size + 50, 7);
          target.copy(around, 11);
          assert.deepStrictEqual(place, around);
          assert.deepStrictEqual(tags.subarray(9, 9 + tag.length), tag);
          assert.ok(tags.subarray(25).every((byte) => byte === 7));
          const opened = Buffer.alloc(size + 3, 7);
          const back = [...head(0), place, 11, size, opened, 2, ...tail];
          assert.strictEqual(await call(cipher, back), size);
          assert.deepStrictEqual(opened.subarray(2, size + 2), data);
          assert.deepStrictEqual([opened[0], opened[1], opened[size + 2]], [7, 7, 7]);
        });
      }
    }

    it(`a cipher without authentication takes an empty aad and tag, ${form}`, async () => {
      const { key, iv, data, target } = messageFor('aes-256-ctr', SMALL);
      const none = Buffer.alloc(0);
      assert.deepStrictEqual(
        await call(cipher, ['aes-256-ctr', 1, key, iv, data, none, none]),
        target,
      );
    });

    for (const tagSize of [4, 8, 12, 15]) {
      it(`a tag of ${tagSize} bytes, ${form}`, async () => {
        for (const name of ['aes-256-gcm', 'chacha20-poly1305']) {
          const { key, iv, data, aad, target, tag } = messageFor(name, SMALL, tagSize);
          const place = Buffer.alloc(tagSize);
          const sealed = await call(cipher, [name, 1, key, iv, data, aad, place]);
          assert.deepStrictEqual([sealed, place], [target, tag]);
          assert.deepStrictEqual(await call(cipher, [name, 0, key, iv, sealed, aad, tag]), data);
          tag[tagSize - 1] ^= 1;
          await rejects(() => call(cipher, [name, 0, key, iv, sealed, aad, tag]), E_CORRUPT);
        }
      });
    }

    it(`what is not authentic is refused, and the target wiped, ${form}`, async () => {
      for (const name of offered.filter((each) => sizesOf(each).aead)) {
        for (const size of [SMALL, LARGE]) {
          const { key, iv, aad, target, tag } = messageFor(name, size);
          const parts = { key, iv, aad, target, tag };
          for (const part of Object.values(parts)) {
            if (part.length === 0) continue;
            const at = random.below(part.length);
            const bit = 1 << random.below(8);
            part[at] ^= bit;
            await rejects(() => call(cipher, [name, 0, key, iv, target, aad, tag]), E_CORRUPT);
            const place = Buffer.alloc(size + 20, 7);
            const tail = [place, 10, ...ranged(aad), ...ranged(tag)];
            const args = [name, 0, ...ranged(key), ...ranged(iv), ...ranged(target), ...tail];
            await rejects(() => call(cipher, args), E_CORRUPT);
            const wiped = Buffer.alloc(size + 20, 7).fill(0, 10, size + 10);
            assert.deepStrictEqual(place, wiped);
            part[at] ^= bit;
          }
        }
      }
    });
  }
});

describe('crypto-async: digests', () => {
  const digests = crypto.getHashes().filter((name) => name.length <= 31);

  for (const { form, call } of forms) {
    it(`every name that node:crypto has, ${form}`, async () => {
      for (const name of [...digests, 'rmd160', 'ssl3-sha1', 'Sha256', 'SHA2-512']) {
        const shake = /^shake(128|256)$/.exec(name);
        const options = shake === null ? {} : { outputLength: Number(shake[1]) / 8 };
        for (const size of [0, SMALL, LARGE]) {
          const data = random.bytes(size);
          const expected = crypto.createHash(name, options).update(data).digest();
          assert.deepStrictEqual(await call(hash, [name, data]), expected, name);
          const place = Buffer.alloc(expected.length + 9, 7);
          const written = await call(hash, [name, ...ranged(data), place, 5]);
          assert.strictEqual(written, expected.length);
          assert.deepStrictEqual(
            place,
            Buffer.concat([Buffer.alloc(5, 7), expected, Buffer.alloc(4, 7)]),
          );
        }
      }
    });

    it(`HMAC over every one of fixed length, ${form}`, async () => {
      for (const name of digests.filter((each) => !/shake|kmac/i.test(each))) {
        for (const size of [0, SMALL, LARGE]) {
          const key = random.bytes(random.pick([0, 20, 64, 200]));
          const data = random.bytes(size);
          const expected = crypto.createHmac(name, key).update(data).digest();
          assert.deepStrictEqual(await call(hmac, [name, key, data]), expected, name);
          const place = Buffer.alloc(expected.length + 9, 7);
          const args = [name, ...ranged(key), ...ranged(data), place, 5];
          assert.strictEqual(await call(hmac, args), expected.length);
          assert.deepStrictEqual(place.subarray(5, -4), expected);
        }
      }
    });

    it(`HMAC over a digest of any length fails, ${form}`, async () => {
      await rejects(() => call(hmac, ['shake128', SMALL_KEY, SMALL_KEY]), 'initialization failed');
    });
  }
});

const SMALL_KEY = Buffer.alloc(20, 1);
