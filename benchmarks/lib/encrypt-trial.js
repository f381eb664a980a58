'use strict';

/**
 * One trial of benchmarks/encrypt.js, in a process of its own: its parent sends one
 * { name, size, segment, chunk }, in bytes, over the channel of child_process.fork and gets a Measure,
 * or { error }. It ends when the channel closes.
 */

const { createHash } = require('node:crypto');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setImmediate: turn, setTimeout: sleep } = require('node:timers/promises');

const offloop = require('../..');
const { variants } = require('./encrypt-variants.js');

/**
 * @typedef {{ name: string, size: number, segment: number, chunk: number }} Trial
 * @typedef {object} Measure
 * @property {number} seconds
 * @property {number} cpuSeconds of all threads
 * @property {number} stallMs the loop's longest
 * @property {number} checksum of the segments' checksums
 */

const WARM_UP = 1024 * 1024;

/**
 * Encrypts all segments, so many at a time. The loop turns after each, as it would before the next one's
 * data is there.
 * @param {import('./encrypt-variants.js').EncryptSegment} encrypt
 * @param {number} inFlight
 * @param {Trial} trial
 */
async function encryptAll(encrypt, inFlight, { size, segment }) {
  const sums = new Uint32Array(Math.ceil(size / segment));
  let next = 0;
  /** @param {number} lane */
  async function work(lane) {
    while (next < sums.length) {
      const index = next++;
      const iv = Buffer.alloc(12);
      iv.writeUInt32BE(index, 8);
      sums[index] = await encrypt(iv, Math.min(segment, size - index * segment), lane);
      await turn();
    }
  }
  await Promise.all(Array.from({ length: inFlight }, (_, lane) => work(lane)));
  return offloop.crc32(sums);
}

/**
 * @param {Trial} trial
 * @returns {Promise<Measure>}
 */
async function runTrial(trial) {
  const variant = variants.find(({ name }) => name === trial.name);
  if (variant === undefined) throw new Error(`no ${trial.name}`);
  const pattern = createHash('shake256', { outputLength: 65536 }).digest();
  const work = {
    key: Buffer.alloc(32, 'key'),
    data: Buffer.alloc(trial.segment, pattern),
    chunk: trial.chunk,
  };
  const encrypt = await variant.make(work);
  for (let lane = 0; lane < variant.inFlight; lane++) {
    await encrypt(Buffer.alloc(12, 'warm up'), Math.min(WARM_UP, trial.segment), lane);
  }
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(5);
  delay.reset();
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  const checksum = await encryptAll(encrypt, variant.inFlight, trial);
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { user, system } = process.cpuUsage(cpu);
  await sleep(3);
  delay.disable();
  return { seconds, cpuSeconds: (user + system) / 1e6, stallMs: delay.max / 1e6, checksum };
}

process.on('disconnect', () => process.exit());
process.on('message', async (/** @type {Trial} */ trial) => {
  let answer;
  try {
    answer = await runTrial(trial);
  } catch (error) {
    answer = { error: /** @type {Error} */ (error).message.split('\n')[0] };
  }
  if (process.connected) process.send?.(answer);
});
