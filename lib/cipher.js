'use strict';

/** encrypt and decrypt. */

const native = require('./binding');
const { byteLengthOf, partOf, refuseResizable, subarrayOf, toBytes, toTarget } = require('./bytes');
const { coded, detached, invalidArgType, invalidArgValue, unknownAlgorithm } = require('./errors');
const { openKey, toKey } = require('./keys');
const { forms } = require('./operation');
const { toAsyncOptions, toInteger, toOptions, toText } = require('./options');

const INLINE_BYTES = 4096;
const TAG_LENGTH = 16;

/** @typedef {{ id: number, keySize: number, ivSize: number, aead: boolean, gcm: boolean, bigEndian: boolean }} Cipher */

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
 * @param {{ cipher: Cipher, tagLength: number, signal?: AbortSignal, always?: boolean, aad?: Uint8Array, tag?: Uint8Array, target?: Uint8Array }} call
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
  const key = toKey(keyLike, { text: false });
  /** @type {any} */
  const call = {
    bytes: 0,
    target: undefined,
    secret: undefined,
    signal: undefined,
    always: false,
    cipher,
    encrypting,
    key: undefined,
    iv: toBytes(iv, 'iv'),
    data: toBytes(data, 'data'),
    aad: undefined,
    tag: undefined,
    tagLength: TAG_LENGTH,
  };
  if (options !== undefined) readOptions(call, toOptions(options), asynchronous);
  if (asynchronous) {
    call.bytes = byteLengthOf(call.data);
    refuseResizable(key, 'key');
    refuseResizable(call.iv, 'iv');
    refuseResizable(call.data, 'data');
    refuseResizable(call.aad, 'options.aad');
    refuseResizable(call.tag, 'options.tag');
    refuseResizable(call.target, 'options.target');
  }
  if (call.target === undefined) call.target = Buffer.allocUnsafe(resultSize(call));
  openKey(call, key);
  return call;
}

/** What the native operation takes as one number; as in src/op_cipher.c. */
const TAG_LENGTH_SHIFT = 8;
const HAS_AAD = 1 << 16;
const HAS_TAG = 1 << 17;
const ENCRYPTING = 1 << 18;

/** @param {CipherCall} call */
const flagsOf = ({ cipher, encrypting, aad, tag, tagLength }) =>
  cipher.id |
  (tagLength << TAG_LENGTH_SHIFT) |
  (aad === undefined ? 0 : HAS_AAD) |
  (tag === undefined ? 0 : HAS_TAG) |
  (encrypting ? ENCRYPTING : 0);

/**
 * What the native operations take.
 * @param {CipherCall} call
 */
const cipherArguments = (call) => [
  flagsOf(call),
  call.key,
  call.iv,
  call.data,
  call.target,
  call.aad,
  call.tag,
];

/** @param {CipherCall} call */
const run = (call) =>
  native.cipher(flagsOf(call), call.key, call.iv, call.data, call.target, call.aad, call.tag);

/** @param {CipherCall} call */
const check = (call) => native.cipherCheck(...cipherArguments(call));

/**
 * @param {number} slot
 * @param {number} maxQueued
 * @param {CipherCall} call
 */
const submit = (slot, maxQueued, call) =>
  native.cipherAsync(
    slot,
    maxQueued,
    flagsOf(call),
    call.key,
    call.iv,
    call.data,
    call.target,
    call.aad,
    call.tag,
  );

/**
 * @param {CipherCall} call
 * @param {number} written
 * @returns {Uint8Array}
 */
function finish({ encrypting, tag, target }, written) {
  if (encrypting && tag !== undefined && byteLengthOf(tag) === 0) throw detached('options.tag');
  return byteLengthOf(target) === written ? target : subarrayOf(target, 0, written);
}

/** From here on a counter-mode message is enciphered in several jobs, none smaller than half this. */
const SPLIT_BYTES = 4 * 1024 * 1024;

/**
 * The IV at which the keystream of `iv` has gone on by so many bytes: AES counts blocks of 16 in a
 * big-endian number of 128 bits (SP 800-38A §6.5), ChaCha20 blocks of 64 in a little-endian number in
 * front of the nonce, which OpenSSL lets run to 64 bits.
 * @param {Cipher} cipher
 * @param {Uint8Array} iv
 * @param {number} bytes a multiple of 64
 * @returns {Buffer}
 */
function advance({ bigEndian }, iv, bytes) {
  const moved = Buffer.from(partOf(iv, 0, byteLengthOf(iv)));
  if (bigEndian) {
    const low = moved.readBigUInt64BE(8) + BigInt(bytes / 16);
    moved.writeBigUInt64BE(BigInt.asUintN(64, low), 8);
    const high = moved.readBigUInt64BE(0) + (low >> 64n);
    moved.writeBigUInt64BE(BigInt.asUintN(64, high), 0);
  } else {
    const counter = moved.readBigUInt64LE(0) + BigInt(bytes / 64);
    moved.writeBigUInt64LE(BigInt.asUintN(64, counter), 0);
  }
  return moved;
}

/**
 * @param {CipherCall} call
 * @returns {CipherCall[] | undefined}
 */
function split(call) {
  const { cipher, iv, data, target, bytes } = call;
  if (cipher.aead || bytes < SPLIT_BYTES) return undefined;
  check(call);
  const count = Math.min(native.concurrency(), Math.floor((2 * bytes) / SPLIT_BYTES));
  const step = Math.ceil(bytes / count / 64) * 64;
  /** @type {CipherCall[]} */
  const parts = [];
  for (let at = 0; at < bytes; at += step) {
    const size = Math.min(step, bytes - at);
    parts.push({
      ...call,
      bytes: size,
      secret: undefined,
      iv: advance(cipher, iv, at),
      data: partOf(data, at, size),
      target: partOf(target, at, size),
    });
  }
  return parts;
}

/** How a call is run, once its arguments are read. */
const cipherJob = { inlineBytes: INLINE_BYTES, run, submit };

/** @param {boolean} encrypting */
const cipherForms = (encrypting) =>
  forms({
    ...cipherJob,
    name: encrypting ? 'encrypt' : 'decrypt',
    prepare: prepare.bind(undefined, encrypting),
    finish,
    split,
    join: (_call, _parts, written) => written.reduce((sum, each) => sum + each, 0),
  });

const [encrypt, encryptAsync] = cipherForms(true);
const [decrypt, decryptAsync] = cipherForms(false);

/** @returns {string[]} the offered ciphers that this Node has */
const listCiphers = () => NAMES.filter((name) => native.findCipher(name) !== undefined);

module.exports = {
  cipherArguments,
  cipherJob,
  decrypt,
  decryptAsync,
  encrypt,
  encryptAsync,
  finishCipher: finish,
  listCiphers,
  prepareCipher: prepare,
  readCipherOptions: readOptions,
  resultSize,
  splitCipher: split,
  toCipher,
};
