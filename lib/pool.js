'use strict';

/** The pool, as its user sees it. */

const native = require('./binding');
const { invalidArgType, outOfRange } = require('./errors');
const { limits, whenIdle } = require('./operation');
const { toInteger } = require('./options');

const pool = {
  /** How many long jobs run at once in this process, whatever their environment. */
  get concurrency() {
    return native.concurrency();
  },
  set concurrency(value) {
    native.concurrency(toInteger(value, 'concurrency', 1, 1024));
  },

  /** The most jobs that may wait in this thread before a new one is refused. */
  get maxQueued() {
    return limits.maxQueued;
  },
  set maxQueued(value) {
    if (typeof value !== 'number') throw invalidArgType('maxQueued', 'of type number', value);
    if (value !== Infinity && (!Number.isInteger(value) || value < 0)) {
      throw outOfRange('maxQueued', 'a non-negative integer or Infinity', value);
    }
    limits.maxQueued = value;
  },

  /** Settles when no job of this thread is waiting or running. */
  drain: whenIdle,

  /** @returns {{ queued: number, running: number, completed: number, cancelled: number, threads: number }} */
  stats: () => native.stats(),
};

module.exports = pool;
