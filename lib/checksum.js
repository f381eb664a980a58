'use strict';

/** crc32, crc32c, crc32k, crc64nvme, and crcCombine. */

const native = require('./binding');
const { byteLengthOf, kindOf, refuseResizable, toBytesOrText } = require('./bytes');
const { createTable, sumBytes, toUint32 } = require('./crc32-portable');
const { combine, toCrc, toUint64 } = require('./crc-table');
const { invalidArgType, outOfRange } = require('./errors');
const { forms } = require('./operation');
const { toAsyncOptions, toOptions } = require('./options');

/** @typedef {import('./crc-table').Crc} Crc */

/**
 * Fewer bytes than this are summed in JavaScript: a native call costs about 100 ns, in which
 * sumBytes does some 128 bytes. Measured with `npm run bench:crc -- --crossover`.
 */
const NATIVE_BYTES = 128;

/** The Async forms sum up to this much on the spot: a few microseconds, less than a hop. */
const INLINE_BYTES = 65536;

/**
 * From here on an Async form splits its data over the pool. Waking one more thread costs about as
 * much as summing 2 MiB; data of this size is worth that even where the other cores are busy.
 */
const SPLIT_BYTES = 8 * 1024 * 1024;

/**
 * @param {any} value
 * @param {string} name
 * @returns {bigint}
 */
function toLength(value, name) {
  if (typeof value === 'bigint') return toUint64(value, name);
  if (typeof value !== 'number') throw invalidArgType(name, 'of type number or bigint', value);
  if (Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  throw outOfRange(name, `an integer >= 0 && <= ${Number.MAX_SAFE_INTEGER}`, value);
}

/**
 * @param {any} name
 * @param {any} first
 * @param {any} second
 * @param {any} secondLength
 * @returns {number | bigint}
 */
function crcCombine(name, first, second, secondLength) {
  const crc = toCrc(name, 'name');
  const value = crc.toValue(first, 'first');
  return combine(crc, value, crc.toValue(second, 'second'), toLength(secondLength, 'secondLength'));
}

/**
 * @typedef {object} CrcCall
 * @property {number} bytes
 * @property {undefined} target
 * @property {undefined} secret
 * @property {AbortSignal | undefined} signal
 * @property {boolean} always
 * @property {Crc} crc
 * @property {Uint8Array} data
 * @property {any} value
 */

/**
 * The arguments of an Async form: (data, value, options) or (data, options).
 * @param {Crc} crc
 * @param {any} data
 * @param {any} second
 * @param {any} third
 * @returns {CrcCall}
 */
function prepare(crc, data, second, third) {
  const optionsSecond = typeof second === 'object' && second !== null && third === undefined;
  const value = optionsSecond || second === undefined ? crc.zero : second;
  const bytes = toBytesOrText(data, 'data');
  const start = crc.toValue(value, 'value');
  const { signal, always } = toAsyncOptions(true, toOptions(optionsSecond ? second : third));
  refuseResizable(bytes, 'data');
  return {
    bytes: byteLengthOf(bytes),
    target: undefined,
    secret: undefined,
    signal,
    always,
    crc,
    data: bytes,
    value: start,
  };
}

/**
 * Large data as parts of about the same size. Only the first goes on from the given value.
 * @param {CrcCall} call
 * @returns {CrcCall[] | undefined}
 */
function split(call) {
  const count = call.bytes < SPLIT_BYTES ? 1 : native.concurrency();
  if (count === 1) return undefined;
  const { buffer, byteOffset } = call.data;
  return Array.from({ length: count }, (_, i) => {
    const start = Math.floor((call.bytes / count) * i);
    const bytes = Math.floor((call.bytes / count) * (i + 1)) - start;
    const data = new Uint8Array(buffer, byteOffset + start, bytes);
    return { ...call, bytes, data, value: i === 0 ? call.value : call.crc.zero };
  });
}

/**
 * @param {CrcCall} call
 * @param {CrcCall[]} parts
 * @param {any[]} values
 */
function join({ crc }, parts, values) {
  return values.reduce((sum, value, i) => combine(crc, sum, value, BigInt(parts[i].bytes)));
}

/**
 * @param {string} name
 * @param {Crc} crc
 */
function asyncForm(name, crc) {
  const [, asynchronous] = forms({
    name,
    inlineBytes: INLINE_BYTES,
    /**
     * @param {boolean} _asynchronous
     * @param {any} data
     * @param {any} value
     * @param {any} options
     */
    prepare: (_asynchronous, data, value, options) => prepare(crc, data, value, options),
    /** @param {CrcCall} call */
    run: ({ data, value }) => crc.sum(crc.id, data, value),
    submit: (slot, maxQueued, { data, value }) => crc.submit(slot, maxQueued, crc.id, data, value),
    finish: (_call, value) => value,
    split,
    join,
  });
  return asynchronous;
}

/**
 * Not the one that `forms` makes, whose object per call would cost as much as a short sum.
 * @param {Crc} crc
 * @returns {(data: any, value?: any) => any}
 */
function syncForm({ id, zero, toValue, sum }) {
  return function (data, value = zero) {
    const bytes = toBytesOrText(data, 'data');
    return sum(id, bytes, toValue(value, 'value'));
  };
}

/**
 * As syncForm, for polynomials of 32 bits: a few bytes are summed here. (Empty data goes the usual
 * way, for it may be detached.)
 * @param {Crc} crc
 * @returns {(data: any, value?: any) => number}
 */
function syncForm32({ id, polynomial, sum }) {
  const table = createTable(polynomial);
  return function (data, value = 0) {
    const bytes = toBytesOrText(data, 'data');
    const start = toUint32(value, 'value');
    const size = byteLengthOf(bytes);
    if (size < NATIVE_BYTES && size > 0 && kindOf(bytes) === 'Uint8Array') {
      return ~sumBytes(table, ~start, bytes, 0, size) >>> 0;
    }
    return sum(id, bytes, start);
  };
}

/**
 * @param {string} name
 * @returns {[(data: any, value?: any) => any, (data: any, value?: any, options?: any) => Promise<any>]}
 */
function formsOf(name) {
  const crc = toCrc(name, 'name');
  const sync = crc.zero === 0 ? syncForm32(crc) : syncForm(crc);
  Object.defineProperty(sync, 'name', { value: name });
  return [sync, asyncForm(name, crc)];
}

const [crc32, crc32Async] = formsOf('crc32');
const [crc32c, crc32cAsync] = formsOf('crc32c');
const [crc32k, crc32kAsync] = formsOf('crc32k');
const [crc64nvme, crc64nvmeAsync] = formsOf('crc64nvme');

module.exports = {
  crc32,
  crc32Async,
  crc32c,
  crc32cAsync,
  crc32k,
  crc32kAsync,
  crc64nvme,
  crc64nvmeAsync,
  crcCombine,
};
