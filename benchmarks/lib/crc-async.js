'use strict';

/**
 * One large buffer in both forms, in a process of its own: prints { sync, async } as JSON, each with
 * nanoseconds per call and the longest stall of the event loop meanwhile. Arguments: checksum, bytes,
 * calls.
 */

const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');

const offloop = /** @type {any} */ (require('../..'));
const { median } = require('./stats.js');

/**
 * @param {() => any} call
 * @param {number} calls
 */
async function measure(call, calls) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await call();
  await sleep(20);
  delay.enable();
  await sleep(5);
  delay.reset();
  const samples = [];
  for (let i = 0; i < calls; i++) {
    const start = process.hrtime.bigint();
    await call();
    samples.push(Number(process.hrtime.bigint() - start));
    await sleep(2);
  }
  delay.disable();
  return { nanoseconds: median(samples), stall: delay.max };
}

async function main() {
  const [checksum, bytes, calls] = process.argv.slice(2);
  const data = Buffer.alloc(Number(bytes), 'no page of this is shared with another');
  const sync = await measure(() => offloop[checksum](data), Number(calls));
  const asynchronous = await measure(() => offloop[`${checksum}Async`](data), Number(calls));
  console.log(JSON.stringify({ sync, async: asynchronous }));
}

main();
