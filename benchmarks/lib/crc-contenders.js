'use strict';

/** Who sums in benchmarks/crc.js. `load` is called in the process of the trial alone. */

const native = require('../../lib/binding');

/**
 * Bytes to an unsigned number or bigint.
 * @typedef {(data: Buffer) => any} Sum
 *
 * @typedef {object} Contender
 * @property {string} name
 * @property {string} checksum one of ours
 * @property {boolean} [asynchronous] the sum is a promise
 * @property {() => Sum} load throws where it is not installed
 */

const PORTABLE = 'offloop, portable JS';

/** @type {string[]} */
const checksums = native.crcs().map((/** @type {{ name: string }} */ { name }) => name);

/**
 * What may not be installed, types included.
 * @param {string} name
 * @returns {any}
 */
const peer = (name) => require(name);

/** @type {Contender[]} */
const ours = checksums.map((checksum) => ({
  name: 'offloop',
  checksum,
  load() {
    const sum = /** @type {any} */ (require('../..'))[checksum];
    return (/** @type {Buffer} */ data) => sum(data);
  },
}));

/** Each kernel that this machine can run, without the portable code for small data. @type {Contender[]} */
const kernels = native
  .crcKernels()
  .filter((/** @type {{ available: boolean }} */ { available }) => available)
  .flatMap((/** @type {{ name: string }} */ { name }) =>
    native
      .crcs()
      .map((/** @type {{ name: string, width: number }} */ crc, /** @type {number} */ id) => ({
        name: `offloop, ${name}`,
        checksum: crc.name,
        load() {
          if (!native.crcForce(name)) throw new Error(`no kernel ${name}`);
          return crc.width === 64
            ? (/** @type {Buffer} */ data) => native.crc64(id, data, 0n)
            : (/** @type {Buffer} */ data) => native.crc(id, data, 0);
        },
      })),
  );

/** The loop that most JavaScript libraries run, as a yardstick for the portable code. @returns {Sum} */
function bytewise() {
  const table = require('../../lib/crc32-portable').createTable(0xedb88320).slice(0, 256);
  return (data) => {
    let state = -1;
    for (let i = 0; i < data.length; i++) state = (state >>> 8) ^ table[(state ^ data[i]) & 255];
    return ~state >>> 0;
  };
}

/**
 * A class of the AWS SDK's kind, one object per sum.
 * @param {any} Class
 * @returns {Sum}
 */
function awsCrc(Class) {
  return (data) => new Class().update(data).digest();
}

/** @returns {Sum} */
function awsCrc64() {
  const { Crc64Nvme } = peer('@aws-sdk/crc64-nvme');
  return async (data) => {
    const crc = new Crc64Nvme();
    crc.update(data);
    const digest = await crc.digest();
    return Buffer.from(digest).readBigUInt64BE();
  };
}

/** @returns {Sum} */
function zlibCrc32() {
  const zlib = require('node:zlib');
  if (zlib.crc32 === undefined) throw new Error('this Node has none');
  return (data) => zlib.crc32(data);
}

/** @type {Contender[]} */
const peers = [
  {
    name: PORTABLE,
    checksum: 'crc32',
    load: () => require('../../lib/crc32-portable').portableCrc32,
  },
  { name: 'bytewise loop in JS', checksum: 'crc32', load: bytewise },
  { name: 'zlib.crc32', checksum: 'crc32', load: zlibCrc32 },
  { name: '@node-rs/crc32', checksum: 'crc32', load: () => peer('@node-rs/crc32').crc32 },
  { name: 'buffer-crc32', checksum: 'crc32', load: () => peer('buffer-crc32').unsigned },
  {
    name: '@aws-crypto/crc32',
    checksum: 'crc32',
    load: () => awsCrc(peer('@aws-crypto/crc32').Crc32),
  },
  { name: '@node-rs/crc32', checksum: 'crc32c', load: () => peer('@node-rs/crc32').crc32c },
  {
    name: 'fast-crc32c',
    checksum: 'crc32c',
    load: () => peer('fast-crc32c').calculate,
  },
  {
    name: '@aws-crypto/crc32c',
    checksum: 'crc32c',
    load: () => awsCrc(peer('@aws-crypto/crc32c').Crc32c),
  },
  { name: '@aws-sdk/crc64-nvme', checksum: 'crc64nvme', asynchronous: true, load: awsCrc64 },
];

module.exports = { PORTABLE, checksums, kernels, ours, peers };
