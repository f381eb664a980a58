'use strict';

/** Keys: bytes, or a secret KeyObject, whose exported bytes are the call's own and wiped after it. */

const { KeyObject } = require('node:crypto');
const { isKeyObject } = require('node:util').types;

const { kindOf, toBytes, toBytesOrText } = require('./bytes');
const { invalidArgValue } = require('./errors');

const KEY =
  'an instance of KeyObject, Buffer, TypedArray, DataView, ArrayBuffer or SharedArrayBuffer';
const TEXT_OR_KEY = `of type string or ${KEY}`;

/**
 * Checks a key. A KeyObject stays closed until `openKey`.
 * @param {any} key
 * @param {{ text: boolean }} allowed
 * @returns {Uint8Array | KeyObject}
 */
function toKey(key, { text }) {
  if (kindOf(key) === 'Uint8Array') return key;
  // What only inherits from one, a Proxy for example, cannot be exported on newer Nodes.
  if (key instanceof KeyObject && isKeyObject(key)) {
    if (key.type === 'secret') return key;
    throw invalidArgValue('key', `is a ${key.type} key, not a secret one`);
  }
  return text ? toBytesOrText(key, 'key', TEXT_OR_KEY) : toBytes(key, 'key', KEY);
}

/**
 * Gives a call its key. The last step of preparing it: whoever runs the call wipes its secret, and
 * nothing may fail in between.
 * @param {{ key: Uint8Array | undefined, secret: Uint8Array | undefined }} call
 * @param {Uint8Array | KeyObject} key
 */
function openKey(call, key) {
  if (kindOf(key) === undefined) {
    call.secret = /** @type {KeyObject} */ (key).export();
    call.key = call.secret;
  } else {
    call.key = /** @type {Uint8Array} */ (key);
  }
}

module.exports = { openKey, toKey };
