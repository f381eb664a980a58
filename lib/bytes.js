'use strict';

/**
 * What callers may hand over as bytes, turned into typed arrays. The getters are the engine's own,
 * taken at load: an object that lies about its length is never believed.
 */

const { detached, invalidArgType, invalidArgValue } = require('./errors');
const native = require('./binding');

/**
 * @param {object} prototype
 * @param {string | symbol} name
 * @returns {(self: any) => any}
 */
function getter(prototype, name) {
  const { get } = /** @type {PropertyDescriptor} */ (
    Object.getOwnPropertyDescriptor(prototype, name)
  );
  return Function.prototype.call.bind(/** @type {() => any} */ (get));
}

const TypedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);
/** The kind of a typed array ('Uint8Array', …); undefined for whatever else. */
const kindOf = getter(TypedArrayPrototype, Symbol.toStringTag);
const byteLengthOf = getter(TypedArrayPrototype, 'byteLength');
const byteOffsetOf = getter(TypedArrayPrototype, 'byteOffset');
const bufferOf = getter(TypedArrayPrototype, 'buffer');
const resizableOf = getter(ArrayBuffer.prototype, 'resizable');
const arrayBufferLengthOf = getter(ArrayBuffer.prototype, 'byteLength');
const sharedLengthOf = getter(SharedArrayBuffer.prototype, 'byteLength');
const viewBufferOf = getter(DataView.prototype, 'buffer');
const viewOffsetOf = getter(DataView.prototype, 'byteOffset');
const viewLengthOf = getter(DataView.prototype, 'byteLength');
const subarrayOf = Function.prototype.call.bind(TypedArrayPrototype.subarray);

const BYTES = 'an instance of Buffer, TypedArray, DataView, ArrayBuffer or SharedArrayBuffer';
const TEXT_OR_BYTES = `of type string or ${BYTES}`;

/**
 * @template T
 * @param {(value: any) => T} get
 * @param {unknown} value
 * @returns {T | undefined}
 */
function attempt(get, value) {
  try {
    return get(value);
  } catch {
    return undefined;
  }
}

/**
 * An ArrayBuffer, a SharedArrayBuffer or a DataView as bytes; undefined for whatever else.
 * @param {any} value
 * @param {string} name
 * @returns {Uint8Array | undefined}
 */
function wrap(value, name) {
  if (ArrayBuffer.isView(value)) {
    const buffer = viewBufferOf(value);
    const size = attempt(viewLengthOf, value);
    if (size === undefined) throw detached(name);
    return new Uint8Array(buffer, viewOffsetOf(value), size);
  }
  if (attempt(arrayBufferLengthOf, value) !== undefined) {
    if (native.isDetached(value)) throw detached(name);
    return new Uint8Array(value);
  }
  return attempt(sharedLengthOf, value) === undefined ? undefined : new Uint8Array(value);
}

/**
 * @param {any} value
 * @param {string} name
 * @param {string} [expected] what the message says is wanted
 * @returns {Uint8Array} over the same memory; an empty or detached view is left as it is
 */
function toBytes(value, name, expected = BYTES) {
  const kind = kindOf(value);
  if (kind === 'Uint8Array') return value;
  if (kind !== undefined) return byteLengthOf(value) === 0 ? value : partOf(value);
  const wrapped = typeof value === 'object' && value !== null ? wrap(value, name) : undefined;
  if (wrapped === undefined) throw invalidArgType(name, expected, value);
  return wrapped;
}

/**
 * @param {any} value
 * @param {string} name
 * @param {string} [expected] what the message says is wanted
 * @returns {Uint8Array} a string's UTF-8 bytes, or what `toBytes` makes of the value
 */
const toBytesOrText = (value, name, expected = TEXT_OR_BYTES) =>
  typeof value === 'string' ? Buffer.from(value) : toBytes(value, name, expected);

/**
 * A place to write to.
 * @param {any} value
 * @param {string} name
 * @returns {Uint8Array}
 */
function toTarget(value, name) {
  if (kindOf(value) === 'Uint8Array') return value;
  throw invalidArgType(name, 'an instance of Buffer or Uint8Array', value);
}

/**
 * Shrinking a resizable buffer unmaps its pages, so none may be in use on another thread.
 * @param {any} view what is no typed array passes
 * @param {string} name
 */
function refuseResizable(view, name) {
  if (kindOf(view) !== undefined && attempt(resizableOf, bufferOf(view)) === true) {
    throw invalidArgValue(name, 'must not be backed by a resizable ArrayBuffer');
  }
}

/**
 * @param {Uint8Array} view some typed array
 * @param {number} [at] in bytes
 * @param {number} [size] in bytes
 */
const partOf = (view, at = 0, size = byteLengthOf(view)) =>
  new Uint8Array(bufferOf(view), byteOffsetOf(view) + at, size);

module.exports = {
  byteLengthOf,
  kindOf,
  partOf,
  refuseResizable,
  subarrayOf,
  toBytes,
  toBytesOrText,
  toTarget,
};
