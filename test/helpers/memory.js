'use strict';

/** Ways in which a buffer's memory can go away under a job, and jobs to keep the pool busy. */

const assert = require('node:assert');
const { MessageChannel } = require('node:worker_threads');

const native = require('../../lib/binding');
const offloop = require('../..');

const gc = /** @type {() => void} */ (globalThis.gc);
assert.ok(gc, 'run with --expose-gc');

const MiB = 2 ** 20;

/** @type {Record<string, (buffer: ArrayBuffer) => void>} */
const transfers = {
  structuredClone(buffer) {
    structuredClone(buffer, { transfer: [buffer] });
  },
  postMessage(buffer) {
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(buffer, [buffer]);
    port2.close();
    port1.close();
  },
};
if (/** @type {any} */ (ArrayBuffer.prototype).transfer !== undefined) {
  transfers['ArrayBuffer.prototype.transfer'] = (buffer) => {
    /** @type {any} */ (buffer).transfer();
  };
}

/** Collects what nobody holds, and lets other things have its place. */
function collect() {
  for (let i = 0; i < 3; i++) gc();
  for (let size = 64; size <= 2 * MiB; size *= 4) new Uint8Array(size).fill(0xdd);
  gc();
}

/** How jobs get at their buffers' memory: by holding it, or on platforms that lack that, by copies. */
const holds = native.holdStores(true) ? ['held stores', 'private copies'] : ['private copies'];

/**
 * Calls with memory taken in one of those ways.
 * @template T
 * @param {string} how
 * @param {() => T} call which submits
 * @returns {T}
 */
function holding(how, call) {
  native.holdStores(how === 'held stores');
  try {
    return call();
  } finally {
    native.holdStores(true);
  }
}

const blockData = Buffer.alloc(8 * MiB);

/**
 * Work that keeps every thread of the budget busy, so that what is submitted next has to wait.
 * @returns {Promise<unknown>}
 */
function occupyPool() {
  const { threads } = offloop.pool.stats();
  const jobs = Array.from({ length: threads + 2 }, () => offloop.hashAsync('sha512', blockData));
  return Promise.all(jobs);
}

/**
 * Bytes in a buffer of their own, that nothing but the caller refers to.
 * @param {Uint8Array} bytes
 */
function alone(bytes) {
  const copy = new Uint8Array(bytes.length);
  copy.set(bytes);
  return copy;
}

module.exports = { MiB, alone, collect, holding, holds, occupyPool, transfers };
