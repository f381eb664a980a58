'use strict';

/** Streams whose work leaves the loop: createHash, createHmac, createEncrypt, createDecrypt, createCrc. */

const { Transform, addAbortSignal } = require('node:stream');

const native = require('./binding');
const { byteLengthOf, partOf, refuseResizable, toBytes } = require('./bytes');
const { readCipherOptions, toCipher } = require('./cipher');
const { toCrc } = require('./crc-table');
const { detached, outOfRange, unknownAlgorithm } = require('./errors');
const { toDigest, toSize } = require('./hash');
const { openKey, toKey } = require('./keys');
const { toOptions } = require('./options');
const { batches, sizeOf } = require('./pieces');
const { validateSignal } = require('./signals');
const { CrcEngine, DigestEngine, cipherEngine } = require('./stream-engines');

/** @typedef {import('./stream-engines').Engine} Engine */

/**
 * How much a stream lets wait unless told: some chunks of a file that is read in large ones, so that the
 * next job is there when one ends. Waking a thread takes as long as hashing 50 KiB or more.
 */
const HIGH_WATER_MARK = 4 * 1024 * 1024;

/**
 * What is Node's own business among a stream's options.
 * @param {Record<string, any>} options
 */
function readStreamOptions(options) {
  const { highWaterMark, readableHighWaterMark, writableHighWaterMark } = options;
  const { signal, encoding, defaultEncoding, emitClose } = options;
  return {
    highWaterMark,
    readableHighWaterMark,
    writableHighWaterMark: writableHighWaterMark ?? highWaterMark ?? HIGH_WATER_MARK,
    signal: validateSignal(signal, 'options.signal'),
    encoding,
    defaultEncoding,
    emitClose,
  };
}

/** @typedef {ReturnType<typeof readStreamOptions>} StreamOptions */

/**
 * Its memory must be there, and stay.
 * @param {Uint8Array} chunk
 */
function checkChunk(chunk) {
  refuseResizable(chunk, 'chunk');
  if (byteLengthOf(chunk) === 0 && native.isDetached(chunk.buffer)) throw detached('chunk');
}

/**
 * Gives its engine whatever has been written meanwhile, as one batch, and pushes what comes of it. Only
 * then are the writes called back, so what is outstanding is what Node's own buffers let in and what the
 * engine has.
 */
class WorkStream extends Transform {
  #engine;
  /** Aborted when the stream is destroyed, which ends its job. */
  #end = new AbortController();
  #working = false;
  /** @type {(() => void) | undefined} what waits for the job's end */
  #whenIdle;
  /** @type {(() => void) | undefined} what waits for someone to read */
  #whenRead;

  /**
   * @param {Engine} engine
   * @param {StreamOptions} options
   */
  constructor(engine, { signal, ...options }) {
    super({ ...options, decodeStrings: true });
    this.#engine = engine;
    if (signal !== undefined) addAbortSignal(signal, this);
  }

  /**
   * Calls back in a tick of its own, in the async context of this call: what a listener throws is
   * then an uncaught exception, and no other job's result is lost.
   * @param {() => Promise<Uint8Array[]>} start
   * @param {(error: any, more: boolean) => void} done `more`: someone wants to read on
   */
  #job(start, done) {
    this.#working = true;
    /** @type {(error: any, outputs: Uint8Array[]) => void} */
    const ended = (error, outputs) => {
      this.#working = false;
      this.#whenIdle?.();
      const failure = this.destroyed ? (this.errored ?? this.#end.signal.reason) : error;
      let more = true;
      if (failure === undefined) for (const output of outputs) more = this.push(output);
      done(failure, more);
    };
    start().then(
      (outputs) => process.nextTick(ended, undefined, outputs),
      (error) => process.nextTick(ended, error, []),
    );
  }

  /**
   * @param {Iterator<Uint8Array[], void>} list of batches
   * @param {(error?: Error | null) => void} callback
   */
  #next(list, callback) {
    const { value: batch } = list.next();
    if (batch === undefined) return callback();
    const bytes = sizeOf(batch);
    this.#job(
      () => this.#engine.take(batch, bytes, this.#end.signal),
      (error, more) => {
        if (error !== undefined) return callback(error);
        const goOn = () => this.#next(list, callback);
        if (more) return goOn();
        this.#whenRead = goOn;
      },
    );
  }

  /**
   * @param {any} chunk
   * @param {BufferEncoding} _encoding
   * @param {(error?: Error | null) => void} callback
   */
  _write(chunk, _encoding, callback) {
    this.#take([chunk], callback);
  }

  /**
   * @param {{ chunk: any, encoding: BufferEncoding }[]} entries
   * @param {(error?: Error | null) => void} callback
   */
  _writev(entries, callback) {
    this.#take(
      entries.map(({ chunk }) => chunk),
      callback,
    );
  }

  /**
   * @param {Uint8Array[]} chunks
   * @param {(error?: Error | null) => void} callback
   */
  #take(chunks, callback) {
    try {
      for (const chunk of chunks) checkChunk(chunk);
    } catch (error) {
      process.nextTick(callback, error);
      return;
    }
    this.#next(batches(chunks, this.#engine.batchBytes), callback);
  }

  _read() {
    const goOn = this.#whenRead;
    this.#whenRead = undefined;
    goOn?.();
  }

  /** @param {(error?: Error | null) => void} callback */
  _flush(callback) {
    this.#job(
      () => this.#engine.last(this.#end.signal),
      (error) => callback(error),
    );
  }

  /**
   * @param {Error | null} error
   * @param {(error?: Error | null) => void} callback
   */
  _destroy(error, callback) {
    const destroyed = async () => {
      await this.#engine.release();
      callback(error);
    };
    this.#end.abort();
    if (this.#working) this.#whenIdle = destroyed;
    else destroyed();
  }
}

class CrcStream extends WorkStream {
  #engine;

  /**
   * @param {CrcEngine} engine
   * @param {StreamOptions} options
   */
  constructor(engine, options) {
    super(engine, options);
    this.#engine = engine;
  }

  /** The checksum of what has passed so far. */
  get value() {
    return this.#engine.value;
  }
}

/**
 * @param {any} algorithm
 * @param {any} given
 * @returns {Transform}
 */
function createHash(algorithm, given) {
  const digest = toDigest(algorithm);
  const options = toOptions(given);
  const size = toSize(digest, algorithm, options.outputLength);
  const streamOptions = readStreamOptions(options);
  const engine = new DigestEngine(native.hashStream(digest.id, size), size);
  return new WorkStream(engine, streamOptions);
}

/**
 * @param {any} algorithm
 * @param {any} keyLike
 * @param {any} given
 * @returns {Transform}
 */
function createHmac(algorithm, keyLike, given) {
  const digest = toDigest(algorithm);
  if (!digest.hmac) throw unknownAlgorithm('HMAC digest', algorithm, 'it has no fixed length');
  const key = toKey(keyLike, { text: true });
  const streamOptions = readStreamOptions(toOptions(given));
  const state = withKey(key, (bytes) => native.hmacStream(digest.id, digest.size, bytes));
  return new WorkStream(new DigestEngine(state, digest.size), streamOptions);
}

/**
 * @param {Uint8Array | import('node:crypto').KeyObject} key
 * @param {(key: Uint8Array) => any} make
 */
function withKey(key, make) {
  /** @type {any} */
  const opened = { key: undefined, secret: undefined };
  openKey(opened, key);
  try {
    return make(opened.key);
  } finally {
    opened.secret?.fill(0);
  }
}

/**
 * A stream has no target.
 * @param {Record<string, any>} options
 */
const pickCipherOptions = ({ aad, tag, tagLength }) => ({ aad, tag, tagLength });

/**
 * @param {boolean} encrypting
 * @param {any} algorithm
 * @param {any} keyLike
 * @param {any} iv
 * @param {any} given
 */
function createCipher(encrypting, algorithm, keyLike, iv, given) {
  const cipher = toCipher(algorithm);
  const key = toKey(keyLike, { text: false });
  const vector = toBytes(iv, 'iv');
  const options = toOptions(given);
  /** @type {any} */
  const call = { cipher, tagLength: 16, aad: undefined, tag: undefined };
  readCipherOptions(call, pickCipherOptions(options), false);
  const { aad, tag, tagLength } = call;
  if (tag !== undefined && byteLengthOf(tag) < tagLength) {
    throw outOfRange('options.tag', `of ${tagLength} bytes`, byteLengthOf(tag));
  }
  const streamOptions = readStreamOptions(options);
  if (encrypting) refuseResizable(tag, 'options.tag');
  const known = encrypting || tag === undefined ? undefined : partOf(tag, 0, tagLength);
  const state = withKey(key, (bytes) =>
    native.cipherStream(cipher.id, encrypting, tagLength, bytes, vector, aad, known),
  );
  const tagBytes = cipher.aead && encrypting ? tagLength : 0;
  const engine = cipherEngine(state, tagBytes, encrypting ? tag : undefined);
  return new WorkStream(engine, streamOptions);
}

/**
 * @param {any} algorithm
 * @param {any} key
 * @param {any} iv
 * @param {any} options
 * @returns {Transform}
 */
const createEncrypt = (algorithm, key, iv, options) =>
  createCipher(true, algorithm, key, iv, options);

/**
 * @param {any} algorithm
 * @param {any} key
 * @param {any} iv
 * @param {any} options
 * @returns {Transform}
 */
const createDecrypt = (algorithm, key, iv, options) =>
  createCipher(false, algorithm, key, iv, options);

/**
 * @param {any} name
 * @param {any} given
 * @returns {CrcStream}
 */
function createCrc(name = 'crc32', given) {
  const crc = toCrc(name, 'name');
  const options = toOptions(given);
  const { value = crc.zero } = options;
  const engine = new CrcEngine(crc, crc.toValue(value, 'options.value'));
  return new CrcStream(engine, readStreamOptions(options));
}

module.exports = { createCrc, createDecrypt, createEncrypt, createHash, createHmac };
