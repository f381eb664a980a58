'use strict';

/** The native checksums, by name. */

const native = require('./binding');
const { toUint32 } = require('./crc32-portable');
const { invalidArgType, outOfRange, unknownAlgorithm } = require('./errors');
const { toText } = require('./options');

const UINT64_MAX = 2n ** 64n - 1n;

/**
 * @param {any} value
 * @param {string} name
 * @returns {bigint}
 */
function toUint64(value, name) {
  if (typeof value !== 'bigint') throw invalidArgType(name, 'of type bigint', value);
  if (value >= 0n && value <= UINT64_MAX) return value;
  throw outOfRange(name, `>= 0n && <= ${UINT64_MAX}n`, `${value}n`);
}

/**
 * A checksum of the native table, where its position is its id.
 * @typedef {object} Crc
 * @property {number} id
 * @property {number} polynomial reflected; only of 32 bits
 * @property {any} zero the value of no data
 * @property {(value: any, name: string) => any} toValue
 * @property {(wide: bigint) => any} fromWide
 * @property {(id: number, data: Uint8Array, value: any) => any} sum
 * @property {(slot: number, maxQueued: number, id: number, data: Uint8Array, value: any) => boolean} submit
 */

/** What differs by width. */
const widths = {
  32: {
    zero: 0,
    toValue: toUint32,
    fromWide: Number,
    sum: native.crc,
    submit: native.crcAsync,
  },
  64: {
    zero: 0n,
    toValue: toUint64,
    fromWide: (/** @type {bigint} */ wide) => wide,
    sum: native.crc64,
    submit: native.crc64Async,
  },
};

/** @type {Map<string, Crc>} */
const crcs = new Map();
for (const [id, { name, width, polynomial }] of native.crcs().entries()) {
  const common = widths[/** @type {32 | 64} */ (width)];
  crcs.set(name, { id, polynomial: Number(polynomial), ...common });
}

/**
 * @param {any} name
 * @param {string} argument
 * @returns {Crc}
 */
function toCrc(name, argument) {
  const crc = crcs.get(toText(name, argument));
  if (crc === undefined) throw unknownAlgorithm('checksum', name);
  return crc;
}

/**
 * @param {Crc} crc
 * @param {any} first
 * @param {any} second
 * @param {bigint} secondLength
 */
function combine(crc, first, second, secondLength) {
  return crc.fromWide(native.crcCombine(crc.id, BigInt(first), BigInt(second), secondLength));
}

module.exports = { combine, toCrc, toUint64 };
