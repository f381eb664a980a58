'use strict';

/** Chunks of a stream as the pieces of jobs. */

/** The most pieces that a job takes; as OL_PIECES_MAX in src/operation.h. */
const PIECES = 16;

/** Chunks smaller than this are copied together, for each piece costs a job some 200 ns. */
const SMALL_BYTES = 4096;

/** So many bytes of small chunks become one piece. */
const JOINED_BYTES = 65536;

/**
 * Small neighbours joined, large chunks cut.
 * @param {Uint8Array[]} chunks
 * @param {number} limit the most bytes of a piece
 * @returns {Generator<Uint8Array, void>}
 */
function* pieces(chunks, limit) {
  /** @type {Uint8Array[]} */
  let small = [];
  let size = 0;
  for (const chunk of chunks) {
    const joins = chunk.length < SMALL_BYTES;
    if (small.length > 0 && (!joins || size + chunk.length > Math.min(limit, JOINED_BYTES))) {
      yield small.length === 1 ? small[0] : Buffer.concat(small, size);
      small = [];
      size = 0;
    }
    if (joins) {
      small.push(chunk);
      size += chunk.length;
      continue;
    }
    for (let at = 0; at < chunk.length; at += limit) {
      yield limit < chunk.length ? chunk.subarray(at, at + limit) : chunk;
    }
  }
  if (small.length > 0) yield small.length === 1 ? small[0] : Buffer.concat(small, size);
}

/**
 * The pieces of one job after the other.
 * @param {Uint8Array[]} chunks
 * @param {number} limit the most bytes of a job; at least SMALL_BYTES
 * @returns {Generator<Uint8Array[], void>}
 */
function* batches(chunks, limit) {
  /** @type {Uint8Array[]} */
  let batch = [];
  let size = 0;
  for (const piece of pieces(chunks, limit)) {
    if (batch.length === PIECES || (batch.length > 0 && size + piece.length > limit)) {
      yield batch;
      batch = [];
      size = 0;
    }
    batch.push(piece);
    size += piece.length;
  }
  if (batch.length > 0) yield batch;
}

/** @param {Uint8Array[]} list */
const sizeOf = (list) => list.reduce((total, { length }) => total + length, 0);

module.exports = { batches, sizeOf };
