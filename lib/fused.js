'use strict';

/** Operations that sum what they write: checksumAndWrite and encryptAndChecksum. */

const native = require('./binding');
const { byteLengthOf, refuseResizable, toBytes } = require('./bytes');
const { combine, toCrc } = require('./crc-table');
const {
  cipherArguments,
  finishCipher,
  prepareCipher,
  resultSize,
  splitCipher,
} = require('./cipher');
const { forms } = require('./operation');
const { toAsyncOptions, toInteger, toOptions } = require('./options');

/** @typedef {import('./crc-table').Crc} Crc */

/** As for encryption alone. */
const CIPHER_INLINE_BYTES = 4096;

/** A descriptor may make its writer wait, so a write always leaves the loop. */
const WRITE_INLINE_BYTES = -1;

/**
 * @param {Record<string, any>} options
 * @returns {{ crc: Crc, value: any }}
 */
function readChecksum({ checksum = 'crc32', value }) {
  const crc = toCrc(checksum, 'options.checksum');
  return { crc, value: value === undefined ? crc.zero : crc.toValue(value, 'options.value') };
}

/**
 * @param {any} position
 * @returns {number} -1: where the descriptor stands
 */
function toPosition(position) {
  if (position === undefined || position === null) return -1;
  return toInteger(position, 'options.position', 0, Number.MAX_SAFE_INTEGER);
}

const [checksumAndWrite, checksumAndWriteAsync] = forms({
  name: 'checksumAndWrite',
  inlineBytes: WRITE_INLINE_BYTES,
  /**
   * @param {boolean} asynchronous
   * @param {any} fd
   * @param {any} data
   * @param {any} given
   */
  prepare(asynchronous, fd, data, given) {
    const descriptor = toInteger(fd, 'fd', 0, 2 ** 31 - 1);
    const bytes = toBytes(data, 'data');
    const options = toOptions(given);
    const { position } = options;
    const { crc, value } = readChecksum(options);
    const { signal, always } = toAsyncOptions(asynchronous, options);
    if (asynchronous) refuseResizable(bytes, 'data');
    return {
      bytes: byteLengthOf(bytes),
      target: undefined,
      secret: undefined,
      signal,
      always,
      descriptor,
      data: bytes,
      position: toPosition(position),
      crc,
      value,
    };
  },
  run: ({ descriptor, data, position, crc, value }) =>
    native.checksumAndWrite(descriptor, data, position, crc.id, value),
  submit: (slot, maxQueued, { descriptor, data, position, crc, value }) =>
    native.checksumAndWriteAsync(slot, maxQueued, descriptor, data, position, crc.id, value),
  finish: ({ bytes }, checksum) => ({ checksum, bytesWritten: bytes }),
});

/** @typedef {import('./cipher').CipherCall & { crc: Crc, value: any, size: number }} SummedCall
 *   size: bytes of the result */

const [encryptAndChecksum, encryptAndChecksumAsync] = forms({
  name: 'encryptAndChecksum',
  inlineBytes: CIPHER_INLINE_BYTES,
  /**
   * @param {boolean} asynchronous
   * @param {any} algorithm
   * @param {any} key
   * @param {any} iv
   * @param {any} data
   * @param {any} given
   * @returns {SummedCall}
   */
  prepare(asynchronous, algorithm, key, iv, data, given) {
    const options = toOptions(given);
    const summed = readChecksum(options);
    const call = prepareCipher(true, asynchronous, algorithm, key, iv, data, options);
    return Object.assign(call, summed, { size: resultSize(call) });
  },
  run: (call) => native.cipherSum(...cipherArguments(call), call.crc.id, call.value),
  submit: (slot, maxQueued, call) =>
    native.cipherSumAsync(slot, maxQueued, ...cipherArguments(call), call.crc.id, call.value),
  written: ({ size }) => size,
  finish: (call, checksum) => ({ data: finishCipher(call, call.size), checksum }),
  /** Only the first part goes on from the given value. */
  split: (call) =>
    splitCipher(call)?.map((part, i) => ({
      ...call,
      ...part,
      value: i === 0 ? call.value : call.crc.zero,
    })),
  join: ({ crc }, parts, sums) =>
    sums.reduce((sum, value, i) => combine(crc, sum, value, BigInt(parts[i].bytes))),
});

module.exports = {
  checksumAndWrite,
  checksumAndWriteAsync,
  encryptAndChecksum,
  encryptAndChecksumAsync,
};
