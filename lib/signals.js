'use strict';

/**
 * Many jobs may wait on one AbortSignal: it gets one listener, removed with its last job.
 */

const { invalidArgType } = require('./errors');

/** @typedef {{ onAbort(): void }} Watcher */

/** @type {WeakMap<AbortSignal, { watchers: Set<Watcher>, listener: () => void }>} */
const watched = new WeakMap();

/** @param {any} signal not only Node's own: others are as good */
const isSignal = (signal) => 'aborted' in signal && typeof signal.addEventListener === 'function';

/**
 * @param {any} signal
 * @param {string} name
 * @returns {AbortSignal | undefined}
 */
function validateSignal(signal, name) {
  if (signal === undefined) return undefined;
  if (signal === null || typeof signal !== 'object' || !isSignal(signal)) {
    throw invalidArgType(name, 'an instance of AbortSignal', signal);
  }
  return signal;
}

/**
 * @param {AbortSignal} signal
 * @param {Watcher} watcher
 */
function watch(signal, watcher) {
  let entry = watched.get(signal);
  if (entry === undefined) {
    const watchers = new Set();
    const listener = () => {
      watched.delete(signal);
      for (const each of watchers) each.onAbort();
    };
    signal.addEventListener('abort', listener, { once: true });
    entry = { watchers, listener };
    watched.set(signal, entry);
  }
  entry.watchers.add(watcher);
}

/**
 * @param {AbortSignal} signal
 * @param {Watcher} watcher
 */
function unwatch(signal, watcher) {
  const entry = watched.get(signal);
  if (entry === undefined) return;
  entry.watchers.delete(watcher);
  if (entry.watchers.size > 0) return;
  signal.removeEventListener('abort', entry.listener);
  watched.delete(signal);
}

module.exports = { unwatch, validateSignal, watch };
