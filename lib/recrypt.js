'use strict';

/** recrypt and pdfEncryption. */

const { isAnyArrayBuffer } = require('node:util').types;

const native = require('./binding');
const { byteLengthOf, refuseResizable, toBytes } = require('./bytes');
const { invalidArgType, invalidArgValue } = require('./errors');
const { forms } = require('./operation');
const { toAsyncOptions, toBoolean, toChoice, toOptions } = require('./options');
const { toPath } = require('./paths');
const { describeP, toP, toScheme, toVersion } = require('./pdf-options');
const { encodeNewPassword, passwordCandidates, toPassword } = require('./pdf-password');
const { drain, isReadable, isWritable, writeAll } = require('./pdf-streams');

/** A document always leaves the loop. */
const INLINE_BYTES = -1;

/** What the native operation takes as one number; as in src/op_recrypt.c. */
const STREAMS_SHIFT = 4;
const ENCRYPT_METADATA = 1 << 6;
const LINEARIZE = 1 << 7;
const STRICT = 1 << 8;
const OBJECT_STREAMS = ['preserve', 'generate', 'disable'];

/** Milliseconds between two looks at how far a job has come. */
const PROGRESS_INTERVAL = 50;

const SOURCE = 'a path, a URL, or bytes';
const ASYNC_SOURCE = `${SOURCE}, or a Readable`;
const TARGET = 'a path or a URL';
const ASYNC_TARGET = `${TARGET}, or a Writable`;

/** @param {any} value */
const isPath = (value) => typeof value === 'string' || value instanceof URL;

/**
 * @typedef {object} Source exactly one is given by the time the job runs
 * @property {Buffer | undefined} path
 * @property {Uint8Array | undefined} data
 * @property {import('node:stream').Readable} [stream]
 */

/**
 * @param {any} source
 * @param {boolean} asynchronous
 * @returns {Source}
 */
function toSource(source, asynchronous) {
  if (isPath(source)) return { path: toPath(source, 'source'), data: undefined };
  if (asynchronous && isReadable(source))
    return { path: undefined, data: undefined, stream: source };
  const data = toBytes(source, 'source', asynchronous ? ASYNC_SOURCE : SOURCE);
  if (asynchronous) refuseResizable(data, 'source');
  return { path: undefined, data };
}

/**
 * Byte strings, each behind its length, in one buffer that is wiped as a whole.
 * @param {Uint8Array[]} strings which are wiped here
 * @returns {Buffer}
 */
function pack(strings) {
  const size = strings.reduce((sum, { length }) => sum + 4 + length, 0);
  const packed = Buffer.alloc(size);
  let at = 0;
  for (const each of strings) {
    packed.writeUInt32LE(each.length, at);
    packed.set(each, at + 4);
    at += 4 + each.length;
    each.fill(0);
  }
  return packed;
}

/**
 * @param {any} value
 * @param {string} name
 * @returns {((...args: any[]) => void) | undefined}
 */
function toCallback(value, name) {
  if (value === undefined || typeof value === 'function') return value;
  throw invalidArgType(name, 'of type function', value);
}

/**
 * @param {any} value
 * @param {string} name
 */
const toOptionalPassword = (value, name) =>
  value === undefined ? undefined : toPassword(value, name);

/** @param {any} value @param {string} name @param {boolean} otherwise */
const toFlag = (value, name, otherwise) =>
  value === undefined ? otherwise : toBoolean(value, name);

/**
 * How the output is encrypted; nothing may be said about that without a new password.
 * @param {Record<string, any>} options
 */
function toProtection(options) {
  const { userPassword, ownerPassword, encryption, userProtectionFlag } = options;
  const { permissions, encryptMetadata } = options;
  const version = toVersion(options.version);
  const user = toOptionalPassword(userPassword, 'options.userPassword');
  const owner = toOptionalPassword(ownerPassword, 'options.ownerPassword');
  if (user === undefined && owner === undefined) {
    refuseUnset(options);
    const given = { encryption, userProtectionFlag, permissions, encryptMetadata };
    const [name] = Object.entries({ ...given, version: version === 0 ? undefined : version }).find(
      ([, value]) => value !== undefined,
    ) ?? [undefined];
    if (name === undefined) return { cipher: 0, p: 0, version, encryptMetadata: true, secrets: [] };
    throw invalidArgValue(`options.${name}`, 'needs a userPassword or an ownerPassword');
  }
  const scheme = toScheme(encryption, version);
  const metadata = toFlag(encryptMetadata, 'options.encryptMetadata', true);
  if (!metadata && scheme.name === 'rc4-40') {
    throw invalidArgValue('options.encryptMetadata', 'cannot be false with rc4-40');
  }
  return {
    cipher: scheme.id,
    p: toP({ userProtectionFlag, permissions }, scheme, metadata),
    version,
    encryptMetadata: metadata,
    secrets: [
      encodeNewPassword(user, 'options.userPassword', scheme.modern),
      encodeNewPassword(owner, 'options.ownerPassword', scheme.modern),
    ],
  };
}

/**
 * A password that is named but not there, such as an environment variable that nobody has set, must
 * not quietly yield a document without one.
 * @param {Record<string, any>} options
 */
function refuseUnset(options) {
  for (const name of ['userPassword', 'ownerPassword']) {
    if (name in options) throw invalidArgValue(`options.${name}`, 'is given, but is undefined');
  }
}

/**
 * @typedef {object} RecryptCall
 * @property {number} bytes
 * @property {undefined} target
 * @property {Buffer} secret
 * @property {AbortSignal | undefined} signal
 * @property {boolean} always
 * @property {Source} source
 * @property {Buffer | undefined} targetPath
 * @property {import('node:stream').Writable | undefined} targetStream
 * @property {number} flags
 * @property {number} p
 * @property {number} version
 * @property {Float64Array | undefined} progress
 * @property {((fraction: number) => void) | undefined} onProgress
 * @property {((message: string) => void) | undefined} onWarning
 */

/**
 * @param {boolean} asynchronous
 * @param {any} source
 * @param {any} target undefined for none
 * @param {any} given
 * @returns {RecryptCall}
 */
function prepare(asynchronous, source, target, given) {
  const options = toOptions(given);
  const { password, linearize, objectStreams, strict, onWarning } = options;
  const protection = toProtection(options);
  const { signal, always } = toAsyncOptions(asynchronous, options);
  const onProgress = asynchronous
    ? toCallback(options.onProgress, 'options.onProgress')
    : undefined;
  const streams =
    objectStreams === undefined
      ? 'preserve'
      : toChoice(objectStreams, 'options.objectStreams', OBJECT_STREAMS);
  const flags =
    protection.cipher |
    (OBJECT_STREAMS.indexOf(streams) << STREAMS_SHIFT) |
    (protection.encryptMetadata ? ENCRYPT_METADATA : 0) |
    (toFlag(linearize, 'options.linearize', false) ? LINEARIZE : 0) |
    (toFlag(strict, 'options.strict', false) ? STRICT : 0);
  const candidates = passwordCandidates(toOptionalPassword(password, 'options.password'));
  const warn = toCallback(onWarning, 'options.onWarning');
  const targetPath = isPath(target) ? toPath(target, 'target') : undefined;
  const from = toSource(source, asynchronous);
  const [user, owner] = protection.secrets;
  return {
    bytes: from.data === undefined ? 0 : byteLengthOf(from.data),
    target: undefined,
    secret: pack([user ?? Buffer.alloc(0), owner ?? Buffer.alloc(0), ...candidates]),
    signal,
    always,
    source: from,
    targetPath,
    targetStream: targetPath === undefined ? target : undefined,
    flags,
    p: protection.p,
    version: protection.version,
    progress: onProgress === undefined ? undefined : new Float64Array(1),
    onProgress,
    onWarning: warn,
  };
}

/** @param {RecryptCall} call */
const argumentsOf = ({ source, targetPath, secret, flags, p, version, progress }) => [
  source.path,
  source.data,
  targetPath,
  secret,
  flags,
  p,
  version,
  progress === undefined ? undefined : new Uint8Array(progress.buffer),
];

/** @typedef {{ bytesWritten: number, repaired: boolean, warnings: string[], data?: Buffer }} Result */

/**
 * What the caller gets of a job that is done.
 * @param {RecryptCall} call
 * @param {Result} result
 */
function conclude({ onProgress, onWarning, targetPath, targetStream }, result) {
  const { data, ...report } = result;
  if (onWarning !== undefined) for (const warning of report.warnings) onWarning(warning);
  onProgress?.(1);
  return targetPath === undefined && targetStream === undefined ? data : report;
}

/**
 * Tells how far a job has come, from time to time.
 * @param {RecryptCall} call
 * @returns {() => void} ends it
 */
function watchProgress({ progress, onProgress }) {
  if (progress === undefined || onProgress === undefined) return () => {};
  let last = 0;
  const timer = setInterval(() => {
    const [fraction] = progress;
    if (fraction <= last || fraction >= 1) return;
    last = fraction;
    onProgress(fraction);
  }, PROGRESS_INTERVAL);
  timer.unref();
  return () => clearInterval(timer);
}

/** Runs a call that is prepared already. */
const [runAtOnce, runOnPool] = forms({
  name: 'recrypt',
  inlineBytes: INLINE_BYTES,
  /**
   * @param {boolean} _asynchronous
   * @param {RecryptCall} call
   */
  prepare: (_asynchronous, call) => call,
  run: (call) => native.recrypt(...argumentsOf(call)),
  submit: (slot, maxQueued, call) => native.recryptAsync(slot, maxQueued, ...argumentsOf(call)),
  /**
   * @param {RecryptCall} _call
   * @param {Result} result
   */
  finish: (_call, result) => result,
});

/**
 * Whether a second argument can be meant as options: what looks like another kind of target is not,
 * lest its document be returned and nothing written.
 * @param {any} value
 */
const mayBeOptions = (value) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !ArrayBuffer.isView(value) &&
  !isAnyArrayBuffer(value) &&
  !isWritable(value) &&
  !TARGET_METHODS.some((name) => name in value);

/** Of promises, web streams, and streams of other makers. */
const TARGET_METHODS = ['then', 'getWriter', 'write'];

/**
 * Tells (source, target, options) from (source, options). A target that is undefined or null must
 * not quietly mean the other form.
 * @param {any[]} args
 * @param {boolean} asynchronous
 * @returns {[any, any, any]}
 */
function sortArguments(args, asynchronous) {
  const [source, second, options] = args;
  if (args.length < 2) return [source, undefined, undefined];
  if (isPath(second) || (asynchronous && isWritable(second))) return [source, second, options];
  if (args.length > 2 || !mayBeOptions(second)) {
    throw invalidArgType('target', asynchronous ? ASYNC_TARGET : TARGET, second);
  }
  return [source, undefined, second];
}

/**
 * @param {...any} args source, target, options; or source, options
 * @returns {any}
 */
function recrypt(...args) {
  const call = prepare(false, ...sortArguments(args, false));
  return conclude(call, runAtOnce(call));
}

/**
 * @param {RecryptCall} call
 * @returns {Promise<Result>}
 */
async function runWatched(call) {
  const end = watchProgress(call);
  try {
    return await runOnPool(call);
  } finally {
    end();
  }
}

/**
 * Takes a source that is a stream in, before the job itself.
 * @param {RecryptCall} call
 * @returns {Promise<Result>}
 */
async function runFromStream(call) {
  const { source, signal } = call;
  if (source.stream === undefined) return runWatched(call);
  let spool;
  try {
    spool = await drain(source.stream, signal);
    const path = spool.path === undefined ? undefined : toPath(spool.path, 'source');
    const { data } = spool;
    const bytes = data === undefined ? 0 : data.length;
    return await runWatched({ ...call, bytes, source: { path, data } });
  } finally {
    call.secret.fill(0);
    spool?.close();
  }
}

/**
 * @param {any[]} args
 * @returns {RecryptCall}
 */
function prepareOrClose(args) {
  try {
    return prepare(true, ...sortArguments(args, true));
  } catch (error) {
    const [source, target] = args;
    if (isReadable(source)) source.destroy();
    if (isWritable(target)) target.destroy();
    throw error;
  }
}

/**
 * @param {...any} args as of recrypt
 * @returns {Promise<any>}
 */
async function recryptAsync(...args) {
  const call = prepareOrClose(args);
  const { targetStream, signal } = call;
  if (targetStream === undefined) return conclude(call, await runFromStream(call));
  // An error of the target while the document is made, too, is for the promise to tell.
  const ignore = () => {};
  targetStream.on('error', ignore);
  try {
    const result = await runFromStream(call);
    await writeAll(targetStream, /** @type {Buffer} */ (result.data), signal);
    targetStream.off('error', ignore);
    return conclude(call, result);
  } catch (error) {
    // Without an error of its own, which nobody may be listening for: the promise tells it.
    targetStream.destroy();
    throw error;
  }
}

/** As ol_pdf_method and OL_OPENS_AS_* in src/pdf. */
const METHODS = [null, 'rc4', 'aes-128', 'aes-256', 'mixed'];
const OPENS_AS = [null, 'user', 'owner', 'both'];

const NOT_ENCRYPTED = {
  encrypted: false,
  encryption: null,
  version: null,
  revision: null,
  keyBits: null,
  p: null,
  userProtectionFlag: null,
  permissions: null,
  encryptMetadata: null,
  opensAs: null,
};

/**
 * @param {unknown} _call
 * @param {Record<string, number> | undefined} info
 */
function describe(_call, info) {
  if (info === undefined) return { ...NOT_ENCRYPTED };
  const { method, version, revision, keyBits, p, encryptMetadata, opensAs } = info;
  return {
    encrypted: true,
    encryption: METHODS[method],
    version,
    revision,
    keyBits,
    p,
    ...describeP(p, revision),
    encryptMetadata: encryptMetadata !== 0,
    opensAs: OPENS_AS[opensAs],
  };
}

const [pdfEncryption, pdfEncryptionAsync] = forms({
  name: 'pdfEncryption',
  inlineBytes: INLINE_BYTES,
  /**
   * @param {boolean} asynchronous
   * @param {any} source
   * @param {any} given
   */
  prepare(asynchronous, source, given) {
    const options = toOptions(given);
    const password = toOptionalPassword(options.password, 'options.password');
    const { signal, always } = toAsyncOptions(asynchronous, options);
    const from = toSource(source, asynchronous);
    return {
      bytes: from.data === undefined ? 0 : byteLengthOf(from.data),
      target: undefined,
      secret: pack(passwordCandidates(password)),
      signal,
      always,
      source: from,
    };
  },
  run: ({ source, secret }) => native.pdfEncryption(source.path, source.data, secret),
  submit: (slot, maxQueued, { source, secret }) =>
    native.pdfEncryptionAsync(slot, maxQueued, source.path, source.data, secret),
  finish: describe,
});

module.exports = { pdfEncryption, pdfEncryptionAsync, recrypt, recryptAsync };
