'use strict';

/** Documents that come from a Readable and go to a Writable. */

const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Readable, Writable } = require('node:stream');
const { pipeline } = require('node:stream/promises');

const { kindOf, partOf, byteLengthOf } = require('./bytes');
const { coded, invalidArgType } = require('./errors');

/** A source of more bytes than this goes to a temporary file first. */
const SPOOL_BYTES = 64 * 1024 * 1024;

const WRITE_BYTES = 64 * 1024;

/** @param {any} value @returns {value is Readable} */
const isReadable = (value) => value instanceof Readable;

/** @param {any} value @returns {value is Writable} */
const isWritable = (value) => value instanceof Writable;

/**
 * A file that has no name any more, so that nothing is left of it whatever becomes of this process.
 * @returns {Promise<fs.promises.FileHandle>}
 */
async function openNameless() {
  const name = path.join(os.tmpdir(), `offloop-${crypto.randomBytes(8).toString('hex')}.tmp`);
  const file = await fs.promises.open(name, 'wx+', 0o600);
  try {
    await fs.promises.unlink(name);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/**
 * @typedef {object} Spool a whole document: bytes, or the path of a file
 * @property {Uint8Array | undefined} data
 * @property {string | undefined} path valid until close
 * @property {() => void} close
 */

/** Gathers bytes in memory, and past a limit in a file. */
class Gatherer {
  /** @type {Uint8Array[]} */
  chunks = [];
  size = 0;
  /** @type {fs.promises.FileHandle | undefined} */
  file = undefined;

  /** @param {Uint8Array} chunk */
  async add(chunk) {
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size > SPOOL_BYTES) await this.spill();
  }

  async spill() {
    this.file ??= await openNameless();
    for (const chunk of this.chunks) await this.file.appendFile(chunk);
    this.chunks = [];
  }

  close() {
    // Nothing hangs on the outcome: the file has no name, and has been read.
    this.file?.close().catch(() => {});
  }

  /** @returns {Spool} */
  end() {
    const close = () => this.close();
    if (this.file === undefined) {
      return { data: Buffer.concat(this.chunks), path: undefined, close };
    }
    return { data: undefined, path: `/dev/fd/${this.file.fd}`, close };
  }
}

/**
 * @param {any} chunk
 * @returns {Uint8Array}
 */
function toChunk(chunk) {
  if (kindOf(chunk) !== undefined) return partOf(chunk, 0, byteLengthOf(chunk));
  throw invalidArgType('source', 'a Readable of bytes', chunk);
}

/**
 * Reads a stream to its end; destroys it where that fails.
 * @param {Readable} source
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<Spool>}
 */
async function drain(source, signal) {
  const gatherer = new Gatherer();
  const onAbort = () => source.destroy(/** @type {AbortSignal} */ (signal).reason);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    for await (const chunk of source) await gatherer.add(toChunk(chunk));
    signal?.throwIfAborted();
    return gatherer.end();
  } catch (error) {
    gatherer.close();
    source.destroy();
    if (signal?.aborted) throw signal.reason;
    throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * A pipeline would take a stream that has closed already for one that has been written.
 * @param {Writable} target
 */
function checkWritable(target) {
  if (target.errored) throw target.errored;
  if (target.destroyed) {
    throw coded(Error, 'ERR_STREAM_DESTROYED', 'The target was destroyed before it was written');
  }
  if (!target.writable) {
    throw coded(Error, 'ERR_STREAM_WRITE_AFTER_END', 'The target was ended before it was written');
  }
}

/**
 * Writes everything as fast as the stream takes it, ends it, and waits until it is done.
 * @param {Writable} target
 * @param {Uint8Array} data
 * @param {AbortSignal | undefined} signal
 */
async function writeAll(target, data, signal) {
  checkWritable(target);
  const chunks = function* () {
    for (let at = 0; at < data.length; at += WRITE_BYTES) {
      yield data.subarray(at, at + WRITE_BYTES);
    }
  };
  try {
    await pipeline(Readable.from(chunks(), { objectMode: false }), target, { signal });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}

module.exports = { drain, isReadable, isWritable, writeAll };
