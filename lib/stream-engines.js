'use strict';

/** What each kind of stream does with the data that comes: see stream.js. */

const native = require('./binding');
const { byteLengthOf, partOf } = require('./bytes');
const { detached } = require('./errors');
const { forms } = require('./operation');

/** The most that one job writes: what it has written waits, until someone reads it. */
const OUTPUT_BYTES = 1024 * 1024;

/** A digest copies less than this to its slab, for a job costs as much as copying some 100 KiB. */
const DIRECT_BYTES = 128 * 1024;
/** A digest's slab; its first one, which may be its only one, has DIRECT_BYTES. */
const SLAB_BYTES = 512 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * @typedef {object} Engine
 * @property {number} batchBytes the most bytes that `take` gets at a time
 * @property {(pieces: Uint8Array[], bytes: number, signal: AbortSignal) => Promise<Uint8Array[]>} take
 *   does something with a batch of data, as one job that the signal ends; what it resolves to is
 *   pushed
 * @property {(signal: AbortSignal) => Promise<Uint8Array[]>} last what comes at the end
 * @property {() => void | Promise<void>} release frees what the engine has, once no job is at work;
 *   neither of the above is called meanwhile or after it
 */

/**
 * How a job of an engine is carried out; `run` and `submit` as in operation.js.
 * @param {string} name
 * @param {number} inlineBytes
 * @param {(work: any) => any} run
 * @param {(slot: number, maxQueued: number, work: any) => boolean} submit
 * @returns {(work: any) => Promise<any>}
 */
const asyncWork = (name, inlineBytes, run, submit) =>
  forms({
    name,
    inlineBytes,
    /** @param {boolean} _asynchronous @param {any} work */
    prepare: (_asynchronous, work) => work,
    run,
    submit,
    finish: (_work, value) => value,
  })[1];

const update = asyncWork(
  'streamUpdate',
  2048,
  ({ state, target, pieces }) => native.streamUpdate(state, target, ...pieces),
  (slot, maxQueued, { state, target, pieces }) =>
    native.streamUpdateAsync(slot, maxQueued, state, target, ...pieces),
);

const finish = asyncWork(
  'streamFinish',
  2048,
  ({ state, target }) => native.streamFinish(state, target),
  (slot, maxQueued, { state, target }) => native.streamFinishAsync(slot, maxQueued, state, target),
);

const sum = asyncWork(
  'streamSum',
  65536,
  ({ crc, value, pieces }) => native.crcPieces(crc.id, value, ...pieces),
  (slot, maxQueued, { crc, value, pieces }) =>
    native.crcPiecesAsync(slot, maxQueued, crc.id, value, ...pieces),
);

/**
 * What every job has.
 * @param {number} bytes
 * @param {Uint8Array | undefined} target
 * @param {AbortSignal} signal
 */
const workOf = (bytes, target, signal) => ({
  bytes,
  target,
  secret: undefined,
  signal,
  always: false,
});

/**
 * Ends a native stream.
 * @param {any} state
 * @param {number} size
 * @param {AbortSignal} signal
 * @returns {Promise<Buffer>} what it ends with
 */
async function finishState(state, size, signal) {
  const target = Buffer.allocUnsafe(size);
  await finish({ ...workOf(size, target, signal), state });
  native.streamClose(state);
  return target;
}

/**
 * Nobody waits for what a digest does with its data before the end. So small chunks are copied to a slab,
 * which is hashed when it is full, while the other one fills.
 * @implements {Engine}
 */
class DigestEngine {
  batchBytes = Infinity;
  #slab = NOTHING;
  #spare = NOTHING;
  #used = 0;
  /** The slab's job at work. @type {Promise<unknown>} */
  #flight = Promise.resolve();

  /**
   * @param {any} state a native stream
   * @param {number} size
   */
  constructor(state, size) {
    this.state = state;
    this.size = size;
  }

  /**
   * @param {Uint8Array[]} pieces
   * @param {number} bytes
   * @param {AbortSignal} signal
   */
  async take(pieces, bytes, signal) {
    if (bytes >= DIRECT_BYTES) {
      await this.#hashSlab(signal);
      await this.#flight;
      await this.#hash(pieces, bytes, signal);
      return [];
    }
    if (this.#used + bytes > this.#slab.length) await this.#hashSlab(signal);
    for (const piece of pieces) {
      this.#slab.set(piece, this.#used);
      this.#used += piece.length;
    }
    return [];
  }

  /**
   * @param {Uint8Array[]} pieces
   * @param {number} bytes
   * @param {AbortSignal} signal
   */
  #hash(pieces, bytes, signal) {
    return update({ ...workOf(bytes, undefined, signal), state: this.state, pieces });
  }

  /**
   * Starts to hash the slab and puts the other one in its place.
   * @param {AbortSignal} signal
   */
  async #hashSlab(signal) {
    await this.#flight;
    const filled = this.#slab;
    const used = this.#used;
    this.#slab = this.#spare;
    this.#spare = filled;
    this.#used = 0;
    if (this.#slab.length < SLAB_BYTES) {
      this.#slab = Buffer.allocUnsafeSlow(filled === NOTHING ? DIRECT_BYTES : SLAB_BYTES);
    }
    if (used === 0) return;
    this.#flight = this.#hash([filled.subarray(0, used)], used, signal);
    // What fails is told to whoever writes next, or ends the stream.
    this.#flight.catch(() => {});
  }

  /** @param {AbortSignal} signal */
  async last(signal) {
    if (this.#used > 0) await this.#hashSlab(signal);
    await this.#flight;
    return [await finishState(this.state, this.size, signal)];
  }

  async release() {
    await this.#flight.catch(() => {});
    native.streamClose(this.state);
  }
}

/**
 * @param {any} state a native stream
 * @param {number} tagBytes
 * @param {Uint8Array | undefined} tag where the tag goes, if not to the end of the output
 * @returns {Engine}
 */
const cipherEngine = (state, tagBytes, tag) => ({
  batchBytes: OUTPUT_BYTES,
  async take(pieces, bytes, signal) {
    const target = Buffer.allocUnsafe(bytes);
    const written = await update({ ...workOf(bytes, target, signal), state, pieces });
    return written === 0 ? [] : [target.subarray(0, written)];
  },
  async last(signal) {
    const made = await finishState(state, tagBytes, signal);
    if (tag === undefined) return tagBytes === 0 ? [] : [made];
    if (byteLengthOf(tag) === 0) throw detached('options.tag');
    partOf(tag, 0, tagBytes).set(made);
    return [];
  },
  release: () => native.streamClose(state),
});

/** Lets data pass unchanged and sums it. @implements {Engine} */
class CrcEngine {
  batchBytes = OUTPUT_BYTES;

  /**
   * @param {import('./crc-table').Crc} crc
   * @param {any} value that of all that has passed
   */
  constructor(crc, value) {
    this.crc = crc;
    this.value = value;
  }

  /**
   * @param {Uint8Array[]} pieces
   * @param {number} bytes
   * @param {AbortSignal} signal
   */
  async take(pieces, bytes, signal) {
    const { crc, value } = this;
    this.value = await sum({ ...workOf(bytes, undefined, signal), crc, value, pieces });
    return pieces;
  }

  /** @returns {Promise<Uint8Array[]>} */
  async last() {
    return [];
  }

  release() {}
}

module.exports = { CrcEngine, DigestEngine, cipherEngine };
