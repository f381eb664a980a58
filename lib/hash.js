'use strict';

/** hash and hmac. */

const { getHashes } = require('node:crypto');

const native = require('./binding');
const { byteLengthOf, refuseResizable, subarrayOf, toBytesOrText, toTarget } = require('./bytes');
const { invalidArgType, invalidArgValue, outOfRange, unknownAlgorithm } = require('./errors');
const { openKey, toKey } = require('./keys');
const { forms } = require('./operation');
const { toAsyncOptions, toInteger, toOptions, toText } = require('./options');

/** @typedef {{ id: number, size: number, extendable: boolean, hmac: boolean }} Digest */

const INLINE_BYTES = 2048;

/** Digests found so far, by the name that was asked for. @type {Map<string, Digest>} */
const digests = new Map();

/**
 * @param {any} name
 * @returns {Digest}
 */
function toDigest(name) {
  const known = digests.get(name);
  if (known !== undefined) return known;
  const digest = native.findDigest(toText(name, 'algorithm'));
  if (digest === undefined) throw unknownAlgorithm('digest', name);
  digests.set(name, digest);
  return digest;
}

/**
 * @param {any} encoding
 * @param {any} target
 * @returns {BufferEncoding | undefined}
 */
function toEncoding(encoding, target) {
  if (encoding === undefined || encoding === 'buffer') return undefined;
  if (typeof encoding !== 'string') {
    throw invalidArgType('options.outputEncoding', 'of type string', encoding);
  }
  if (!Buffer.isEncoding(encoding)) {
    throw invalidArgValue('options.outputEncoding', 'must be an encoding that Buffer knows');
  }
  if (target !== undefined) {
    throw invalidArgValue('options.outputEncoding', 'must not be given together with a target');
  }
  return encoding;
}

/**
 * @param {Digest} digest
 * @param {string} name
 * @param {any} outputLength
 */
function toSize(digest, name, outputLength) {
  if (outputLength === undefined) {
    if (digest.size > 0) return digest.size;
    throw invalidArgValue('options.outputLength', `is needed, for ${name} has no usual length`);
  }
  const size = toInteger(outputLength, 'options.outputLength', 0, 2 ** 32 - 1);
  if (digest.extendable || size === digest.size) return size;
  throw outOfRange('options.outputLength', `${digest.size} for ${name}`, size);
}

/**
 * @typedef {object} DigestCall
 * @property {number} bytes
 * @property {Uint8Array} target
 * @property {Uint8Array | undefined} secret
 * @property {AbortSignal | undefined} signal
 * @property {boolean} always
 * @property {Digest} digest
 * @property {Uint8Array | undefined} key
 * @property {Uint8Array} data
 * @property {number} size
 * @property {BufferEncoding | undefined} encoding
 */

/**
 * What is common to both: options, data and target.
 * @param {boolean} asynchronous
 * @param {Digest} digest
 * @param {any} name
 * @param {any} data
 * @param {any} given
 * @param {{ lengths: boolean }} takes
 * @returns {DigestCall}
 */
function prepare(asynchronous, digest, name, data, given, { lengths }) {
  const bytes = toBytesOrText(data, 'data');
  let size = digest.size;
  let target;
  let encoding;
  let signal;
  let always = false;
  if (given !== undefined) {
    const options = toOptions(given);
    target = options.target;
    encoding = toEncoding(options.outputEncoding, target);
    if (lengths) size = toSize(digest, name, options.outputLength);
    if (asynchronous) ({ signal, always } = toAsyncOptions(asynchronous, options));
    if (target !== undefined) target = toTarget(target, 'options.target');
  } else if (size === 0) {
    size = toSize(digest, name, undefined);
  }
  if (asynchronous) {
    refuseResizable(bytes, 'data');
    refuseResizable(target, 'options.target');
  }
  return {
    bytes: asynchronous ? byteLengthOf(bytes) : 0,
    target: target ?? Buffer.allocUnsafe(size),
    secret: undefined,
    signal,
    always,
    digest,
    key: undefined,
    data: bytes,
    size,
    encoding,
  };
}

/**
 * @param {DigestCall} call
 * @param {number} written
 * @returns {Uint8Array | string}
 */
function finish({ target, encoding }, written) {
  if (encoding !== undefined) return /** @type {Buffer} */ (target).toString(encoding);
  return byteLengthOf(target) === written ? target : subarrayOf(target, 0, written);
}

/** How each is run, once its arguments are read. */
const hashJob = {
  inlineBytes: INLINE_BYTES,
  /** @param {DigestCall} call */
  run: (call) => native.hash(call.digest.id, call.data, call.target, call.size),
  /** @type {(slot: number, maxQueued: number, call: DigestCall) => boolean} */
  submit: (slot, maxQueued, call) =>
    native.hashAsync(slot, maxQueued, call.digest.id, call.data, call.target, call.size),
};

const hmacJob = {
  inlineBytes: INLINE_BYTES,
  /** @param {DigestCall} call */
  run: (call) => native.hmac(call.digest.id, call.key, call.data, call.target),
  /** @type {(slot: number, maxQueued: number, call: DigestCall) => boolean} */
  submit: (slot, maxQueued, call) =>
    native.hmacAsync(slot, maxQueued, call.digest.id, call.key, call.data, call.target),
};

const [hash, hashAsync] = forms({
  ...hashJob,
  name: 'hash',
  /**
   * @param {boolean} asynchronous
   * @param {any} algorithm
   * @param {any} data
   * @param {any} options
   */
  prepare: (asynchronous, algorithm, data, options) =>
    prepare(asynchronous, toDigest(algorithm), algorithm, data, options, { lengths: true }),
  finish,
});

const [hmac, hmacAsync] = forms({
  ...hmacJob,
  name: 'hmac',
  /**
   * @param {boolean} asynchronous
   * @param {any} algorithm
   * @param {any} keyLike
   * @param {any} data
   * @param {any} options
   */
  prepare(asynchronous, algorithm, keyLike, data, options) {
    const digest = toDigest(algorithm);
    if (!digest.hmac) throw unknownAlgorithm('HMAC digest', algorithm, 'it has no fixed length');
    const key = toKey(keyLike, { text: true });
    const call = prepare(asynchronous, digest, algorithm, data, options, { lengths: false });
    if (asynchronous) refuseResizable(key, 'key');
    openKey(call, key);
    return call;
  },
  finish,
});

/**
 * How well a name of several for one digest serves: 'ripemd160' rather than 'ripemd', for it tells
 * the size, and 'sha256' rather than 'sha-256' or 'sha2-256', for all Nodes list it so.
 * @param {string} name
 */
function rankOf(name) {
  if (!/\d$/.test(name)) return 2;
  return /[a-z]-\d|\/|^sha2-/i.test(name) ? 1 : 0;
}

/**
 * Every digest that this Node offers, each once, under the name that getHashes() has for it where
 * it has one.
 * @returns {string[]}
 */
function listHashes() {
  /** @type {Map<number, string>} */
  const names = new Map();
  const candidates = [...getHashes(), 'keccak-kmac128', 'keccak-kmac256', 'md5-sha1', 'sm3'];
  for (const name of candidates) {
    const digest = native.findDigest(name);
    if (digest === undefined) continue;
    const known = names.get(digest.id);
    if (known === undefined || rankOf(name) < rankOf(known)) {
      names.set(digest.id, name.toLowerCase());
    }
  }
  return [...names.values()].sort();
}

module.exports = {
  finishDigest: finish,
  hash,
  hashAsync,
  hashJob,
  hmac,
  hmacAsync,
  hmacJob,
  listHashes,
  prepareDigest: prepare,
  toDigest,
  toSize,
};
