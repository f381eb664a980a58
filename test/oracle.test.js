'use strict';

/**
 * Random calls of every form against node:crypto: any size, any kind of view at any offset, into
 * targets, in place, many in flight at a time.
 */

const assert = require('node:assert');
const crypto = require('node:crypto');
const { describe, it } = require('node:test');

const offloop = require('..');
const { forms } = require('./helpers/forms');
const { printSeed, randomFor } = require('./helpers/random');
const { reference, sizes } = require('./helpers/reference');

/** How many calls are in flight together. */
const IN_FLIGHT = 24;

/** Mostly small, for what goes wrong goes wrong at the edges. */
const largest = (/** @type {import('./helpers/random').Random} */ random) =>
  random.chance(5) ? 3 * 2 ** 20 : random.chance(30) ? 100_000 : 600;

/**
 * @param {number} count
 * @param {() => Promise<void>} one
 */
async function repeat(count, one) {
  for (let done = 0; done < count; done += IN_FLIGHT) {
    await Promise.all(Array.from({ length: IN_FLIGHT }, one));
  }
}

/**
 * A place with room for a result, filled with what must not change around it.
 * @param {import('./helpers/random').Random} random
 * @param {number} size
 */
function place(random, size) {
  const before = random.below(70);
  const spare = random.below(70);
  const store = random.bytes(before + size + spare + random.below(70));
  const original = Buffer.from(store);
  const target = store.subarray(before, before + size + spare);
  return {
    target,
    /** @param {Uint8Array} result */
    check(result) {
      assert.strictEqual(result.byteOffset, target.byteOffset);
      assert.strictEqual(result.buffer, target.buffer);
      assert.ok(store.subarray(0, before).equals(original.subarray(0, before)));
      const end = before + result.length;
      assert.ok(store.subarray(end).equals(original.subarray(end)));
    },
  };
}

describe('against node:crypto', () => {
  it('digests', async (t) => {
    printSeed(t);
    const random = randomFor('hash');
    const names = offloop.hashes.filter((name) => !/^keccak/.test(name));
    await repeat(1500, async () => {
      const algorithm = random.pick(names);
      const data = random.bytes(random.size(largest(random)));
      const xof = algorithm.startsWith('shake');
      const outputLength = xof && random.chance(70) ? random.size(500) : undefined;
      const usual = { shake128: 16, shake256: 32 }[algorithm];
      const expected = crypto
        .createHash(algorithm, xof ? { outputLength: outputLength ?? usual } : {})
        .update(data)
        .digest();
      const spot = random.chance(50) ? place(random, expected.length) : undefined;
      const { call, form } = random.pick(forms);
      const result = await call('hash', [algorithm, random.shape(data)], {
        outputLength,
        target: spot?.target,
      });
      assert.ok(result.equals(expected), `${form} ${algorithm} ${data.length}`);
      spot?.check(result);
    });
  });

  it('HMACs', async (t) => {
    printSeed(t);
    const random = randomFor('hmac');
    const names = offloop.hashes.filter((name) => !/^(keccak|shake|md5-sha1)/.test(name));
    await repeat(1500, async () => {
      const algorithm = random.pick(names);
      const key = random.bytes(random.size(300));
      const data = random.bytes(random.size(largest(random)));
      const expected = crypto.createHmac(algorithm, key).update(data).digest();
      const spot = random.chance(50) ? place(random, expected.length) : undefined;
      const { call, form } = random.pick(forms);
      const keyLike = random.chance(20) ? crypto.createSecretKey(key) : random.shape(key);
      const result = await call('hmac', [algorithm, keyLike, random.shape(data)], {
        target: spot?.target,
      });
      assert.ok(result.equals(expected), `${form} ${algorithm} ${key.length} ${data.length}`);
      spot?.check(result);
    });
  });

  it('ciphers, there and back', async (t) => {
    printSeed(t);
    const random = randomFor('cipher');
    await repeat(2000, () => roundTrip(random));
  });
});

/** @param {import('./helpers/random').Random} random */
async function roundTrip(random) {
  const algorithm = random.pick(offloop.ciphers);
  const { aead, key: keySize, iv: ivSize } = sizes[algorithm];
  const [key, iv] = [random.bytes(keySize), random.bytes(ivSize)];
  const data = random.bytes(random.size(largest(random)));
  const aad = aead && random.chance(60) ? random.bytes(random.size(200)) : undefined;
  const short = algorithm.endsWith('gcm') && random.chance(30);
  const tagLength = short ? random.pick([4, 8, 12, 13, 14, 15]) : undefined;
  const whole = reference(algorithm, key, iv, data, { aad, tagLength });
  const apart = aead && random.chance(40);
  const expected = apart ? whole.subarray(0, data.length) : whole;

  /** @type {Record<string, any>} */
  const options = {};
  if (aad !== undefined) options.aad = random.shape(aad);
  if (tagLength !== undefined) options.tagLength = tagLength;
  const tag = Buffer.alloc(tagLength ?? 16);
  if (apart) options.tag = tag;
  const keyLike = random.chance(20) ? crypto.createSecretKey(key) : random.shape(key);

  const sealing = random.pick(forms);
  const spot = place(random, expected.length);
  const how = random.below(3);
  let source = random.shape(data);
  if (how === 1) options.target = spot.target;
  if (how === 2) {
    spot.target.set(data);
    source = spot.target.subarray(0, data.length);
    options.target = spot.target;
  }
  const name = `${sealing.form} ${algorithm} ${data.length} ${how}`;
  const sealed = await sealing.call('encrypt', [algorithm, keyLike, random.shape(iv), source], {
    ...options,
  });
  assert.ok(Buffer.from(sealed).equals(expected), name);
  if (apart) assert.ok(tag.equals(whole.subarray(data.length)), name);
  if (how > 0) spot.check(sealed);

  const opening = random.pick(forms);
  const back = place(random, data.length);
  const target = random.chance(50) ? back.target : undefined;
  const opened = await opening.call(
    'decrypt',
    [algorithm, keyLike, random.shape(iv), random.shape(sealed)],
    { ...options, target },
  );
  assert.ok(Buffer.from(opened).equals(data), `${opening.form} back from ${name}`);
  if (target !== undefined) back.check(opened);
}
