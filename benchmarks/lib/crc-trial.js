'use strict';

/**
 * One trial of benchmarks/crc.js, in a process of its own: its parent sends one
 * { name, checksum, sizes, time } over the channel of child_process.fork and gets { nanoseconds },
 * one figure per size, or { error }. It ends when the channel closes.
 */

const { createHash } = require('node:crypto');

const offloop = /** @type {any} */ (require('../..'));
const { kernels, ours, peers } = require('./crc-contenders.js');

/** @typedef {{ name: string, checksum: string, sizes: number[], time: number }} Trial */
/** @typedef {(calls: number) => number | Promise<number>} Batch nanoseconds for so many calls */

/** The least nanoseconds of a batch. */
const BATCH = 1e6;

/**
 * The same bytes in every process, and no pattern.
 * @param {number} size
 */
function makeData(size) {
  return createHash('shake256', { outputLength: size }).digest();
}

/**
 * @param {(data: Buffer) => any} sum
 * @param {Buffer} data
 * @param {boolean} asynchronous
 * @returns {Batch}
 */
function makeBatch(sum, data, asynchronous) {
  if (asynchronous) {
    return async (calls) => {
      const start = process.hrtime.bigint();
      for (let i = 0; i < calls; i++) await sum(data);
      return Number(process.hrtime.bigint() - start);
    };
  }
  return (calls) => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < calls; i++) sum(data);
    return Number(process.hrtime.bigint() - start);
  };
}

/**
 * Nanoseconds per call in the quickest of many short batches: short enough that some of them pass
 * between two interruptions by other programs.
 * @param {Batch} batch
 * @param {number} time about how many milliseconds to take
 */
async function measure(batch, time) {
  // Finding the number of calls warms up the code too; an interrupted batch only looks long.
  let calls = 1;
  while (Math.min(await batch(calls), await batch(calls), await batch(calls)) < BATCH) calls *= 2;
  let best = Infinity;
  const end = performance.now() + time;
  for (let i = 0; i < 3 || performance.now() < end; i++) best = Math.min(best, await batch(calls));
  return best / calls;
}

/** @param {Trial} trial */
async function runTrial({ name, checksum, sizes, time }) {
  const contender = [...ours, ...kernels, ...peers].find(
    (candidate) => candidate.name === name && candidate.checksum === checksum,
  );
  if (contender === undefined) throw new Error(`no ${name} for ${checksum}`);
  const sum = contender.load();
  const nanoseconds = [];
  for (const size of sizes) {
    const data = makeData(size);
    if ((await sum(data)) !== offloop[checksum](data)) throw new Error('the sum is wrong');
    nanoseconds.push(await measure(makeBatch(sum, data, contender.asynchronous === true), time));
  }
  return nanoseconds;
}

process.on('disconnect', () => process.exit());
process.on('message', async (/** @type {Trial} */ trial) => {
  let answer;
  try {
    answer = { nanoseconds: await runTrial(trial) };
  } catch (error) {
    answer = { error: /** @type {Error} */ (error).message.split('\n')[0] };
  }
  if (process.connected) process.send?.(answer);
});
