'use strict';

/**
 * Random choices that can be made again: the seed is printed, and OFFLOOP_SEED sets it.
 */

const seed = Number(process.env.OFFLOOP_SEED ?? Math.floor(Math.random() * 2 ** 32)) >>> 0;

class Random {
  /** @param {number} start */
  constructor(start) {
    this.state = start >>> 0;
  }

  /** A whole number of 32 bits: splitmix32. */
  next() {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return (z ^ (z >>> 16)) >>> 0;
  }

  /**
   * A whole number from 0 to limit - 1.
   * @param {number} limit
   */
  below(limit) {
    return Math.floor((this.next() / 2 ** 32) * limit);
  }

  /** @param {number} percent */
  chance(percent) {
    return this.below(100) < percent;
  }

  /**
   * @template T
   * @param {readonly T[]} list
   * @returns {T}
   */
  pick(list) {
    return list[this.below(list.length)];
  }

  /**
   * A size between 0 and limit, small ones and those around powers of two as likely as large ones.
   * @param {number} limit
   */
  size(limit) {
    const power = 2 ** this.below(Math.floor(Math.log2(limit)) + 1);
    const size = this.chance(50) ? power + this.below(3) - 1 : this.below(2 * power);
    return Math.min(size, limit);
  }

  /**
   * @template {Uint8Array} T
   * @param {T} bytes
   * @returns {T}
   */
  fill(bytes) {
    let at = 0;
    for (; at + 4 <= bytes.length; at += 4) {
      const word = this.next();
      bytes[at] = word;
      bytes[at + 1] = word >>> 8;
      bytes[at + 2] = word >>> 16;
      bytes[at + 3] = word >>> 24;
    }
    for (; at < bytes.length; at++) bytes[at] = this.next();
    return bytes;
  }

  /** @param {number} size */
  bytes(size) {
    return this.fill(Buffer.alloc(size));
  }

  /**
   * The same bytes in any of the shapes that callers may hand over, at any offset.
   * @param {Uint8Array} bytes
   * @returns {NodeJS.ArrayBufferView | ArrayBuffer | SharedArrayBuffer}
   */
  shape(bytes) {
    const { length } = bytes;
    const kind = this.below(7);
    if (kind === 0) return new Uint8Array(bytes).buffer;
    if (kind === 1) {
      const shared = new SharedArrayBuffer(length);
      new Uint8Array(shared).set(bytes);
      return shared;
    }
    const before = kind === 2 && length % 2 === 0 ? 2 * this.below(20) : this.below(40);
    const store = new Uint8Array(before + length + this.below(40));
    store.set(bytes, before);
    if (kind === 2 && length % 2 === 0) return new Uint16Array(store.buffer, before, length / 2);
    if (kind === 3) return new DataView(store.buffer, before, length);
    if (kind === 4) return new Int8Array(store.buffer, before, length);
    if (kind === 5) return Buffer.from(store.buffer, before, length);
    return new Uint8Array(store.buffer, before, length);
  }
}

/**
 * Choices of its own for each part of a suite, all of them from the one seed.
 * @param {string} name
 */
function randomFor(name) {
  let start = seed;
  for (const letter of name) start = (Math.imul(start, 31) + letter.charCodeAt(0)) >>> 0;
  return new Random(start);
}

/** @param {import('node:test').TestContext} context */
function printSeed(context) {
  context.diagnostic(`OFFLOOP_SEED=${seed}`);
}

module.exports = { Random, printSeed, randomFor };
