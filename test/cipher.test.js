'use strict';

const assert = require('node:assert');
const crypto = require('node:crypto');
const { describe, it } = require('node:test');

const offloop = require('..');
const { forms } = require('./helpers/forms');
const { watchedKey } = require('./helpers/keys');
const { reference, sizes } = require('./helpers/reference');
const vectors = require('./vectors/cipher.json');

const { ciphers, decrypt, encrypt } = offloop;

const hex = (/** @type {string} */ text) => Buffer.from(text, 'hex');
const aeads = ciphers.filter((name) => sizes[name].aead);
const AUTHENTICATION = { name: 'Error', code: 'ERR_OFFLOOP_AUTHENTICATION' };
const OUT_OF_RANGE = { name: 'RangeError', code: 'ERR_OUT_OF_RANGE' };
const OVERLAP = { name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' };

/** Bytes whose values depend on their place. */
const pattern = (/** @type {number} */ size) =>
  Buffer.from(Array.from({ length: size }, (_, i) => i * 7 + 3));

/** @param {string} algorithm */
const keyAndIv = (algorithm) => [pattern(sizes[algorithm].key), pattern(sizes[algorithm].iv)];

describe('ciphers: published vectors', () => {
  it('cover every cipher', () => {
    assert.deepStrictEqual([...new Set(vectors.map(({ algorithm }) => algorithm))].sort(), ciphers);
    assert.ok(Object.isFrozen(ciphers));
  });

  for (const { form, call } of forms) {
    it(form, async () => {
      for (const vector of vectors) {
        const { source, algorithm } = vector;
        const [key, iv, plaintext] = [hex(vector.key), hex(vector.iv), hex(vector.plaintext)];
        const aad = vector.aad === undefined ? undefined : hex(vector.aad);
        const ciphertext = hex(vector.ciphertext + (vector.tag ?? ''));
        const options = { aad };
        const sealed = await call('encrypt', [algorithm, key, iv, plaintext], options);
        assert.ok(Buffer.isBuffer(sealed));
        assert.deepStrictEqual(sealed, ciphertext, source);
        assert.deepStrictEqual(
          await call('decrypt', [algorithm, key, iv, ciphertext], options),
          plaintext,
          source,
        );
        if (vector.tag === undefined) continue;
        const tag = Buffer.alloc(16);
        const apart = await call('encrypt', [algorithm, key, iv, plaintext], { aad, tag });
        assert.deepStrictEqual(apart, hex(vector.ciphertext), source);
        assert.deepStrictEqual(tag, hex(vector.tag), source);
        assert.deepStrictEqual(
          await call('decrypt', [algorithm, key, iv, apart], { aad, tag }),
          plaintext,
          source,
        );
      }
    });
  }
});

describe('ciphers: authentication', () => {
  it('a change of any byte is noticed, and nothing of the plaintext is left', async () => {
    for (const algorithm of aeads) {
      const [key, iv] = keyAndIv(algorithm);
      const aad = pattern(21);
      const sealed = encrypt(algorithm, key, iv, pattern(35), { aad });
      for (const { call } of forms) {
        for (const part of [key, iv, aad, sealed]) {
          for (let at = 0; at < part.length; at++) {
            const target = Buffer.alloc(60, 0xee);
            part[at] ^= 1 << (at % 8);
            await assert.rejects(
              call('decrypt', [algorithm, key, iv, sealed], { aad, target }),
              AUTHENTICATION,
            );
            part[at] ^= 1 << (at % 8);
            assert.deepStrictEqual(target.subarray(0, 35), Buffer.alloc(35));
            assert.deepStrictEqual(target.subarray(35), Buffer.alloc(25, 0xee));
          }
        }
        const back = await call('decrypt', [algorithm, key, iv, sealed], { aad });
        assert.deepStrictEqual(back, pattern(35));
      }
    }
  });

  it('a change of any byte of a tag apart is noticed', async () => {
    for (const algorithm of aeads) {
      const [key, iv] = keyAndIv(algorithm);
      const tag = Buffer.alloc(16);
      const sealed = encrypt(algorithm, key, iv, pattern(35), { tag });
      for (const { call } of forms) {
        for (let at = 0; at < tag.length; at++) {
          const target = Buffer.alloc(35, 0xee);
          const wrong = Buffer.from(tag);
          wrong[at] ^= 0x80;
          const before = Buffer.from(wrong);
          await assert.rejects(
            call('decrypt', [algorithm, key, iv, sealed], { tag: wrong, target }),
            AUTHENTICATION,
          );
          assert.deepStrictEqual(target, Buffer.alloc(35));
          assert.deepStrictEqual(wrong, before);
        }
      }
    }
  });

  it('a failure in place leaves no plaintext, in messages of several chunks too', async () => {
    const size = 2 * 2 ** 20 + 100;
    for (const algorithm of aeads) {
      const [key, iv] = keyAndIv(algorithm);
      const sealed = encrypt(algorithm, key, iv, Buffer.alloc(size, 'secret'));
      sealed[size] ^= 1;
      for (const { call } of forms) {
        const data = Buffer.from(sealed);
        await assert.rejects(
          call('decrypt', [algorithm, key, iv, data], { target: data }),
          AUTHENTICATION,
        );
        assert.ok(data.subarray(0, size).equals(Buffer.alloc(size)));
        assert.deepStrictEqual(data.subarray(size), sealed.subarray(size));
      }
    }
  });

  it('data shorter than its tag is not authentic', async () => {
    for (const algorithm of aeads) {
      const [key, iv] = keyAndIv(algorithm);
      for (const { call } of forms) {
        for (const size of [0, 1, 15]) {
          await assert.rejects(
            call('decrypt', [algorithm, key, iv, Buffer.alloc(size)]),
            AUTHENTICATION,
          );
        }
      }
    }
  });

  it('a failure is followed by a success', async () => {
    for (const algorithm of aeads) {
      const [key, iv] = keyAndIv(algorithm);
      const sealed = encrypt(algorithm, key, iv, 'ab'.repeat(10) && pattern(20));
      for (const { call } of forms) {
        await assert.rejects(
          call('decrypt', [algorithm, key, iv, Buffer.alloc(40)]),
          AUTHENTICATION,
        );
        const back = await call('decrypt', [algorithm, key, iv, sealed]);
        assert.deepStrictEqual(back, pattern(20));
      }
    }
  });
});

describe('ciphers: tag lengths', () => {
  it('of GCM are 12 to 16, or 4 and 8 where asked for', async () => {
    for (const algorithm of aeads.filter((name) => name.endsWith('gcm'))) {
      const [key, iv] = keyAndIv(algorithm);
      for (const { call } of forms) {
        const whole = await call('encrypt', [algorithm, key, iv, pattern(20)]);
        for (let tagLength = 0; tagLength <= 20; tagLength++) {
          const sealing = call('encrypt', [algorithm, key, iv, pattern(20)], { tagLength });
          if (![4, 8, 12, 13, 14, 15, 16].includes(tagLength)) {
            await assert.rejects(sealing, {
              name: 'TypeError',
              code: 'ERR_CRYPTO_INVALID_AUTH_TAG',
            });
            continue;
          }
          const sealed = await sealing;
          assert.deepStrictEqual(sealed, whole.subarray(0, 20 + tagLength));
          const back = await call('decrypt', [algorithm, key, iv, sealed], { tagLength });
          assert.deepStrictEqual(back, pattern(20));
        }
      }
    }
  });

  it('of Poly1305 is 16', async () => {
    const [key, iv] = keyAndIv('chacha20-poly1305');
    for (const { call } of forms) {
      for (const tagLength of [0, 4, 8, 12, 15, 17, 16.5, NaN]) {
        await assert.rejects(
          call('encrypt', ['chacha20-poly1305', key, iv, pattern(20)], { tagLength }),
          { code: 'ERR_CRYPTO_INVALID_AUTH_TAG' },
        );
      }
    }
  });

  it('are never inferred', async () => {
    for (const { call } of forms) {
      const [key, iv] = keyAndIv('aes-256-gcm');
      const sealed = encrypt('aes-256-gcm', key, iv, pattern(20), { tagLength: 12 });
      await assert.rejects(call('decrypt', ['aes-256-gcm', key, iv, sealed]), AUTHENTICATION);
      const tag = sealed.subarray(20);
      const data = sealed.subarray(0, 20);
      await assert.rejects(call('decrypt', ['aes-256-gcm', key, iv, data], { tag }), OUT_OF_RANGE);
      const back = await call('decrypt', ['aes-256-gcm', key, iv, data], { tag, tagLength: 12 });
      assert.deepStrictEqual(back, pattern(20));
    }
  });

  it('a larger tag buffer is used from its start', async () => {
    const [key, iv] = keyAndIv('aes-128-gcm');
    const whole = encrypt('aes-128-gcm', key, iv, pattern(20));
    for (const { call } of forms) {
      const tag = Buffer.alloc(30, 0xee);
      const sealed = await call('encrypt', ['aes-128-gcm', key, iv, pattern(20)], { tag });
      assert.deepStrictEqual(tag.subarray(0, 16), whole.subarray(20));
      assert.deepStrictEqual(tag.subarray(16), Buffer.alloc(14, 0xee));
      const back = await call('decrypt', ['aes-128-gcm', key, iv, sealed], { tag });
      assert.deepStrictEqual(back, pattern(20));
    }
  });
});

describe('ciphers: names, keys and IVs', () => {
  it('names are taken in any case', async () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    for (const { call } of forms) {
      const one = await call('encrypt', ['AES-256-GCM', key, iv, pattern(5)]);
      assert.deepStrictEqual(one, encrypt('aes-256-gcm', key, iv, pattern(5)));
    }
  });

  it('others are refused, with the reason', async () => {
    const [key, iv] = keyAndIv('aes-256-ctr');
    /** @type {[string, RegExp][]} */
    const names = [
      ['aes-256-cbc', /authenticate/],
      ['aes-128-cfb8', /authenticate/],
      ['aes-256-ofb', /authenticate/],
      ['aes-256-ecb', /ECB/],
      ['aes-256-ccm', /not offered/],
      ['aes-256-ocb', /not offered/],
      ['aes-256-xts', /not offered/],
      ['id-aes256-wrap', /not offered/],
      ['id-aes256-GCM', /offered are/],
      ['camellia-256-ctr', /offered are/],
      ['rc4', /offered are/],
      ['null', /offered are/],
      ['', /offered are/],
      ['aes-256-ctr\0', /offered are/],
      [' aes-256-ctr', /offered are/],
      ['constructor', /offered are/],
      ['x'.repeat(1e6), /offered are/],
    ];
    for (const { call } of forms) {
      for (const [name, message] of names) {
        for (const operation of ['encrypt', 'decrypt']) {
          await assert.rejects(call(operation, [name, key, iv, pattern(5)]), {
            name: 'Error',
            code: 'ERR_OFFLOOP_UNKNOWN_ALGORITHM',
            message,
          });
        }
      }
    }
  });

  it('keys and IVs of any other length are refused', async () => {
    for (const algorithm of ciphers) {
      const { key, iv } = sizes[algorithm];
      for (const { call } of forms) {
        for (const size of [0, 1, 8, 12, 15, 16, 17, 23, 24, 25, 31, 32, 33, 64, 65, 1000]) {
          for (const operation of ['encrypt', 'decrypt']) {
            if (size !== key) {
              await assert.rejects(
                call(operation, [algorithm, pattern(size), pattern(iv), pattern(50)]),
                { name: 'RangeError', code: 'ERR_CRYPTO_INVALID_KEYLEN' },
              );
            }
            if (size !== iv) {
              await assert.rejects(
                call(operation, [algorithm, pattern(key), pattern(size), pattern(50)]),
                { name: 'TypeError', code: 'ERR_CRYPTO_INVALID_IV' },
              );
            }
          }
        }
      }
    }
  });

  it('keys may be secret KeyObjects; others are refused', async () => {
    const { publicKey } = crypto.generateKeyPairSync('ed25519');
    for (const algorithm of ciphers) {
      const [key, iv] = keyAndIv(algorithm);
      const expected = encrypt(algorithm, key, iv, pattern(50));
      for (const { call } of forms) {
        const object = crypto.createSecretKey(key);
        assert.deepStrictEqual(
          await call('encrypt', [algorithm, object, iv, pattern(50)]),
          expected,
        );
        await assert.rejects(call('encrypt', [algorithm, publicKey, iv, pattern(50)]), {
          code: 'ERR_INVALID_ARG_VALUE',
        });
      }
    }
  });

  it('what a KeyObject exports is wiped, also where the call fails', async () => {
    const iv = pattern(12);
    const large = Buffer.alloc(5 * 2 ** 20);
    /** @type {[string, number, any[], any][]} */
    const calls = [
      ['aes-256-gcm', 32, [iv, pattern(50)], {}],
      ['aes-256-gcm', 31, [iv, pattern(50)], {}],
      ['aes-256-gcm', 32, [pattern(11), pattern(50)], {}],
      ['aes-256-gcm', 32, [7, pattern(50)], {}],
      ['aes-256-gcm', 32, [iv, 7], {}],
      ['aes-256-gcm', 32, [iv, pattern(50)], 7],
      ['aes-256-gcm', 32, [iv, pattern(50)], { aad: 7 }],
      ['aes-256-gcm', 32, [iv, pattern(50)], { tagLength: 7 }],
      ['aes-256-gcm', 32, [iv, pattern(50)], { target: Buffer.alloc(1) }],
      ['aes-256-ctr', 32, [pattern(16), large], {}],
      ['aes-256-ctr', 31, [pattern(16), large], {}],
      ['aes-256-ctr', 32, [pattern(16), large], { target: large.subarray(1) }],
    ];
    for (const { call } of forms) {
      for (const operation of ['encrypt', 'decrypt']) {
        for (const [algorithm, size, rest, options] of calls) {
          const { key, exported } = watchedKey(size);
          await call(operation, [algorithm, key, ...rest], options).catch(() => {});
          for (const copy of exported) assert.deepStrictEqual(copy, Buffer.alloc(size));
        }
      }
    }
  });

  it('keys, IVs, AAD and tags are the call’s from submission on', async () => {
    for (const algorithm of ciphers) {
      const { aead } = sizes[algorithm];
      for (const size of aead ? [50, 2 ** 20] : [50, 2 ** 20, 5 * 2 ** 20]) {
        const data = Buffer.alloc(size, 'data');
        const expected = reference(algorithm, ...keyAndIv(algorithm), data, { aad: pattern(9) });
        for (const { call, leaves } of forms) {
          if (!leaves) continue;
          const [key, iv] = keyAndIv(algorithm);
          const aad = pattern(9);
          const sealing = call('encrypt', [algorithm, key, iv, data], aead ? { aad } : undefined);
          for (const bytes of [key, iv, aad]) bytes.fill(0);
          const sealed = await sealing;
          assert.ok(sealed.equals(expected), algorithm);
          if (!aead) continue;
          const [again, againIv] = keyAndIv(algorithm);
          const tag = Buffer.from(sealed.subarray(size));
          const opening = call('decrypt', [algorithm, again, againIv, sealed.subarray(0, size)], {
            aad: pattern(9),
            tag,
          });
          for (const bytes of [again, againIv, tag]) bytes.fill(0);
          assert.ok((await opening).equals(data));
        }
      }
    }
  });
});

describe('ciphers: targets', () => {
  it('hold the result at their start and nothing else', async () => {
    class Mine extends Uint8Array {}
    for (const algorithm of ciphers) {
      const [key, iv] = keyAndIv(algorithm);
      const expected = encrypt(algorithm, key, iv, pattern(50));
      for (const { call } of forms) {
        for (const Type of [Buffer, Uint8Array, Mine]) {
          const store = new ArrayBuffer(120);
          const target = Type === Buffer ? Buffer.from(store, 9, 100) : new Type(store, 9, 100);
          target.fill(0xee);
          const result = await call('encrypt', [algorithm, key, iv, pattern(50)], { target });
          assert.strictEqual(Object.getPrototypeOf(result), Type.prototype);
          assert.strictEqual(result.buffer, store);
          assert.strictEqual(result.byteOffset, 9);
          assert.deepStrictEqual(Buffer.from(result), expected);
          for (const byte of target.subarray(expected.length)) assert.strictEqual(byte, 0xee);
          const back = new Uint8Array(50);
          const plain = await call('decrypt', [algorithm, key, iv, result], { target: back });
          assert.strictEqual(plain, back);
          assert.deepStrictEqual(Buffer.from(back), pattern(50));
        }
      }
    }
  });

  it('too small are refused, untouched', async () => {
    for (const algorithm of ciphers) {
      const [key, iv] = keyAndIv(algorithm);
      const sealed = encrypt(algorithm, key, iv, pattern(50));
      for (const { call } of forms) {
        for (const [operation, data, size] of [
          ['encrypt', pattern(50), sealed.length - 1],
          ['encrypt', pattern(50), 0],
          ['decrypt', sealed, 49],
        ]) {
          const target = Buffer.alloc(size, 0xee);
          await assert.rejects(
            call(operation, [algorithm, key, iv, data], { target }),
            OUT_OF_RANGE,
          );
          assert.deepStrictEqual(target, Buffer.alloc(size, 0xee));
        }
      }
    }
  });

  it('may be just where the data is', async () => {
    for (const algorithm of ciphers) {
      const [key, iv] = keyAndIv(algorithm);
      for (const size of [0, 1, 50, 5000, 2 ** 20 + 3, 5 * 2 ** 20 + 3]) {
        const plaintext = Buffer.alloc(size, 'plaintext');
        const expected = reference(algorithm, key, iv, plaintext);
        for (const { call } of forms) {
          const store = Buffer.alloc(size + 16);
          plaintext.copy(store);
          const data = store.subarray(0, size);
          const sealed = await call('encrypt', [algorithm, key, iv, data], { target: store });
          assert.ok(sealed.equals(expected));
          const opened = await call('decrypt', [algorithm, key, iv, sealed], { target: sealed });
          assert.ok(opened.equals(plaintext));
        }
      }
    }
  });

  it('that overlap the data otherwise are refused, untouched', async () => {
    for (const algorithm of ciphers) {
      const [key, iv] = keyAndIv(algorithm);
      for (const size of [40, 200_000, 5 * 2 ** 20]) {
        const store = Buffer.alloc(2 * size + 32, 0xee);
        for (const { call } of forms) {
          for (const shift of [1, 16, size - 1, -1, -16, 1 - size]) {
            const from = Math.max(0, -shift);
            const data = store.subarray(from, from + size);
            const at = from + shift;
            const target = store.subarray(at, at + size + 16);
            if (shift < 0 && at + size + 16 <= from) continue;
            await assert.rejects(call('encrypt', [algorithm, key, iv, data], { target }), OVERLAP);
          }
        }
        assert.ok(store.every((byte) => byte === 0xee));
      }
    }
  });

  it('may lie beside the data', async () => {
    for (const algorithm of ciphers) {
      const [key, iv] = keyAndIv(algorithm);
      const expected = encrypt(algorithm, key, iv, pattern(40));
      for (const { call } of forms) {
        for (const [from, to] of [
          [0, 40],
          [56, 0],
        ]) {
          const store = Buffer.alloc(96);
          pattern(40).copy(store, from);
          const data = store.subarray(from, from + 40);
          const target = store.subarray(to, to + expected.length);
          await call('encrypt', [algorithm, key, iv, data], { target });
          assert.deepStrictEqual(target, expected);
          assert.deepStrictEqual(data, pattern(40));
        }
      }
    }
  });

  it('must not overlap a tag apart, nor may the data', async () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    for (const { call } of forms) {
      const store = Buffer.alloc(200);
      const data = store.subarray(0, 40);
      for (const [target, tag] of [
        [store.subarray(40, 80), store.subarray(30, 46)],
        [store.subarray(40, 80), store.subarray(79, 95)],
        [store.subarray(0, 40), store.subarray(0, 16)],
      ]) {
        for (const operation of ['encrypt', 'decrypt']) {
          await assert.rejects(
            call(operation, ['aes-256-gcm', key, iv, data], { target, tag }),
            OVERLAP,
          );
        }
      }
      const target = store.subarray(40, 80);
      const tag = store.subarray(80, 96);
      const sealed = await call('encrypt', ['aes-256-gcm', key, iv, data], { target, tag });
      assert.strictEqual(sealed, target);
      assert.deepStrictEqual(decrypt('aes-256-gcm', key, iv, sealed, { tag }), Buffer.alloc(40));
    }
  });
});

describe('ciphers: options of AEADs', () => {
  it('are refused for others', async () => {
    for (const algorithm of ciphers.filter((name) => !sizes[name].aead)) {
      const [key, iv] = keyAndIv(algorithm);
      for (const { call } of forms) {
        for (const options of [
          { aad: Buffer.alloc(0) },
          { aad: pattern(5) },
          { tag: Buffer.alloc(16) },
          { tagLength: 16 },
        ]) {
          await assert.rejects(call('encrypt', [algorithm, key, iv, pattern(5)], options), {
            code: 'ERR_INVALID_ARG_VALUE',
          });
        }
      }
    }
  });

  it('AAD of any size counts', async () => {
    for (const algorithm of aeads) {
      const [key, iv] = keyAndIv(algorithm);
      for (const size of [0, 1, 15, 16, 17, 1000, 2 ** 20 + 5]) {
        const aad = Buffer.alloc(size, 'aad');
        const expected = reference(algorithm, key, iv, pattern(33), { aad });
        for (const { call } of forms) {
          const sealed = await call('encrypt', [algorithm, key, iv, pattern(33)], { aad });
          assert.deepStrictEqual(sealed, expected);
        }
      }
    }
  });
});

describe('ciphers: counters', () => {
  it('wrap around as node:crypto’s do, in large messages too', async () => {
    /** @type {[string, string[]][]} */
    const starts = [
      [
        'aes-256-ctr',
        [
          'ff'.repeat(16),
          `${'ff'.repeat(15)}fe`,
          `${'00'.repeat(12)}fffffff0`,
          `00${'ff'.repeat(15)}`,
        ],
      ],
      [
        'chacha20',
        [
          'ffffffff'.padEnd(32, '0'),
          'feffffffffffffff'.padEnd(32, '7'),
          'f0ffffff'.padEnd(32, 'f'),
        ],
      ],
    ];
    for (const [algorithm, ivs] of starts) {
      const key = pattern(32);
      for (const iv of ivs.map(hex)) {
        for (const size of [16, 64, 65, 200, 4096, 2 ** 20 + 1, 6 * 2 ** 20 + 77]) {
          const data = Buffer.alloc(size, 'counter');
          const expected = reference(algorithm, key, iv, data);
          for (const { call } of forms) {
            const sealed = await call('encrypt', [algorithm, key, iv, data]);
            assert.ok(sealed.equals(expected), `${algorithm} ${iv.toString('hex')} ${size}`);
          }
        }
      }
    }
  });

  it('at the wrap do not depend on where a large message is cut', async () => {
    const key = pattern(32);
    const size = 8 * 2 ** 20;
    const data = Buffer.alloc(size, 'counter');
    for (const blocks of [1, 2 ** 15, 2 ** 16, 2 ** 16 + 1]) {
      const iv = Buffer.alloc(16);
      iv.writeUInt32LE(2 ** 32 - blocks);
      assert.ok(
        (await offloop.encryptAsync('chacha20', key, iv, data)).equals(
          reference('chacha20', key, iv, data),
        ),
      );
    }
  });
});

describe('ciphers: shapes of every argument', () => {
  it('all kinds of views and buffers mean their bytes', async () => {
    for (const algorithm of ciphers) {
      const { aead } = sizes[algorithm];
      for (const size of [64, 5 * 2 ** 20]) {
        if (aead && size > 64) continue;
        const [key, iv] = keyAndIv(algorithm);
        const data = Buffer.alloc(size, 'data');
        const aad = pattern(16);
        const expected = reference(algorithm, key, iv, data, { aad });
        for (const { call } of forms) {
          for (const shape of shapes) {
            const options = aead ? { aad: shape(aad) } : undefined;
            const sealed = await call(
              'encrypt',
              [algorithm, shape(key), shape(iv), shape(data)],
              options,
            );
            assert.ok(sealed.equals(expected), `${algorithm} ${shape.name}`);
            const opened = await call(
              'decrypt',
              [algorithm, shape(key), shape(iv), shape(sealed)],
              options,
            );
            assert.ok(opened.equals(data));
          }
        }
      }
    }
  });
});

/** The bytes themselves, in a buffer of their own. */
const copy = (/** @type {Uint8Array} */ bytes) => new Uint8Array(bytes).buffer;

/** @type {((bytes: Uint8Array) => any)[]} */
const shapes = [
  function buffer(bytes) {
    return Buffer.from(bytes);
  },
  function arrayBuffer(bytes) {
    return copy(bytes);
  },
  function sharedArrayBuffer(bytes) {
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    return shared;
  },
  function dataView(bytes) {
    return new DataView(copy(bytes));
  },
  function int8Array(bytes) {
    return new Int8Array(copy(bytes));
  },
  function uint8ClampedArray(bytes) {
    return new Uint8ClampedArray(copy(bytes));
  },
  function uint16Array(bytes) {
    return bytes.length % 2 === 0 ? new Uint16Array(copy(bytes)) : Buffer.from(bytes);
  },
  function float32Array(bytes) {
    return bytes.length % 4 === 0 ? new Float32Array(copy(bytes)) : Buffer.from(bytes);
  },
  function bigUint64Array(bytes) {
    return bytes.length % 8 === 0 ? new BigUint64Array(copy(bytes)) : Buffer.from(bytes);
  },
  function atAnOffset(bytes) {
    const store = Buffer.concat([Buffer.alloc(5), bytes, Buffer.alloc(3)]);
    return new Uint8Array(store.buffer, store.byteOffset + 5, bytes.length);
  },
];
