'use strict';

/** How a job of the drop-in runs, and how its outcome reaches the caller: returned, or in a callback. */

const { AsyncResource } = require('node:async_hooks');

const { Task, runInline, runNow, takesInline } = require('../operation');
const { E_CANCELLED, E_CORRUPT, E_OOM } = require('./messages');

/**
 * What the drop-in's operations work on, beside what is theirs.
 * @typedef {import('../operation').Call & { copy: Uint8Array | undefined }} Call
 * @typedef {import('../operation').Job<any, any>} Job
 * @typedef {(error?: unknown, result?: unknown) => void} Callback
 */

/** Errors that have words of their own here. @type {Record<string, string>} */
const MESSAGES = {
  ABORT_ERR: E_CANCELLED,
  ERR_MEMORY_ALLOCATION_FAILED: E_OOM,
  ERR_OFFLOOP_AUTHENTICATION: E_CORRUPT,
};

/** Errors of the work itself, which a callback gets. Errors of the arguments are always thrown. */
const OUTCOMES = new Set([
  'ABORT_ERR',
  'ERR_OFFLOOP_AUTHENTICATION',
  'ERR_OFFLOOP_CRYPTO',
  'ERR_OFFLOOP_QUEUE_FULL',
]);

/** @param {any} error */
function translate(error) {
  const message = MESSAGES[error.code];
  return message === undefined ? error : new Error(message);
}

/** @param {unknown} error */
function rethrow(error) {
  throw error;
}

/** @param {Call} call */
function wipeCopy({ copy }) {
  if (copy !== undefined) copy.fill(0);
}

/** A callback that is yet to be called, once, in the async context of the call it was given to. */
class Reply extends AsyncResource {
  /** @param {Callback} callback */
  constructor(callback) {
    super('offloop.crypto-async', { requireManualDestroy: true });
    this.callback = callback;
    /** @type {unknown} */
    this.error = undefined;
    /** @type {unknown} */
    this.result = undefined;
  }

  /**
   * Never throws: what the callback throws becomes an uncaught exception in the next tick, so that
   * the replies behind this one are not lost.
   * @param {unknown} error
   * @param {unknown} result
   */
  send(error, result) {
    try {
      if (error === undefined) {
        this.runInAsyncScope(this.callback, globalThis, undefined, result);
      } else {
        this.runInAsyncScope(this.callback, globalThis, error);
      }
    } catch (thrown) {
      this.runInAsyncScope(process.nextTick, process, rethrow, thrown);
    }
    this.emitDestroy();
  }
}

/** Replies whose outcome is known already; they are sent when the caller's own code has returned. */
/** @type {Reply[]} */
let waiting = [];

function sendWaiting() {
  const replies = waiting;
  waiting = [];
  for (const reply of replies) reply.send(reply.error, reply.result);
}

/**
 * @param {Callback} callback
 * @param {unknown} error
 * @param {unknown} result
 */
function sendLater(callback, error, result) {
  const reply = new Reply(callback);
  reply.error = error;
  reply.result = result;
  if (waiting.push(reply) === 1) process.nextTick(sendWaiting);
}

/**
 * @param {Job} job
 * @param {Call} call
 * @param {Callback} callback
 */
function enter(job, call, callback) {
  /** @type {Reply} */
  let reply;
  const succeed = (/** @type {unknown} */ result) => {
    wipeCopy(call);
    reply.send(undefined, result);
  };
  const fail = (/** @type {unknown} */ error) => {
    wipeCopy(call);
    reply.send(translate(error), undefined);
  };
  new Task(job, call, succeed, fail).enter();
  reply = new Reply(callback);
}

/**
 * @param {Job} job
 * @param {Call} call
 * @param {Callback} callback is never called before this returns
 */
function callBack(job, call, callback) {
  try {
    if (takesInline(job, call)) {
      sendLater(callback, undefined, runInline(job, call));
      wipeCopy(call);
    } else {
      enter(job, call, callback);
    }
  } catch (error) {
    wipeCopy(call);
    if (!OUTCOMES.has(/** @type {any} */ (error).code)) throw translate(error);
    sendLater(callback, translate(error), undefined);
  }
}

/**
 * @param {Job} job
 * @param {Call} call
 * @returns {unknown} the result
 */
function callNow(job, call) {
  try {
    return runNow(job, call);
  } catch (error) {
    throw translate(error);
  } finally {
    wipeCopy(call);
  }
}

module.exports = { callBack, callNow };
