'use strict';

/**
 * CRCs of 32 bits in plain JavaScript, sixteen bytes per step. Needs nothing of Node: this is what
 * runs in browsers, and what sums a few bytes faster than a call into native code would.
 */

const { detached, invalidArgType } = require('./errors');
const { toInteger } = require('./options');

const SLICES = 16;
const IEEE = 0xedb88320;

/** From here on the four reads of a DataView are worth making one. */
const VIEW_BYTES = 256;

/**
 * Entry 256 * k + b is the register after the byte b and k bytes of zeros.
 * @param {number} polynomial reflected
 * @returns {Int32Array}
 */
function createTable(polynomial) {
  const table = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let state = byte;
    for (let bit = 0; bit < 8; bit++) state = state & 1 ? (state >>> 1) ^ polynomial : state >>> 1;
    table[byte] = state;
  }
  for (let i = 256; i < table.length; i++) {
    const state = table[i - 256];
    table[i] = (state >>> 8) ^ table[state & 255];
  }
  return table;
}

/**
 * The register `state` (not inverted) after bytes[start..end). The twelve lookups that do not wait
 * for the previous step come first, the four that do are joined in pairs.
 * @param {Int32Array} t made by createTable
 * @param {number} state
 * @param {Uint8Array} bytes
 * @param {number} start
 * @param {number} end
 * @returns {number} a signed 32-bit integer
 */
function sumBytes(t, state, bytes, start, end) {
  let i = start;
  for (const last = end - 15; i < last; i += 16) {
    const free =
      t[2816 + bytes[i + 4]] ^
      t[2560 + bytes[i + 5]] ^
      t[2304 + bytes[i + 6]] ^
      t[2048 + bytes[i + 7]] ^
      t[1792 + bytes[i + 8]] ^
      t[1536 + bytes[i + 9]] ^
      t[1280 + bytes[i + 10]] ^
      t[1024 + bytes[i + 11]] ^
      t[768 + bytes[i + 12]] ^
      t[512 + bytes[i + 13]] ^
      t[256 + bytes[i + 14]] ^
      t[bytes[i + 15]];
    state =
      t[3840 + ((state ^ bytes[i]) & 255)] ^
      t[3584 + (((state >>> 8) ^ bytes[i + 1]) & 255)] ^
      (t[3328 + (((state >>> 16) ^ bytes[i + 2]) & 255)] ^
        t[3072 + ((state >>> 24) ^ bytes[i + 3])]) ^
      free;
  }
  for (; i < end; i++) state = (state >>> 8) ^ t[(state ^ bytes[i]) & 255];
  return state;
}

const ieeeTable = createTable(IEEE);

/**
 * The same for the IEEE polynomial, four bytes per read. The table is a constant here, which lets the
 * compiler leave out what it would check of an argument.
 * @param {number} state
 * @param {Uint8Array} bytes
 * @param {number} end
 */
function sumView(state, bytes, end) {
  const t = ieeeTable;
  const view = new DataView(bytes.buffer, bytes.byteOffset, end);
  let i = 0;
  for (const last = end - 15; i < last; i += 16) {
    const b = view.getInt32(i + 4, true);
    const c = view.getInt32(i + 8, true);
    const d = view.getInt32(i + 12, true);
    const free =
      t[2816 + (b & 255)] ^
      t[2560 + ((b >>> 8) & 255)] ^
      t[2304 + ((b >>> 16) & 255)] ^
      t[2048 + (b >>> 24)] ^
      t[1792 + (c & 255)] ^
      t[1536 + ((c >>> 8) & 255)] ^
      t[1280 + ((c >>> 16) & 255)] ^
      t[1024 + (c >>> 24)] ^
      t[768 + (d & 255)] ^
      t[512 + ((d >>> 8) & 255)] ^
      t[256 + ((d >>> 16) & 255)] ^
      t[d >>> 24];
    const a = state ^ view.getInt32(i, true);
    state =
      t[3840 + (a & 255)] ^
      t[3584 + ((a >>> 8) & 255)] ^
      (t[3328 + ((a >>> 16) & 255)] ^ t[3072 + (a >>> 24)]) ^
      free;
  }
  return sumBytes(t, state, bytes, i, end);
}

const TypedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
const kindOf = Function.prototype.call.bind(
  /** @type {() => string | undefined} */ (
    /** @type {PropertyDescriptor} */ (
      Object.getOwnPropertyDescriptor(TypedArrayPrototype, Symbol.toStringTag)
    ).get
  ),
);

/**
 * @param {ArrayBufferLike} buffer
 * @param {number} offset
 * @param {number} size
 * @returns {Uint8Array}
 */
function viewOf(buffer, offset, size) {
  try {
    return size === 0
      ? new Uint8Array(buffer).subarray(0, 0)
      : new Uint8Array(buffer, offset, size);
  } catch {
    // All that is left to be wrong with a real buffer and its view's own range.
    throw detached('data');
  }
}

/**
 * @param {DataView} view
 * @returns {Uint8Array}
 */
function bytesOfDataView(view) {
  let size;
  try {
    size = view.byteLength;
  } catch {
    throw detached('data');
  }
  return viewOf(view.buffer, view.byteOffset, size);
}

/**
 * @param {any} data
 * @returns {Uint8Array}
 */
function toBytes(data) {
  if (kindOf(data) === 'Uint8Array' && data.length > 0) return data;
  if (typeof data === 'string') return new TextEncoder().encode(data);
  if (ArrayBuffer.isView(data)) {
    return kindOf(data) === undefined
      ? bytesOfDataView(/** @type {DataView} */ (data))
      : viewOf(data.buffer, data.byteOffset, data.byteLength);
  }
  const tag = Object.prototype.toString.call(data);
  if (tag === '[object ArrayBuffer]' || tag === '[object SharedArrayBuffer]') {
    return viewOf(data, 0, data.byteLength);
  }
  throw invalidArgType(
    'data',
    'of type string or an instance of Buffer, TypedArray, DataView, ArrayBuffer or SharedArrayBuffer',
    data,
  );
}

/**
 * @param {any} value
 * @param {string} name
 * @returns {number} an unsigned 32-bit integer
 */
function toUint32(value, name) {
  // A bigint has no >>>.
  if (typeof value === 'number' && value >>> 0 === value) return value;
  return toInteger(value, name, 0, 0xffffffff);
}

/**
 * @param {any} data
 * @param {any} [value]
 * @returns {number}
 */
function portableCrc32(data, value = 0) {
  const bytes = toBytes(data);
  const state = ~toUint32(value, 'value');
  const size = bytes.length;
  const sum =
    size < VIEW_BYTES ? sumBytes(ieeeTable, state, bytes, 0, size) : sumView(state, bytes, size);
  return ~sum >>> 0;
}

module.exports = { createTable, portableCrc32, sumBytes, toBytes, toUint32 };
