'use strict';

/** Keys: bytes, or a secret KeyObject, whose exported bytes are the call's own and wiped after it. */

const { KeyObject } = require('node:crypto');

const { toBytes, toBytesOrText } = require('./bytes');
const { invalidArgType, invalidArgValue } = require('./errors');

/**
 * @param {any} key
 * @param {{ text: boolean }} allowed
 * @returns {{ key: Uint8Array, secret: Uint8Array | undefined }}
 */
function toKey(key, { text }) {
  if (key instanceof KeyObject) {
    if (key.type !== 'secret')
      throw invalidArgValue('key', `is a ${key.type} key, not a secret one`);
    const secret = key.export();
    return { key: secret, secret };
  }
  try {
    return { key: text ? toBytesOrText(key, 'key') : toBytes(key, 'key'), secret: undefined };
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'ERR_INVALID_ARG_TYPE') throw error;
    const kinds = `${text ? 'of type string or ' : ''}an instance of KeyObject, Buffer, TypedArray, DataView, ArrayBuffer or SharedArrayBuffer`;
    throw invalidArgType('key', kinds, key);
  }
}

module.exports = { toKey };
