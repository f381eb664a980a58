'use strict';

/**
 * One trial of benchmarks/files.js, in a process of its own: its parent sends one { name, files } over the
 * channel of child_process.fork and gets a Measure, or { error }. It ends when the channel closes.
 */

const crypto = require('node:crypto');
const fs = require('node:fs');
const { monitorEventLoopDelay, performance } = require('node:perf_hooks');
const { pipeline } = require('node:stream/promises');
const { setTimeout: sleep } = require('node:timers/promises');

const offloop = require('../..');

/**
 * @typedef {{ name: string, files: string[] }} Trial
 * @typedef {object} Measure
 * @property {number} seconds
 * @property {number} cpuSeconds of all threads
 * @property {number} utilization of the loop, 0 to 1
 * @property {number} stallMs the loop's longest
 * @property {string} digests
 */

const ALGORITHM = 'sha256';
const KIB = 1024;

/**
 * @param {(algorithm: string) => import('node:stream').Transform} create
 * @param {number} highWaterMark
 */
const streamed = (create, highWaterMark) => async (/** @type {string} */ file) => {
  const hash = create(ALGORITHM);
  await pipeline(fs.createReadStream(file, { highWaterMark }), hash);
  return hash.read();
};

/** How one file is hashed, by name. @type {Record<string, (file: string) => Promise<Buffer>>} */
const ways = {
  hashFileAsync: (file) => offloop.hashFileAsync(file, ALGORITHM),
  'createHash, reads of 4 MiB': streamed(offloop.createHash, 4096 * KIB),
  'createHash, reads of 1 MiB': streamed(offloop.createHash, 1024 * KIB),
  'createHash, reads of 64 KiB': streamed(offloop.createHash, 64 * KIB),
  'node:crypto createHash, reads of 4 MiB': streamed(crypto.createHash, 4096 * KIB),
  'node:crypto createHash, reads of 1 MiB': streamed(crypto.createHash, 1024 * KIB),
  'node:crypto createHash, reads of 64 KiB': streamed(crypto.createHash, 64 * KIB),
};

/**
 * All files at the same time.
 * @param {Trial} trial
 * @returns {Promise<Measure>}
 */
async function runTrial({ name, files }) {
  const hash = ways[name];
  // A process that has just begun pays for each page of its first buffers.
  await hash(files[0]);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  await sleep(5);
  delay.reset();
  const cpu = process.cpuUsage();
  const loop = performance.eventLoopUtilization();
  const start = process.hrtime.bigint();
  const digests = await Promise.all(files.map(hash));
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  const { utilization } = performance.eventLoopUtilization(loop);
  const { user, system } = process.cpuUsage(cpu);
  await sleep(3);
  delay.disable();
  return {
    seconds,
    cpuSeconds: (user + system) / 1e6,
    utilization,
    stallMs: delay.max / 1e6,
    digests: digests.map((digest) => digest.toString('hex')).join(),
  };
}

if (require.main === module) {
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
}

module.exports = { names: Object.keys(ways) };
