'use strict';

/** How fast an operation goes, called again and again on this thread or with some in flight. */

const { monitorEventLoopDelay, performance } = require('node:perf_hooks');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');

const { median, summarize } = require('./stats.js');

/** Synchronous calls are made in bursts of so many milliseconds, between which the loop turns. */
const BURST = 1;
/** The loop's delay is looked at so often, in milliseconds. */
const RESOLUTION = 1;
const SAMPLES_MAX = 1 << 16;
/**
 * A trial is looked at in so many slices, of which the median counts: each is long enough to bear its
 * share of garbage collection, and what else runs on the machine spoils only some.
 */
const SLICES = 10;

/**
 * @typedef {import('./crypto-columns.js').Calls} Calls
 * @typedef {object} Measure
 * @property {number} nsPerOp elapsed time by operations, in the median slice of the trial
 * @property {number} p50Ns of an operation from its call until it has settled
 * @property {number} p99Ns
 * @property {number} stallMs the longest that the loop stood still
 */

/** @type {any} */
let sink;

/**
 * @param {Calls['call']} call
 * @returns {NonNullable<Calls['repeat']>}
 */
function repeatCalls(call) {
  return (count, samples) => {
    const start = performance.now();
    if (samples === undefined) {
      for (let i = 0; i < count; i++) sink = call(0);
      return performance.now() - start;
    }
    let before = start;
    for (let i = 0; i < count; i++) {
      sink = call(0);
      const after = performance.now();
      samples[i] = (after - before) * 1e6;
      before = after;
    }
    return before - start;
  };
}

/**
 * Bursts until they add up to `time`.
 *
 * @param {NonNullable<Calls['repeat']>} repeat
 * @param {number} time in milliseconds
 * @param {number} count the first burst's calls
 * @param {number[]} [latencies] receives each call's nanoseconds
 * @returns {Promise<{ slices: number[], count: number }>} each slice's milliseconds per call, and
 * how many calls a burst has
 */
async function runBursts(repeat, time, count, latencies) {
  /** @type {number[]} */
  const slices = [];
  let slice = { ms: 0, calls: 0 };
  for (let elapsed = 0; elapsed < time;) {
    const samples = latencies === undefined ? undefined : new Float64Array(count);
    const ms = repeat(count, samples);
    if (samples !== undefined) for (const sample of samples) latencies?.push(sample);
    elapsed += ms;
    slice.ms += ms;
    slice.calls += count;
    if (slice.ms >= time / SLICES) {
      slices.push(slice.ms / slice.calls);
      slice = { ms: 0, calls: 0 };
    }
    // The clock may not see a few calls, and one slow burst says little.
    const factor = ms > 0 ? Math.min(2, Math.max(0.5, BURST / ms)) : 2;
    count = Math.max(1, Math.round(count * factor));
    await turn();
  }
  return { slices, count };
}

/**
 * @param {Calls} calls
 * @param {number} time
 * @returns {Promise<Measure>}
 */
async function measureSync({ call, repeat = repeatCalls(call) }, time) {
  const warm = await runBursts(repeat, time / 2, 1);
  const endWatch = await watchLoop();
  const { slices, count } = await runBursts(repeat, time, warm.count);
  /** @type {number[]} */
  const latencies = [];
  await runBursts(repeat, time / 4, count, latencies);
  return toMeasure(median(slices), latencies, await endWatch());
}

/** How many operations are still to be begun, and when each slice of them was done. */
class Quota {
  /**
   * @param {number} count
   * @param {number} slices
   */
  constructor(count, slices) {
    this.step = Math.ceil(count / slices);
    this.left = this.step * slices;
    this.done = 0;
    this.next = this.step;
    this.marks = [performance.now()];
  }

  settled() {
    if (++this.done < this.next) return;
    this.marks.push(performance.now());
    this.next += this.step;
  }

  /** @returns {number} milliseconds per operation in the median slice */
  msPerCall() {
    const times = this.marks.slice(1).map((mark, i) => mark - this.marks[i]);
    return median(times) / this.step;
  }
}

/**
 * @param {Calls['call']} call
 * @param {number} slot
 * @param {Quota} quota
 */
async function flow(call, slot, quota) {
  while (quota.left-- > 0) {
    sink = await call(slot);
    quota.settled();
  }
}

/**
 * @param {Calls['call']} call
 * @param {number} slot
 * @param {Quota} quota
 * @param {number[]} latencies
 */
async function flowTimed(call, slot, quota, latencies) {
  while (quota.left-- > 0) {
    const start = performance.now();
    sink = await call(slot);
    latencies.push((performance.now() - start) * 1e6);
  }
}

/**
 * @param {Calls['call']} call
 * @param {number} inFlight
 * @param {number} count
 * @param {number} slices
 * @returns {Promise<number>} milliseconds per operation in the median slice
 */
async function timeFlows(call, inFlight, count, slices) {
  const quota = new Quota(count, slices);
  await Promise.all(Array.from({ length: inFlight }, (_, slot) => flow(call, slot, quota)));
  return quota.msPerCall();
}

/**
 * @param {Calls} calls
 * @param {number} inFlight
 * @param {number} time
 * @returns {Promise<Measure>}
 */
async function measureAsync({ call }, inFlight, time) {
  let count = inFlight;
  let msPerCall = 0;
  for (let elapsed = 0; elapsed < time / 2; elapsed += count * msPerCall) {
    if (msPerCall > 0) {
      count = Math.max(inFlight, Math.min(4 * count, Math.ceil(time / 4 / msPerCall)));
    }
    msPerCall = await timeFlows(call, inFlight, count, 1);
  }
  const endWatch = await watchLoop();
  count = Math.max(2 * inFlight, Math.ceil(time / msPerCall));
  // Results come in batches, so a slice of a few would say more of the batches than of the rate.
  const slices = Math.max(1, Math.min(SLICES, Math.floor(count / (4 * inFlight))));
  msPerCall = await timeFlows(call, inFlight, count, slices);
  /** @type {number[]} */
  const latencies = [];
  const sampled = Math.min(SAMPLES_MAX, Math.max(2 * inFlight, Math.ceil(count / 4)));
  const quota = new Quota(sampled, 1);
  await Promise.all(
    Array.from({ length: inFlight }, (_, slot) => flowTimed(call, slot, quota, latencies)),
  );
  return toMeasure(msPerCall, latencies, await endWatch());
}

/** @returns {Promise<() => Promise<number>>} ends the watch: the longest delay, in milliseconds */
async function watchLoop() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
  delay.enable();
  // A delay is from one look to the next, so there must be one before the work and one after it.
  await sleep(2 * RESOLUTION);
  return async () => {
    await sleep(2 * RESOLUTION);
    delay.disable();
    return Math.max(0, delay.max / 1e6 - RESOLUTION);
  };
}

/**
 * @param {number} msPerCall
 * @param {number[]} latencies
 * @param {number} stallMs
 * @returns {Measure}
 */
function toMeasure(msPerCall, latencies, stallMs) {
  const { p50, p99 } = summarize(latencies);
  return { nsPerOp: msPerCall * 1e6, p50Ns: p50 ?? 0, p99Ns: p99 ?? 0, stallMs };
}

module.exports = { measureAsync, measureSync };
