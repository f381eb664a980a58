'use strict';

/**
 * One large buffer in both forms, in a process of its own: prints { sync, async } as JSON, each with
 * the nanoseconds of the quickest call and the median of the event loop's longest stall in each.
 * Arguments: checksum, bytes, calls.
 */

const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');

const offloop = /** @type {any} */ (require('../..'));
const { median } = require('./stats.js');

/**
 * Nanoseconds of one call, and the longest stall of the loop from before it until after it.
 * @param {() => any} call
 */
async function measure(call) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(5);
  const start = process.hrtime.bigint();
  await call();
  const nanoseconds = Number(process.hrtime.bigint() - start);
  await sleep(3);
  delay.disable();
  return { nanoseconds, stall: delay.max };
}

/** @param {{ nanoseconds: number, stall: number }[]} samples */
const summary = (samples) => ({
  nanoseconds: Math.min(...samples.map(({ nanoseconds }) => nanoseconds)),
  stall: median(samples.map(({ stall }) => stall)),
});

async function main() {
  const [checksum, bytes, calls] = process.argv.slice(2);
  const data = Buffer.alloc(Number(bytes), 'no page of this is shared with another');
  const sync = [];
  const asynchronous = [];
  for (let i = 0; i < Number(calls); i++) {
    sync.push(await measure(() => offloop[checksum](data)));
    asynchronous.push(await measure(() => offloop[`${checksum}Async`](data)));
  }
  console.log(JSON.stringify({ sync: summary(sync), async: summary(asynchronous) }));
}

main();
