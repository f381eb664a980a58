'use strict';

/**
 * A drop-in for @ronomon/crypto-async 5.
 *
 * Its methods are told what to do by the number of their arguments alone. Here each number that a
 * method takes is one form in a table; a form is read into slices of buffers, by role, and these
 * become the call of an ordinary operation. Errors, their words and their order are the original's.
 */

const { byteLengthOf, partOf, refuseResizable } = require('./bytes');
const { cipherJob } = require('./cipher');
const { toCipher, toDigest } = require('./crypto-async/algorithms');
const messages = require('./crypto-async/messages');
const { callBack, callNow } = require('./crypto-async/replies');
const { checkRanges, readRanges, readWhole, roles } = require('./crypto-async/slices');
const { coded } = require('./errors');
const { hashJob, hmacJob } = require('./hash');

/**
 * @typedef {import('./crypto-async/slices').Role} Role
 * @typedef {InstanceType<typeof import('./crypto-async/slices').Slice>} Slice
 * @typedef {import('./crypto-async/replies').Call} Call
 * @typedef {import('./crypto-async/replies').Job} Job
 * @typedef {import('./cipher').Cipher} Cipher
 * @typedef {import('./hash').Digest} Digest
 */

const CIPHER_BLOCK_MAX = 32;
const POLY1305_TAG_MAX = 16;
const GCM_TAG_SIZES = [4, 8, 12, 13, 14, 15, 16];

const { key, iv, source, target, aad, tag } = roles;

/**
 * One way to call a method.
 * @typedef {object} Form
 * @property {readonly Role[]} buffers in the order of the arguments
 * @property {boolean} ranges offsets and sizes go with the buffers, and the result into a target
 * @property {boolean} callbackFirst the callback is checked before the algorithm, not after all else
 * @property {boolean} [asynchronous] the last argument is a callback
 */

/**
 * What differs between the methods. Where a result is a Buffer of its own, that is `buffer`.
 * @typedef {object} Method
 * @property {number} leading arguments in front of the buffers
 * @property {Form[]} forms without a callback
 * @property {(args: any[]) => any} toAlgorithm reads the leading arguments
 * @property {(algorithm: any, slices: Slice[]) => number} toSize of the result, in bytes
 * @property {(algorithm: any, slices: Slice[]) => void} checkSizes
 * @property {(args: any[], algorithm: any, slices: Slice[], target: Uint8Array,
 *   buffer: Buffer | undefined) => Call} toCall
 * @property {Job} job
 */

/**
 * @param {Method} method
 * @returns {Form[]} the form for each number of arguments
 */
function tabulate({ forms, leading }) {
  /** @type {Form[]} */
  const table = [];
  for (const form of forms) {
    const { buffers, ranges } = form;
    const count = buffers.reduce((sum, { sized }) => sum + (ranges ? (sized ? 3 : 2) : 1), leading);
    table[count] = { ...form, asynchronous: false };
    table[count + 1] = { ...form, asynchronous: true };
  }
  return table;
}

/**
 * @param {readonly Role[]} buffers
 * @param {any[]} args
 * @param {number} at where the first of them stands
 */
function requireBuffers(buffers, args, at) {
  for (const role of buffers) {
    if (!Buffer.isBuffer(args[at++])) throw new Error(role.buffer);
  }
}

/** @param {unknown} callback */
function requireCallback(callback) {
  if (typeof callback !== 'function') throw new Error(messages.E_CALLBACK);
}

/** @param {Slice[]} slices */
function refuseResizables(slices) {
  for (const role of [source, target, tag]) refuseResizable(slices[role.index].view, role.name);
}

/**
 * @param {Method} method
 * @returns {(...args: any[]) => any}
 */
function toFunction(method) {
  const { leading, toAlgorithm, toSize, checkSizes, toCall, job } = method;
  const table = tabulate(method);
  return (...args) => {
    const form = table[args.length];
    if (form === undefined) throw new Error(messages.E_ARGUMENTS);
    const { buffers, ranges, callbackFirst, asynchronous } = form;
    const callback = args[args.length - 1];
    if (!ranges) requireBuffers(buffers, args, leading);
    if (asynchronous && callbackFirst) requireCallback(callback);
    const algorithm = toAlgorithm(args);
    const slices = ranges ? readRanges(buffers, args, leading) : readWhole(buffers, args, leading);
    const size = toSize(algorithm, slices);
    if (ranges) {
      slices[target.index].size = size;
      checkRanges(buffers, slices);
    }
    checkSizes(algorithm, slices);
    if (asynchronous) {
      if (!callbackFirst) requireCallback(callback);
      refuseResizables(slices);
    }
    const buffer = ranges ? undefined : Buffer.allocUnsafe(size);
    const call = toCall(args, algorithm, slices, buffer ?? slices[target.index].bytes(), buffer);
    if (!asynchronous) return callNow(job, call);
    return callBack(job, call, callback);
  };
}

/** A result is a Buffer, or how many bytes went to the caller's target. */
const finish = (/** @type {any} */ { buffer }, /** @type {number} */ written) => buffer ?? written;

/** @param {any[]} args */
function toCipherAndDirection([algorithm, encrypt]) {
  const cipher = toCipher(algorithm);
  if (encrypt !== 0 && encrypt !== 1) throw new Error(messages.E_ENCRYPT);
  return cipher;
}

/**
 * @param {Cipher} cipher
 * @param {number} size
 */
function isTagSize({ aead, gcm }, size) {
  if (!aead) return size === 0;
  return gcm ? GCM_TAG_SIZES.includes(size) : size >= 1 && size <= POLY1305_TAG_MAX;
}

/**
 * @param {Cipher} cipher
 * @param {Slice[]} slices
 */
function checkCipherSizes(cipher, slices) {
  if (slices[key.index].size !== cipher.keySize) throw new Error(messages.E_KEY_INVALID);
  if (slices[iv.index].size !== cipher.ivSize) throw new Error(messages.E_IV_INVALID);
  if (!cipher.aead && slices[aad.index].size > 0) throw new Error(messages.E_AAD_INVALID);
  if (!isTagSize(cipher, slices[tag.index].size)) throw new Error(messages.E_TAG_INVALID);
}

/**
 * @param {any[]} args
 * @param {Cipher} cipher
 * @param {Slice[]} slices
 * @param {Uint8Array} output
 * @param {Buffer | undefined} buffer
 */
const toCipherCall = ([, encrypt], cipher, slices, output, buffer) => ({
  bytes: slices[source.index].size + slices[aad.index].size,
  target: output,
  secret: undefined,
  signal: undefined,
  always: false,
  cipher,
  encrypting: encrypt === 1,
  key: slices[key.index].bytes(),
  iv: slices[iv.index].bytes(),
  data: slices[source.index].bytes(),
  aad: slices[aad.index].bytes(),
  tag: cipher.aead ? slices[tag.index].bytes() : undefined,
  tagLength: slices[tag.index].size,
  buffer,
  /** @type {Uint8Array | undefined} */
  copy: undefined,
  /** @type {Uint8Array | undefined} */
  tagPlace: undefined,
});

/** @typedef {ReturnType<typeof toCipherCall>} CipherCall */

/** @param {Uint8Array} view */
const copyOf = (view) => new Uint8Array(partOf(view, 0, byteLengthOf(view)));

/**
 * Runs a cipher, whose buffers may overlap in any way: where the native operation refuses that, it is
 * given copies of what the target's bytes would destroy.
 * @param {CipherCall} call
 * @param {() => any} attempt
 */
function withAnyOverlap(call, attempt) {
  try {
    return attempt();
  } catch (error) {
    if (/** @type {any} */ (error).code !== 'ERR_INVALID_ARG_VALUE') throw error;
  }
  call.copy = call.data = copyOf(call.data);
  if (call.tag !== undefined) {
    if (call.encrypting) call.tagPlace = call.tag;
    call.tag = copyOf(call.tag);
  }
  return attempt();
}

/** @type {Job} */
const overlappingCipherJob = {
  name: 'cipher',
  inlineBytes: cipherJob.inlineBytes,
  run: (call) => withAnyOverlap(call, () => cipherJob.run(call)),
  submit: (slot, maxQueued, call) =>
    withAnyOverlap(call, () => cipherJob.submit(slot, maxQueued, call)),
  finish(call, written) {
    if (call.tagPlace !== undefined) partOf(call.tagPlace, 0, call.tagLength).set(call.tag);
    return finish(call, written);
  },
};

/**
 * @param {any[]} _args
 * @param {Digest} digest
 * @param {Slice[]} slices
 * @param {Uint8Array} output
 * @param {Buffer | undefined} buffer
 */
const toDigestCall = (_args, digest, slices, output, buffer) => ({
  bytes: slices[source.index].size + slices[key.index].size,
  target: output,
  secret: undefined,
  signal: undefined,
  always: false,
  digest,
  key: slices[key.index].bytes(),
  data: slices[source.index].bytes(),
  size: digest.size,
  buffer,
  copy: undefined,
});

const digestMethod = {
  leading: 1,
  toAlgorithm: (/** @type {any[]} */ [algorithm]) => toDigest(algorithm),
  toSize: (/** @type {Digest} */ digest) => digest.size,
  checkSizes() {},
  toCall: toDigestCall,
};

/**
 * HMAC is not defined over digests without a length of their own, as SHAKE.
 * @param {any} call
 */
function requireHmac({ digest }) {
  if (!digest.hmac) throw coded(Error, 'ERR_OFFLOOP_CRYPTO', 'initialization failed');
}

const cipher = toFunction({
  leading: 2,
  forms: [
    { buffers: [key, iv, source], ranges: false, callbackFirst: true },
    { buffers: [key, iv, source, aad, tag], ranges: false, callbackFirst: true },
    { buffers: [key, iv, source, target], ranges: true, callbackFirst: true },
    { buffers: [key, iv, source, target, aad, tag], ranges: true, callbackFirst: false },
  ],
  toAlgorithm: toCipherAndDirection,
  toSize: (_cipher, slices) => slices[source.index].size,
  checkSizes: checkCipherSizes,
  toCall: toCipherCall,
  job: overlappingCipherJob,
});

const hash = toFunction({
  ...digestMethod,
  forms: [
    { buffers: [source], ranges: false, callbackFirst: true },
    { buffers: [source, target], ranges: true, callbackFirst: false },
  ],
  job: { ...hashJob, name: 'hash', finish },
});

const hmac = toFunction({
  ...digestMethod,
  forms: [
    { buffers: [key, source], ranges: false, callbackFirst: true },
    { buffers: [key, source, target], ranges: true, callbackFirst: false },
  ],
  job: {
    name: 'hmac',
    inlineBytes: hmacJob.inlineBytes,
    run(call) {
      requireHmac(call);
      return hmacJob.run(call);
    },
    submit(slot, maxQueued, call) {
      requireHmac(call);
      return hmacJob.submit(slot, maxQueued, call);
    },
    finish,
  },
});

module.exports = {
  ...require('./crypto-async/messages'),
  CIPHER_BLOCK_MAX,
  cipher,
  hash,
  hmac,
};
