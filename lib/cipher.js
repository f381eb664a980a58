'use strict';

/** encrypt and decrypt. */

const native = require('./binding');
const { byteLengthOf, refuseResizable, subarrayOf, toBytes, toTarget } = require('./bytes');
const { coded, invalidArgType, invalidArgValue, unknownAlgorithm } = require('./errors');
const { toKey } = require('./keys');
const { forms } = require('./operation');
const { toAsyncOptions, toInteger, toOptions, toText } = require('./options');

const INLINE_BYTES = 4096;
const TAG_LENGTH = 16;

/** @typedef {{ id: number, keySize: number, ivSize: number, aead: boolean, gcm: boolean }} Cipher */

const NAMES = [
  'aes-128-ctr',
  'aes-128-gcm',
  'aes-192-ctr',
  'aes-192-gcm',
  'aes-256-ctr',
  'aes-256-gcm',
  'chacha20',
  'chacha20-poly1305',
];

/** Ciphers by each name that has been asked for. @type {Map<string, Cipher>} */
const ciphers = new Map();

/** Why a known kind of cipher is not offered. @type {[RegExp, string][]} */
const REFUSED = [
  [/cbc|cfb|ofb/i, 'it does not authenticate and is not a counter mode; use aes-256-gcm'],
  [/ecb/i, 'ECB shows patterns of the data; use aes-256-gcm'],
  [/ccm|ocb|siv|wrap|xts/i, 'this mode is not offered; use aes-256-gcm or chacha20-poly1305'],
];

/**
 * @param {any} name
 * @returns {Cipher}
 */
function toCipher(name) {
  const known = ciphers.get(name);
  if (known !== undefined) return known;
  const lower = toText(name, 'algorithm').toLowerCase();
  const found = NAMES.includes(lower) ? native.findCipher(lower) : undefined;
  if (found === undefined) {
    const refused = REFUSED.find(([pattern]) => pattern.test(name));
    throw unknownAlgorithm('cipher', name, refused?.[1] ?? `offered are ${NAMES.join(', ')}`);
  }
  ciphers.set(name, found);
  return found;
}

/**
 * @param {Cipher} cipher
 * @param {any} tagLength
 * @returns {number}
 */
function toTagLength(cipher, tagLength) {
  if (tagLength === undefined) return TAG_LENGTH;
  if (typeof tagLength !== 'number') {
    throw invalidArgType('options.tagLength', 'of type number', tagLength);
  }
  const valid = cipher.gcm
    ? [4, 8, 12, 13, 14, 15, 16].includes(tagLength)
    : tagLength === TAG_LENGTH;
  if (valid) return toInteger(tagLength, 'options.tagLength', 4, TAG_LENGTH);
  throw coded(
    TypeError,
    'ERR_CRYPTO_INVALID_AUTH_TAG',
    `Invalid authentication tag length: ${tagLength}`,
  );
}

/**
 * @typedef {object} CipherCall
 * @property {number} bytes
 * @property {Uint8Array} target
 * @property {Uint8Array | undefined} secret
 * @property {AbortSignal | undefined} signal
 * @property {boolean} always
 * @property {Cipher} cipher
 * @property {boolean} encrypting
 * @property {Uint8Array} key
 * @property {Uint8Array} iv
 * @property {Uint8Array} data
 * @property {Uint8Array | undefined} aad
 * @property {Uint8Array | undefined} tag
 * @property {number} tagLength
 */

/**
 * @param {CipherCall} call
 * @returns {number} bytes of the result, before anything is known to be wrong with the call
 */
function resultSize({ cipher, encrypting, data, tag, tagLength }) {
  const appended = cipher.aead && tag === undefined ? tagLength : 0;
  const size = byteLengthOf(data) + (encrypting ? appended : -appended);
  return size < 0 ? 0 : size;
}

/**
 * @param {CipherCall} call
 * @param {Record<string, any>} options
 * @param {boolean} asynchronous
 */
function readOptions(call, options, asynchronous) {
  const { aad, tagLength, tag, target } = options;
  if (!call.cipher.aead && (aad !== undefined || tag !== undefined || tagLength !== undefined)) {
    const name = aad !== undefined ? 'aad' : tag !== undefined ? 'tag' : 'tagLength';
    throw invalidArgValue(`options.${name}`, 'is for authenticated ciphers only');
  }
  call.tagLength = toTagLength(call.cipher, tagLength);
  if (asynchronous) {
    const { signal, always } = toAsyncOptions(asynchronous, options);
    call.signal = signal;
    call.always = always;
  }
  if (aad !== undefined) call.aad = toBytes(aad, 'options.aad');
  if (tag !== undefined) call.tag = toTarget(tag, 'options.tag');
  if (target !== undefined) call.target = toTarget(target, 'options.target');
}

/**
 * @param {boolean} encrypting
 * @param {boolean} asynchronous
 * @param {any} algorithm
 * @param {any} keyLike
 * @param {any} iv
 * @param {any} data
 * @param {any} options
 * @returns {CipherCall}
 */
function prepare(encrypting, asynchronous, algorithm, keyLike, iv, data, options) {
  const cipher = toCipher(algorithm);
  const { key, secret } = toKey(keyLike, { text: false });
  /** @type {any} */
  const call = {
    bytes: 0,
    target: undefined,
    secret,
    signal: undefined,
    always: false,
    cipher,
    encrypting,
    key,
    iv: toBytes(iv, 'iv'),
    data: toBytes(data, 'data'),
    aad: undefined,
    tag: undefined,
    tagLength: TAG_LENGTH,
  };
  if (options !== undefined) readOptions(call, toOptions(options), asynchronous);
  if (asynchronous) {
    call.bytes = byteLengthOf(call.data);
    for (const name of ['key', 'iv', 'data', 'aad', 'tag', 'target']) {
      refuseResizable(call[name], name);
    }
  }
  if (call.target === undefined) call.target = Buffer.allocUnsafe(resultSize(call));
  return call;
}

/** @param {CipherCall} call */
const run = (call) =>
  native.cipher(
    call.cipher.id,
    call.encrypting,
    call.key,
    call.iv,
    call.data,
    call.aad,
    call.target,
    call.tag,
    call.tagLength,
  );

/**
 * @param {number} slot
 * @param {number} maxQueued
 * @param {CipherCall} call
 */
const submit = (slot, maxQueued, call) =>
  native.cipherAsync(
    slot,
    maxQueued,
    call.cipher.id,
    call.encrypting,
    call.key,
    call.iv,
    call.data,
    call.aad,
    call.target,
    call.tag,
    call.tagLength,
  );

/**
 * @param {CipherCall} call
 * @param {number} written
 * @returns {Uint8Array}
 */
const finish = ({ target }, written) =>
  byteLengthOf(target) === written ? target : subarrayOf(target, 0, written);

/** @param {boolean} encrypting */
const cipherForms = (encrypting) =>
  forms({
    name: encrypting ? 'encrypt' : 'decrypt',
    inlineBytes: INLINE_BYTES,
    prepare: prepare.bind(undefined, encrypting),
    run,
    submit,
    finish,
  });

const [encrypt, encryptAsync] = cipherForms(true);
const [decrypt, decryptAsync] = cipherForms(false);

/** @returns {string[]} the offered ciphers that this Node has */
const listCiphers = () => NAMES.filter((name) => native.findCipher(name) !== undefined);

module.exports = { decrypt, decryptAsync, encrypt, encryptAsync, listCiphers };
