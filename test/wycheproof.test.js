'use strict';

/** The Wycheproof vectors, where they are at hand: each outcome as the file states it. */

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');

const { forms } = require('./helpers/forms');
const { sizes } = require('./helpers/reference');

const folder = path.join(__dirname, '..', '..', 'shared', 'vectors', 'wycheproof');
const skip = fs.existsSync(folder) ? false : `there is no ${path.relative(process.cwd(), folder)}`;
const hex = (/** @type {string} */ text) => Buffer.from(text, 'hex');

/**
 * @param {string} file
 * @returns {any[]} groups of tests
 */
function groupsOf(file) {
  const { testGroups, numberOfTests } = JSON.parse(
    fs.readFileSync(path.join(folder, file), 'utf8'),
  );
  const count = testGroups.reduce(
    (/** @type {number} */ sum, group) => sum + group.tests.length,
    0,
  );
  assert.strictEqual(count, numberOfTests);
  return testGroups;
}

/**
 * @param {(...args: any[]) => Promise<any>} call
 * @param {string} algorithm
 * @param {any} vector
 */
async function checkAead(call, algorithm, vector) {
  const [key, iv, aad] = [hex(vector.key), hex(vector.iv), hex(vector.aad)];
  const [message, ciphertext, tag] = [hex(vector.msg), hex(vector.ct), hex(vector.tag)];
  const sealed = Buffer.concat([ciphertext, tag]);
  const opening = call('decrypt', [algorithm, key, iv, sealed], { aad });
  const name = `${algorithm} ${vector.tcId}: ${vector.comment}`;
  if (iv.length !== sizes[algorithm].iv) {
    const sealing = call('encrypt', [algorithm, key, iv, message], { aad });
    await assert.rejects(opening, { code: 'ERR_CRYPTO_INVALID_IV' }, name);
    await assert.rejects(sealing, { code: 'ERR_CRYPTO_INVALID_IV' }, name);
    return 'refused';
  }
  if (vector.result === 'invalid') {
    await assert.rejects(opening, { code: 'ERR_OFFLOOP_AUTHENTICATION' }, name);
    await assert.rejects(
      call('decrypt', [algorithm, key, iv, ciphertext], { aad, tag }),
      { code: 'ERR_OFFLOOP_AUTHENTICATION' },
      name,
    );
    return 'invalid';
  }
  assert.deepStrictEqual(await opening, message, name);
  assert.deepStrictEqual(
    await call('encrypt', [algorithm, key, iv, message], { aad }),
    sealed,
    name,
  );
  return 'valid';
}

describe('Wycheproof', { skip }, () => {
  for (const { form, call } of forms) {
    for (const [file, least] of /** @type {[string, Record<string, number>][]} */ ([
      ['aes_gcm_test.json', { valid: 100, invalid: 50, refused: 50 }],
      ['chacha20_poly1305_test.json', { valid: 200, invalid: 50, refused: 5 }],
    ])) {
      it(`${file}, ${form}`, async () => {
        /** @type {Record<string, number>} */
        const counts = { valid: 0, invalid: 0, refused: 0 };
        for (const { keySize, tagSize, tests } of groupsOf(file)) {
          assert.strictEqual(tagSize, 128);
          const algorithm = file.startsWith('aes') ? `aes-${keySize}-gcm` : 'chacha20-poly1305';
          for (const vector of tests) counts[await checkAead(call, algorithm, vector)]++;
        }
        for (const outcome of Object.keys(least)) {
          assert.ok(counts[outcome] >= least[outcome], `${counts[outcome]} ${outcome}`);
        }
      });
    }

    for (const digest of ['sha1', 'sha256', 'sha384', 'sha512', 'sha3-256', 'sha3-512']) {
      const file = `hmac_${digest.replace('-', '_')}_test.json`;
      it(`${file}, ${form}`, async () => {
        let count = 0;
        for (const { tagSize, tests } of groupsOf(file)) {
          for (const { key, msg, tag, result, tcId } of tests) {
            const mac = await call('hmac', [digest, hex(key), hex(msg)]);
            const same = mac.toString('hex').slice(0, tagSize / 4) === tag;
            assert.strictEqual(same, result === 'valid', `${digest} ${tcId}`);
            count++;
          }
        }
        assert.ok(count > 150);
      });
    }
  }
});
