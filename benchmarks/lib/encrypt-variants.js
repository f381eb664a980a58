'use strict';

/**
 * Who encrypts and sums in benchmarks/encrypt.js. `make` is called in the process of the trial alone;
 * it gives what does one segment: AES-256-GCM over its data, then the CRC-32 of ciphertext and tag.
 */

const crypto = require('node:crypto');
const zlib = require('node:zlib');

const { createTable } = require('../../lib/crc32-portable.js');
const native = require('../../lib/binding');
const offloop = require('../..');

/**
 * @typedef {object} Work
 * @property {Buffer} key
 * @property {Buffer} data the largest segment
 * @property {number} chunk bytes that those take at a time who work on the loop
 *
 * @typedef {(iv: Buffer, size: number, lane: number) => number | Promise<number>} EncryptSegment
 * the CRC-32; no two segments of a lane at the same time
 *
 * @typedef {object} Variant
 * @property {string} name
 * @property {string} backend what sums
 * @property {number} inFlight segments at the same time
 * @property {(work: Work) => EncryptSegment | Promise<EncryptSegment>} make throws where this Node lacks
 *   something
 */

/** The loop of most JavaScript libraries, a byte at a time. */
function bytewise() {
  const table = createTable(0xedb88320).slice(0, 256);
  return (/** @type {Uint8Array} */ data, /** @type {number} */ value) => {
    let state = ~value;
    for (let i = 0; i < data.length; i++) state = (state >>> 8) ^ table[(state ^ data[i]) & 255];
    return ~state >>> 0;
  };
}

function zlibCrc32() {
  if (zlib.crc32 === undefined) throw new Error('this Node has no zlib.crc32');
  return zlib.crc32;
}

/**
 * Chunk by chunk on the loop, as a stream's chunks come.
 * @param {() => (data: Uint8Array, value: number) => number} makeSum
 * @returns {Variant['make']}
 */
const nodeCrypto =
  (makeSum) =>
  ({ key, data, chunk }) => {
    const sum = makeSum();
    return (iv, size) => {
      const cipher = crypto.createCipheriv('aes-256-gcm', key, iv);
      let value = 0;
      for (let at = 0; at < size; at += chunk) {
        value = sum(cipher.update(data.subarray(at, Math.min(at + chunk, size))), value);
      }
      cipher.final(); // which is empty
      return sum(cipher.getAuthTag(), value);
    };
  };

/** @type {Variant['make']} */
async function webCrypto({ key, data }) {
  const sum = zlibCrc32();
  const imported = await crypto.webcrypto.subtle.importKey('raw', key, 'AES-GCM', false, [
    'encrypt',
  ]);
  return async (iv, size) => {
    const algorithm = { name: 'AES-GCM', iv };
    const sealed = await crypto.webcrypto.subtle.encrypt(
      algorithm,
      imported,
      data.subarray(0, size),
    );
    return sum(new Uint8Array(sealed));
  };
}

/**
 * Targets are used again, one for each lane.
 * @param {(iv: Buffer, data: Buffer, key: Buffer, target: Buffer) => any} encrypt
 * @returns {Variant['make']}
 */
const ours =
  (encrypt) =>
  ({ key, data }) => {
    /** @type {Buffer[]} */
    const targets = [];
    return (iv, size, lane) => {
      // Filled, so that no page of it is touched for the first time in the trial.
      targets[lane] ??= Buffer.alloc(data.length + 16, 1);
      return encrypt(iv, data.subarray(0, size), key, targets[lane]);
    };
  };

const sync = ours(
  (iv, data, key, target) =>
    offloop.encryptAndChecksum('aes-256-gcm', key, iv, data, { target }).checksum,
);

const fused = ours(async (iv, data, key, target) => {
  const options = { target };
  const result = await offloop.encryptAndChecksumAsync('aes-256-gcm', key, iv, data, options);
  return result.checksum;
});

const alone = ours(async (iv, data, key, target) => {
  await offloop.encryptAsync('aes-256-gcm', key, iv, data, { target });
  return 0;
});

const kernel = native.crcKernels().find((/** @type {any} */ { active }) => active).name;
const BYTEWISE = 'node:crypto + bytewise CRC';
const ZLIB = 'node:crypto + zlib.crc32';
const zlibBackend = `zlib ${process.versions.zlib}`;

/** @type {Variant[]} */
const variants = [
  { name: BYTEWISE, backend: 'JavaScript', inFlight: 1, make: nodeCrypto(bytewise) },
  { name: ZLIB, backend: zlibBackend, inFlight: 1, make: nodeCrypto(zlibCrc32) },
  { name: 'WebCrypto + zlib.crc32', backend: zlibBackend, inFlight: 1, make: webCrypto },
  {
    name: 'WebCrypto + zlib.crc32, 4 in flight',
    backend: zlibBackend,
    inFlight: 4,
    make: webCrypto,
  },
  { name: 'offloop sync', backend: kernel, inFlight: 1, make: sync },
  ...[1, 2, 4].flatMap((inFlight) => [
    { name: `offloop Async, ${inFlight} in flight`, backend: kernel, inFlight, make: fused },
    {
      name: `offloop Async, ${inFlight} in flight, no CRC`,
      backend: 'none',
      inFlight,
      make: alone,
    },
  ]),
];

module.exports = { BYTEWISE, ZLIB, kernel, variants };
