'use strict';

const assert = require('node:assert');
const crypto = require('node:crypto');
const { describe, it } = require('node:test');

const offloop = require('..');
const { forms } = require('./helpers/forms');
const vectors = require('./vectors/hash.json');

const { hash, hashAsync, hashes } = offloop;

/** @param {{ text?: string, hex?: string, repeat?: number }} vector */
function message({ text = '', hex, repeat = 1 }) {
  const once = hex === undefined ? Buffer.from(text) : Buffer.from(hex, 'hex');
  return Buffer.concat(Array(repeat).fill(once));
}

/** What a thread's kept contexts have seen before must not matter. */
const offered = vectors.filter(({ algorithm }) => hashes.includes(algorithm));

describe('hash: published vectors', () => {
  for (const { form, call } of forms) {
    it(form, async () => {
      for (const vector of offered) {
        const { source, algorithm, digest } = vector;
        const size = digest.length / 2;
        const options = algorithm.startsWith('shake') ? { outputLength: size } : undefined;
        const result = await call('hash', [algorithm, message(vector)], options);
        assert.ok(Buffer.isBuffer(result));
        assert.strictEqual(result.toString('hex'), digest, `${source} ${algorithm}`);
      }
    });
  }

  it('cover every digest of SHA-1, SHA-2, SHA-3 and BLAKE2 on this Node', () => {
    const tested = new Set(offered.map(({ algorithm }) => algorithm));
    for (const algorithm of hashes) {
      if (/^(sha|blake)/.test(algorithm)) assert.ok(tested.has(algorithm), algorithm);
    }
    assert.ok(tested.size >= 16);
  });
});

describe('hash: names', () => {
  it('every name in `hashes` works in every form', async () => {
    for (const algorithm of hashes) {
      const length = hash(
        algorithm,
        'x',
        /kmac/.test(algorithm) ? { outputLength: 32 } : {},
      ).length;
      assert.ok(length >= 16, algorithm);
      for (const { call } of forms) {
        const result = await call('hash', [algorithm, 'x'], { outputLength: length });
        assert.strictEqual(result.length, length);
      }
    }
    assert.ok(Object.isFrozen(hashes));
  });

  it('are taken in any case, and under OpenSSL’s aliases', () => {
    const expected = hash('sha256', 'abc').toString('hex');
    for (const name of ['SHA256', 'Sha256', 'SHA2-256', 'SHA-256', '2.16.840.1.101.3.4.2.1']) {
      assert.strictEqual(hash(name, 'abc').toString('hex'), expected, name);
    }
  });

  it('that mean no digest are refused, whatever they hide', () => {
    const names = [
      '',
      'sha257',
      'null',
      'NULL',
      'UNDEF',
      'aes-256-gcm',
      'HMAC',
      ' sha256',
      'sha256 ',
      'sha256\n',
      'sha256\0',
      'sha256\0md5',
      'sha256:md5',
      'sha256,provider=default',
      'ſha256',
      'x'.repeat(1e6),
      '\ud800',
      '__proto__',
      'constructor',
      '%s%n',
    ];
    for (const name of names) {
      assert.throws(
        () => hash(name, 'abc'),
        { name: 'Error', code: 'ERR_OFFLOOP_UNKNOWN_ALGORITHM' },
        JSON.stringify(name.slice(0, 40)),
      );
    }
  });

  it('keep their messages short', () => {
    assert.throws(
      () => hash('y'.repeat(1e6), ''),
      (error) => error.message.length < 200,
    );
  });
});

describe('hash: output length', () => {
  it('of SHAKE is 16 and 32 bytes unless given', () => {
    assert.strictEqual(hash('shake128', '').length, 16);
    assert.strictEqual(hash('shake256', '').length, 32);
    assert.strictEqual(hash('shake256', '', {}).length, 32);
    assert.strictEqual(hash('shake256', '', { outputLength: undefined }).length, 32);
  });

  it('may be any for SHAKE', async () => {
    const longest = crypto.createHash('shake256', { outputLength: 70_001 }).update('abc').digest();
    for (const { call } of forms) {
      for (const outputLength of [0, 1, 15, 31, 33, 135, 136, 137, 1000, 70_001]) {
        const result = await call('hash', ['shake256', 'abc'], { outputLength });
        assert.deepStrictEqual(result, longest.subarray(0, outputLength));
      }
    }
  });

  it('is fixed for others', async () => {
    for (const { call } of forms) {
      assert.strictEqual((await call('hash', ['sha256', ''], { outputLength: 32 })).length, 32);
      for (const outputLength of [0, 31, 33, 64]) {
        await assert.rejects(call('hash', ['sha256', ''], { outputLength }), {
          name: 'RangeError',
          code: 'ERR_OUT_OF_RANGE',
        });
      }
    }
  });
});

describe('hash: results', () => {
  it('go to a target, whose own kind of view of them is returned', async () => {
    const expected = crypto.createHash('sha256').update('abc').digest();
    class Mine extends Uint8Array {}
    for (const { call } of forms) {
      for (const Type of [Buffer, Uint8Array, Mine]) {
        const store = new ArrayBuffer(100);
        const target = Type === Buffer ? Buffer.from(store, 7, 50) : new Type(store, 7, 50);
        target.fill(0xee);
        const result = await call('hash', ['sha256', 'abc'], { target });
        assert.strictEqual(Object.getPrototypeOf(result), Type.prototype);
        assert.strictEqual(result.buffer, store);
        assert.strictEqual(result.byteOffset, 7);
        assert.deepStrictEqual(Buffer.from(result), expected);
        const untouched = Buffer.concat([new Uint8Array(store, 39, 18)]);
        assert.deepStrictEqual(untouched, Buffer.alloc(18, 0xee));
        assert.deepStrictEqual(Buffer.from(store, 0, 7), Buffer.alloc(7));
        assert.deepStrictEqual(Buffer.from(store, 57), Buffer.alloc(43));
      }
      const exact = Buffer.alloc(32);
      assert.strictEqual(await call('hash', ['sha256', 'abc'], { target: exact }), exact);
      const small = Buffer.alloc(31);
      await assert.rejects(call('hash', ['sha256', 'abc'], { target: small }), {
        name: 'RangeError',
        code: 'ERR_OUT_OF_RANGE',
      });
      assert.deepStrictEqual(small, Buffer.alloc(31));
    }
  });

  it('may replace the very data that they are of', async () => {
    for (const { call } of forms) {
      const data = Buffer.from('abc'.padEnd(64));
      const expected = crypto.createHash('sha512').update(data).digest();
      await call('hash', ['sha512', data], { target: data });
      assert.deepStrictEqual(data, expected);
    }
  });

  it('are strings where an encoding is given', async () => {
    const expected = crypto.createHash('sha256').update('abc').digest();
    for (const { call } of forms) {
      for (const outputEncoding of ['hex', 'base64', 'base64url', 'latin1', 'utf16le', 'binary']) {
        const result = await call('hash', ['sha256', 'abc'], { outputEncoding });
        assert.strictEqual(result, expected.toString(outputEncoding));
      }
      const plain = await call('hash', ['sha256', 'abc'], { outputEncoding: undefined });
      assert.deepStrictEqual(plain, expected);
    }
  });

  it('are never shared between calls', () => {
    const first = hash('sha256', 'a');
    const copy = Buffer.from(first);
    hash('sha256', 'b').fill(0);
    assert.deepStrictEqual(first, copy);
  });
});

describe('hash: data', () => {
  it('as text is UTF-8', async () => {
    for (const text of ['', 'abc', 'äöü€😀', '\ud800', 'x'.repeat(100_000), '\0']) {
      const expected = crypto.createHash('sha256').update(text).digest('hex');
      for (const { call } of forms) {
        const result = await call('hash', ['sha256', text], { outputEncoding: 'hex' });
        assert.strictEqual(result, expected);
      }
    }
  });

  it('larger than one chunk of work is digested whole', async () => {
    const data = Buffer.alloc(3 * 2 ** 20 + 5, 'offloop');
    for (const algorithm of ['sha256', 'sha512', 'blake2b512', 'sha3-256', 'md5']) {
      const expected = crypto.createHash(algorithm).update(data).digest();
      for (const { call } of forms) {
        assert.deepStrictEqual(await call('hash', [algorithm, data]), expected);
      }
    }
  });
});

describe('hash: forms', () => {
  it('bear their names', () => {
    assert.strictEqual(hash.name, 'hash');
    assert.strictEqual(hashAsync.name, 'hashAsync');
  });

  it('Async never throws: what is wrong with the call rejects', async () => {
    for (const args of [[], [1], ['sha256'], ['none', ''], ['sha256', '', 1]]) {
      const promise = hashAsync(.../** @type {[any, any]} */ (args));
      assert.ok(promise instanceof Promise);
      await assert.rejects(promise, (error) => error.code.startsWith('ERR_'));
    }
  });
});
