'use strict';

/**
 * The buffers among positional arguments. A buffer is given whole, or as three arguments: the buffer,
 * an offset and a size (of the target only the first two, for the algorithm tells its size).
 */

const { byteLengthOf, kindOf, partOf, toBytes } = require('../bytes');
const messages = /** @type {Record<string, string>} */ (require('./messages'));

const INT_MAX = 2 ** 31 - 1;

/**
 * A buffer's part in a call, and what may be wrong with it.
 * @typedef {object} Role
 * @property {number} index
 * @property {string} name
 * @property {boolean} sized its size is an argument, too
 * @property {string} buffer
 * @property {string} offset
 * @property {string} size
 * @property {string} range
 */

/**
 * @param {string} name
 * @param {number} index
 * @returns {Role}
 */
const toRole = (name, index) => ({
  index,
  name: name.toLowerCase(),
  sized: name !== 'TARGET',
  buffer: messages[`E_${name}`],
  offset: messages[`E_${name}_OFFSET`],
  size: messages[`E_${name}_SIZE`],
  range: messages[`E_${name}_RANGE`],
});

const [key, iv, source, target, aad, tag] = ['KEY', 'IV', 'SOURCE', 'TARGET', 'AAD', 'TAG'].map(
  toRole,
);
const roles = { key, iv, source, target, aad, tag };

/** The bytes of a view from an offset on. */
class Slice {
  /**
   * @param {Uint8Array} view any typed array; offset and size count bytes
   * @param {number} offset
   * @param {number} size
   */
  constructor(view, offset, size) {
    this.view = view;
    this.offset = offset;
    this.size = size;
  }

  /** @returns {Uint8Array} only after the range has been checked */
  bytes() {
    const { view, offset, size } = this;
    if (offset === 0 && size === byteLengthOf(view)) return view;
    return partOf(view, offset, size);
  }
}

const NONE = new Slice(new Uint8Array(0), 0, 0);

/**
 * @param {any} value
 * @param {Role} role
 * @returns {Uint8Array}
 */
function toView(value, role) {
  if (kindOf(value) === undefined && !ArrayBuffer.isView(value)) throw new Error(role.buffer);
  const view = toBytes(value, role.name);
  if (byteLengthOf(view) > INT_MAX) throw new Error(messages.E_BUFFER_LENGTH);
  return view;
}

/**
 * @param {any} value
 * @param {string} message
 * @returns {number}
 */
function toUnsigned(value, message) {
  if (typeof value === 'number' && value >= 0 && value <= INT_MAX && Number.isInteger(value)) {
    return value;
  }
  throw new Error(message);
}

/**
 * @param {readonly Role[]} given
 * @param {any[]} args
 * @param {number} at where the first of them stands
 * @returns {Slice[]} by the role's index
 */
function readWhole(given, args, at) {
  const slices = [NONE, NONE, NONE, NONE, NONE, NONE];
  for (const role of given) {
    const view = toView(args[at++], role);
    slices[role.index] = new Slice(view, 0, byteLengthOf(view));
  }
  return slices;
}

/**
 * @param {readonly Role[]} given
 * @param {any[]} args
 * @param {number} at where the first of them stands
 * @returns {Slice[]} by the role's index
 */
function readRanges(given, args, at) {
  const slices = [NONE, NONE, NONE, NONE, NONE, NONE];
  for (const role of given) {
    const view = toView(args[at++], role);
    const offset = toUnsigned(args[at++], role.offset);
    const size = role.sized ? toUnsigned(args[at++], role.size) : 0;
    slices[role.index] = new Slice(view, offset, size);
  }
  return slices;
}

/**
 * @param {readonly Role[]} given
 * @param {Slice[]} slices
 */
function checkRanges(given, slices) {
  for (const role of given) {
    const { view, offset, size } = slices[role.index];
    if (offset + size > byteLengthOf(view)) throw new Error(role.range);
  }
}

module.exports = { Slice, checkRanges, readRanges, readWhole, roles };
