'use strict';

/**
 * The two forms of every operation, made from one description.
 *
 * A call is prepared once (arguments read and checked), then either run on this thread at once or
 * submitted to the pool under a slot number. While it is there, the slot table keeps its buffers
 * reachable; the native side holds their memory.
 */

const { coded, detached } = require('./errors');
const { byteLengthOf } = require('./bytes');
const native = require('./binding');
const { unwatch, watch } = require('./signals');

/**
 * What `prepare` returns. Every call of an operation has the same shape.
 * @typedef {object} Call
 * @property {number} bytes how much data there is to work on
 * @property {Uint8Array | undefined} target where the result is written
 * @property {Uint8Array | undefined} secret a key exported for this call alone, wiped after use
 * @property {AbortSignal | undefined} signal
 * @property {boolean} always never run inline in the Async form
 */

/**
 * @template {Call} C
 * @template R
 * @typedef {object} Operation
 * @property {string} name
 * @property {number} inlineBytes the Async form does up to so much on the spot; see `start`
 * @property {(asynchronous: boolean, ...args: any[]) => C} prepare
 * @property {(call: C) => any} run
 * @property {(slot: number, maxQueued: number, call: C) => void} submit
 * @property {(call: C, value: any) => R} finish
 */

/** Results that one native delivery can carry; as OL_RING_SIZE. */
const RING_SIZE = 512;
const ring = new Float64Array(2 * RING_SIZE);

/** @type {(Task | undefined)[]} */
const tasks = [];
/** @type {number[]} */
const freeSlots = [];

const limits = { maxQueued: Infinity };

/** One call in flight. */
class Task {
  /**
   * @param {Operation<any, any>} operation
   * @param {Call} call
   * @param {(value: any) => void} resolve
   * @param {(error: unknown) => void} reject
   */
  constructor(operation, call, resolve, reject) {
    this.operation = operation;
    this.call = call;
    this.resolve = resolve;
    this.reject = reject;
    this.slot = -1;
  }

  enter() {
    this.slot = freeSlots.length > 0 ? /** @type {number} */ (freeSlots.pop()) : tasks.length;
    tasks[this.slot] = this;
    try {
      this.operation.submit(this.slot, limits.maxQueued, this.call);
    } catch (error) {
      this.leave();
      throw error;
    } finally {
      wipe(this.call);
    }
    if (this.call.signal !== undefined) watch(this.call.signal, this);
  }

  leave() {
    tasks[this.slot] = undefined;
    freeSlots.push(this.slot);
    if (this.call.signal !== undefined) unwatch(this.call.signal, this);
    if (freeSlots.length === tasks.length) idle();
  }

  onAbort() {
    const { signal } = this.call;
    if (!native.cancel(this.slot)) return;
    this.leave();
    this.reject(/** @type {AbortSignal} */ (signal).reason);
  }

  /** @param {any} value */
  succeed(value) {
    this.leave();
    const { operation, call } = this;
    try {
      if (call.target !== undefined && byteLengthOf(call.target) === 0 && value > 0) {
        throw detached('target');
      }
      this.resolve(operation.finish(call, value));
    } catch (error) {
      this.reject(error);
    }
  }

  /** @param {any} error */
  fail(error) {
    this.leave();
    const { signal } = this.call;
    const aborted = error.code === 'ABORT_ERR' && signal !== undefined && signal.aborted;
    this.reject(aborted ? signal.reason : error);
  }
}

/** @type {(() => void)[]} */
let idleWaiters = [];

function idle() {
  const waiters = idleWaiters;
  idleWaiters = [];
  for (const resolve of waiters) resolve();
}

/** @returns {Promise<void>} settled when no job of this thread is in flight */
function whenIdle() {
  if (freeSlots.length === tasks.length) return Promise.resolve();
  return new Promise((resolve) => idleWaiters.push(resolve));
}

/** @param {Call} call */
function wipe(call) {
  if (call.secret !== undefined) call.secret.fill(0);
}

/**
 * Called by the native side with finished jobs: `count` pairs of slot and number in the ring, and
 * triples of slot, error and value in `others`.
 * @param {number} count
 * @param {any[] | undefined} others
 */
function deliver(count, others) {
  // Settling a promise runs no caller's code, but a finish might, and submit again.
  const finished = ring.slice(0, 2 * count);
  for (let i = 0; i < finished.length; i += 2) {
    /** @type {Task} */ (tasks[finished[i]]).succeed(finished[i + 1]);
  }
  if (others === undefined) return;
  for (let i = 0; i < others.length; i += 3) {
    const task = /** @type {Task} */ (tasks[others[i]]);
    if (others[i + 1] === undefined) {
      task.succeed(others[i + 2]);
    } else {
      task.fail(others[i + 1]);
    }
  }
}

/**
 * @param {number} status
 * @param {string} detail
 * @param {number} errno
 * @param {string} systemCode
 * @param {string | undefined} syscall
 * @param {string | undefined} path
 */
function makeError(status, detail, errno, systemCode, syscall, path) {
  const [className, code, message] = native.statuses[status];
  if (systemCode !== '') {
    const where = path === undefined ? '' : ` '${path}'`;
    const error = coded(Error, systemCode, `${systemCode}: ${detail}, ${syscall}${where}`);
    error.errno = errno;
    error.syscall = syscall;
    if (path !== undefined) error.path = path;
    return error;
  }
  const Class = { TypeError, RangeError }[/** @type {string} */ (className)] ?? Error;
  const error = coded(Class, code, detail === '' ? message : `${message}: ${detail}`);
  if (code === 'ABORT_ERR') error.name = 'AbortError';
  return error;
}

native.setup(deliver, makeError, ring);
process.on('exit', () => native.exit());

/**
 * Work done inline in the current turn of the loop, in estimated nanoseconds. Past the budget jobs go
 * to the pool, so that a tight loop of awaited small jobs still lets timers and I/O in.
 */
const INLINE_BUDGET = 1e6;
const INLINE_CALL_COST = 1000;
const INLINE_BYTE_COST = 1;
let inlineSpent = 0;

function newTurn() {
  inlineSpent = 0;
}

/** @param {number} bytes */
function spendInline(bytes) {
  if (inlineSpent >= INLINE_BUDGET) return false;
  if (inlineSpent === 0) setImmediate(newTurn);
  inlineSpent += INLINE_CALL_COST + bytes * INLINE_BYTE_COST;
  return true;
}

/**
 * @template {Call} C
 * @template R
 * @param {Operation<C, R>} operation
 * @param {C} call
 * @returns {R}
 */
function runNow(operation, call) {
  try {
    return operation.finish(call, operation.run(call));
  } finally {
    wipe(call);
  }
}

/**
 * @template {Call} C
 * @template R
 * @param {Operation<C, R>} operation
 * @param {C} call
 * @returns {Promise<R>}
 */
function start(operation, call) {
  const { signal } = call;
  if (signal !== undefined && signal.aborted) {
    wipe(call);
    return Promise.reject(signal.reason);
  }
  if (!call.always && call.bytes <= operation.inlineBytes && spendInline(call.bytes)) {
    return Promise.resolve(runNow(operation, call));
  }
  return new Promise((resolve, reject) => new Task(operation, call, resolve, reject).enter());
}

/**
 * Makes the two forms of an operation. Neither differs from the other but in where `run` happens.
 * @template {Call} C
 * @template R
 * @param {Operation<C, R>} operation
 * @returns {[(...args: any[]) => R, (...args: any[]) => Promise<R>]}
 */
function forms(operation) {
  /** @type {(a?: any, b?: any, c?: any, d?: any, e?: any) => R} */
  const sync = (a, b, c, d, e) => runNow(operation, operation.prepare(false, a, b, c, d, e));
  /** @type {(a?: any, b?: any, c?: any, d?: any, e?: any) => Promise<R>} */
  const asynchronous = (a, b, c, d, e) => {
    try {
      return start(operation, operation.prepare(true, a, b, c, d, e));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  Object.defineProperty(sync, 'name', { value: operation.name });
  Object.defineProperty(asynchronous, 'name', { value: `${operation.name}Async` });
  return [sync, asynchronous];
}

module.exports = { forms, limits, whenIdle };
