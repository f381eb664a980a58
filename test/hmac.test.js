'use strict';

const assert = require('node:assert');
const crypto = require('node:crypto');
const { describe, it } = require('node:test');

const offloop = require('..');
const { forms } = require('./helpers/forms');
const { watchedKey } = require('./helpers/keys');
const vectors = require('./vectors/hmac.json');

const { hashes, hmac } = offloop;
const hex = (/** @type {string} */ text) => Buffer.from(text, 'hex');

describe('hmac: published vectors', () => {
  for (const { form, call } of forms) {
    it(form, async () => {
      for (const { source, algorithm, key, data, mac } of vectors) {
        const result = await call('hmac', [algorithm, hex(key), hex(data)]);
        // RFC 4231's fifth case gives the first half only.
        assert.strictEqual(result.toString('hex').slice(0, mac.length), mac, source);
        assert.ok(mac.length === 2 * result.length || source.endsWith('case 5'));
      }
    });
  }
});

describe('hmac: algorithms', () => {
  it('every digest of fixed length agrees with node:crypto, keys of any length', async () => {
    let tried = 0;
    for (const algorithm of hashes) {
      if (/^(shake|keccak)/.test(algorithm)) continue;
      for (const size of [0, 1, 20, 63, 64, 65, 127, 128, 129, 143, 144, 145, 200, 5000]) {
        const key = Buffer.alloc(size, size + 1);
        let expected;
        try {
          expected = crypto.createHmac(algorithm, key).update('data').digest();
        } catch {
          continue;
        }
        for (const { call } of forms) {
          assert.deepStrictEqual(await call('hmac', [algorithm, key, 'data']), expected);
        }
        tried++;
      }
    }
    assert.ok(tried > 150, `${tried} pairs of digest and key`);
  });

  it('of extendable output are refused', () => {
    for (const algorithm of ['shake128', 'shake256']) {
      assert.throws(() => hmac(algorithm, 'k', 'd'), { code: 'ERR_OFFLOOP_UNKNOWN_ALGORITHM' });
    }
  });
});

describe('hmac: keys', () => {
  const expected = crypto.createHmac('sha256', 'Schlüssel').update('data').digest('hex');

  it('may be text, bytes of any shape or a secret KeyObject', async () => {
    const bytes = Buffer.from('Schlüssel');
    const shared = new SharedArrayBuffer(bytes.length);
    new Uint8Array(shared).set(bytes);
    const even = Buffer.from('Schlüssel');
    const keys = [
      'Schlüssel',
      bytes,
      new Uint8Array(bytes),
      new Uint8Array(bytes).buffer,
      shared,
      new DataView(new Uint8Array(bytes).buffer),
      new Uint16Array(new Uint8Array(even).buffer, 0, even.length / 2),
      crypto.createSecretKey(bytes),
    ];
    for (const key of keys) {
      for (const { call } of forms) {
        const result = await call('hmac', ['sha256', key, 'data'], { outputEncoding: 'hex' });
        assert.strictEqual(result, expected);
      }
    }
  });

  it('that are public or private are refused', async () => {
    const pair = crypto.generateKeyPairSync('ed25519');
    for (const key of [pair.publicKey, pair.privateKey]) {
      for (const { call } of forms) {
        await assert.rejects(call('hmac', ['sha256', key, 'data']), {
          code: 'ERR_INVALID_ARG_VALUE',
        });
      }
    }
  });

  it('are the call’s from submission on', async () => {
    for (const { call, leaves } of forms) {
      if (!leaves) continue;
      const key = Buffer.from('Schlüssel');
      const promise = call('hmac', ['sha256', key, 'data'], { outputEncoding: 'hex' });
      key.fill(0);
      assert.strictEqual(await promise, expected);
    }
  });

  it('of one call leave nothing to the next', async () => {
    const empty = crypto.createHmac('sha256', '').update('data').digest('hex');
    for (const { call } of forms) {
      for (const [key, mac] of [
        ['Schlüssel', expected],
        ['', empty],
        ['Schlüssel', expected],
      ]) {
        const result = await call('hmac', ['sha256', key, 'data'], { outputEncoding: 'hex' });
        assert.strictEqual(result, mac);
      }
    }
  });

  it('exported from a KeyObject are wiped, also where the call fails', async () => {
    const failures = [
      [['sha256', 'K', 'data'], {}],
      [['sha256', 'K', 7], {}],
      [['sha256', 'K', 'data'], { target: new Uint8Array(1) }],
      [['sha256', 'K', 'data'], { target: 7 }],
      [['sha256', 'K', 'data'], { outputEncoding: 'none' }],
      [['sha256', 'K', 'data'], 7],
    ];
    for (const { call } of forms) {
      for (const [[algorithm, , data], options] of failures) {
        const { key, exported } = watchedKey(32);
        await call('hmac', [algorithm, key, data], /** @type {any} */ (options)).catch(() => {});
        for (const copy of exported) assert.ok(copy.every((byte) => byte === 0));
      }
    }
  });
});

describe('hmac: results', () => {
  it('go to a target or are strings, as those of hash', async () => {
    const expected = crypto.createHmac('sha1', 'k').update('d').digest();
    for (const { call } of forms) {
      const target = new Uint8Array(30).fill(0xee);
      const result = await call('hmac', ['sha1', 'k', 'd'], { target });
      assert.deepStrictEqual(result, target.subarray(0, 20));
      assert.deepStrictEqual(Buffer.from(result), expected);
      assert.deepStrictEqual(target.subarray(20), new Uint8Array(10).fill(0xee));
      await assert.rejects(call('hmac', ['sha1', 'k', 'd'], { target: new Uint8Array(19) }), {
        code: 'ERR_OUT_OF_RANGE',
      });
      const text = await call('hmac', ['sha1', 'k', 'd'], { outputEncoding: 'base64' });
      assert.strictEqual(text, expected.toString('base64'));
      await assert.rejects(
        call('hmac', ['sha1', 'k', 'd'], { outputEncoding: 'hex', target: new Uint8Array(20) }),
        { code: 'ERR_INVALID_ARG_VALUE' },
      );
    }
  });

  it('of more data than one chunk of work are whole', async () => {
    const data = Buffer.alloc(2 * 2 ** 20 + 17, 'offloop');
    const expected = crypto.createHmac('sha512', 'k').update(data).digest();
    for (const { call } of forms) {
      assert.deepStrictEqual(await call('hmac', ['sha512', 'k', data]), expected);
    }
  });
});
