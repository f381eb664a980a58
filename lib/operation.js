'use strict';

/**
 * The two forms of every operation, made from one description.
 *
 * A call is prepared once (arguments read and checked), then either run on this thread at once or
 * submitted to the pool under a slot number. While it is there, the slot table keeps its buffers
 * reachable; the native side holds their memory.
 */

const diagnostics = require('node:diagnostics_channel');

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
 * @typedef {object} Job how a prepared call is carried out
 * @property {string} name
 * @property {number} inlineBytes an asynchronous one does up to so much on the spot; see `takesInline`
 * @property {(call: C) => any} run
 * @property {(slot: number, maxQueued: number, call: C) => boolean} submit
 *   true: waits for native.flush()
 * @property {(call: C) => number} [written] bytes written to the target, where that is not the value
 *   that `run` gives
 * @property {(call: C, value: any) => R} finish
 */

/**
 * @template {Call} C
 * @template R
 * @typedef {Job<C, R> & Preparation<C>} Operation
 */

/**
 * @template {Call} C
 * @typedef {object} Preparation
 * @property {(asynchronous: boolean, ...args: any[]) => C} prepare
 * @property {(call: C) => C[] | undefined} [split] the Async form of a large call as several jobs that
 *   may run at the same time; their secrets are the call's
 * @property {(call: C, parts: C[], values: any[]) => any} [join] the value for `finish` from the parts'
 */

/** Results that one native delivery can carry, and numbers of each; as in src/env.h. */
const RING_SIZE = 512;
const RING_STRIDE = 4;
const ring = new Float64Array(RING_STRIDE * RING_SIZE);

/** @type {(Task | undefined)[]} */
const tasks = [];
/** @type {number[]} */
const freeSlots = [];

const limits = { maxQueued: Infinity };

const channel = diagnostics.channel('offloop:job');
let timed = false;

/** Jobs take their times only while someone listens. */
function updateTiming() {
  timed = channel.hasSubscribers;
  native.timing(timed);
}

/**
 * @param {Job<any, any>} operation
 * @param {Call} call
 * @param {number} queued milliseconds
 * @param {number} run milliseconds
 */
function publish({ name }, { bytes }, queued, run) {
  channel.publish({ operation: name, bytes, queued, run });
}

let flushing = false;

function flush() {
  flushing = false;
  native.flush();
}

/** Short jobs gather on the native side until the microtasks that submit them have run. */
function flushSoon() {
  if (flushing) return;
  flushing = true;
  Promise.resolve().then(flush);
}

/** One call in flight. */
class Task {
  /**
   * `resolve` and `reject` must not throw.
   * @param {Job<any, any>} operation
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
    if (timed !== channel.hasSubscribers) updateTiming();
    this.slot = freeSlots.length > 0 ? /** @type {number} */ (freeSlots.pop()) : tasks.length;
    tasks[this.slot] = this;
    try {
      if (this.call.signal !== undefined) watch(this.call.signal, this);
      if (this.operation.submit(this.slot, limits.maxQueued, this.call)) flushSoon();
    } catch (error) {
      this.leave();
      throw error;
    } finally {
      wipe(this.call);
    }
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
    let result;
    try {
      if (call.target !== undefined && byteLengthOf(call.target) === 0) {
        const written = operation.written === undefined ? value : operation.written(call);
        if (written > 0) throw detached('target');
      }
      result = operation.finish(call, value);
    } catch (error) {
      this.reject(error);
      return;
    }
    this.resolve(result);
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
 * Called by the native side with finished jobs: `count` rows of slot, number and times in the ring,
 * and rows of slot, error, value and times in `others`.
 * @param {number} count
 * @param {any[] | undefined} others
 */
function deliver(count, others) {
  // Settling a promise runs no caller's code, but a finish might, and submit again.
  const finished = ring.slice(0, RING_STRIDE * count);
  for (let i = 0; i < finished.length; i += RING_STRIDE) {
    deliverOne(finished[i], undefined, finished[i + 1], finished[i + 2], finished[i + 3]);
  }
  if (others === undefined) return;
  for (let i = 0; i < others.length; i += 5) {
    deliverOne(others[i], others[i + 1], others[i + 2], others[i + 3], others[i + 4]);
  }
}

/**
 * What a caller's object throws here, say a signal of its own making, must not cost other jobs their
 * results.
 * @param {number} slot
 * @param {any} error
 * @param {any} value
 * @param {number} queued milliseconds
 * @param {number} run milliseconds
 */
function deliverOne(slot, error, value, queued, run) {
  const task = /** @type {Task} */ (tasks[slot]);
  try {
    if (timed) publish(task.operation, task.call, queued, run);
    if (error === undefined) {
      task.succeed(value);
    } else {
      task.fail(error);
    }
  } catch (thrown) {
    process.nextTick(rethrow, thrown);
  }
}

/** @param {unknown} error */
function rethrow(error) {
  throw error;
}

/**
 * @param {number} status
 * @param {string} detail
 * @param {number} errno
 * @param {string} systemCode
 * @param {string | undefined} syscall
 * @param {string | undefined} path
 * @param {number | undefined} bytesWritten
 */
function makeError(status, detail, errno, systemCode, syscall, path, bytesWritten) {
  const [className, code, message] = native.statuses[status];
  if (systemCode !== '') {
    const where = path === undefined ? '' : ` '${path}'`;
    const error = coded(Error, systemCode, `${systemCode}: ${detail}, ${syscall}${where}`);
    error.errno = errno;
    error.syscall = syscall;
    if (path !== undefined) error.path = path;
    return bytesWritten === undefined ? error : Object.assign(error, { bytesWritten });
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
/** What a call takes whatever its size, and what the largest inline one takes besides. */
const INLINE_CALL_COST = 1000;
const INLINE_MOST_COST = 2000;
let inlineSpent = 0;

function newTurn() {
  inlineSpent = 0;
}

/** @param {number} share how much of the largest inline job this one is */
function spendInline(share) {
  if (inlineSpent >= INLINE_BUDGET) return false;
  if (inlineSpent === 0) setImmediate(newTurn);
  inlineSpent += INLINE_CALL_COST + share * INLINE_MOST_COST;
  return true;
}

/**
 * @template {Call} C
 * @template R
 * @param {Job<C, R>} operation
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
 * @param {Job<any, any>} operation
 * @param {Call} call
 * @returns {boolean} whether the call shall run on the spot, which it then must
 */
const takesInline = (operation, call) =>
  !call.always &&
  call.bytes <= operation.inlineBytes &&
  spendInline(call.bytes / operation.inlineBytes);

/**
 * @template {Call} C
 * @template R
 * @param {Job<C, R>} operation
 * @param {C} call
 * @returns {R}
 */
function runInline(operation, call) {
  if (!channel.hasSubscribers) return runNow(operation, call);
  const from = performance.now();
  try {
    return runNow(operation, call);
  } finally {
    publish(operation, call, 0, performance.now() - from);
  }
}

/**
 * @template {Call} C
 * @param {Operation<C, any>} operation
 * @param {C} call
 * @returns {Promise<any>}
 */
const submit = (operation, call) =>
  new Promise((resolve, reject) => new Task(operation, call, resolve, reject).enter());

/**
 * Settles only when no part is at work any more: the caller's buffers are then the caller's again.
 * @template {Call} C
 * @template R
 * @param {Operation<C, R>} operation
 * @param {C} call
 * @param {C[]} parts
 * @returns {Promise<R>}
 */
async function submitParts(operation, call, parts) {
  const partOperation = {
    ...operation,
    finish: (/** @type {C} */ _part, /** @type {any} */ value) => value,
  };
  const pending = parts.map((part) => submit(partOperation, part));
  wipe(call);
  const outcomes = await Promise.allSettled(pending);
  const values = outcomes.map((outcome) => {
    if (outcome.status === 'fulfilled') return outcome.value;
    for (const { target } of parts) wipeTarget(target);
    throw outcome.reason;
  });
  const { finish, join } = operation;
  return finish(call, /** @type {NonNullable<typeof join>} */ (join)(call, parts, values));
}

/** @param {Uint8Array | undefined} target which may be detached */
function wipeTarget(target) {
  if (target !== undefined && byteLengthOf(target) > 0) target.fill(0);
}

/**
 * @template {Call} C
 * @template R
 * @param {Operation<C, R>} operation
 * @param {C} call
 * @returns {Promise<R>}
 */
function start(operation, call) {
  try {
    const { signal } = call;
    if (signal !== undefined && signal.aborted) throw signal.reason;
    if (takesInline(operation, call)) return Promise.resolve(runInline(operation, call));
    const parts = operation.split?.(call);
    // A part that found the queue full would leave its message half done.
    const whole = parts === undefined || native.stats().queued + parts.length > limits.maxQueued;
    return whole ? submit(operation, call) : submitParts(operation, call, parts);
  } catch (error) {
    wipe(call);
    return Promise.reject(error);
  }
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

module.exports = { Task, forms, limits, runInline, runNow, takesInline, whenIdle };
