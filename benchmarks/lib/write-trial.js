'use strict';

/**
 * One trial of benchmarks/write.js, in a process of its own: its parent sends one
 * { way, checksum, sizes, time, folder } over the channel of child_process.fork and gets { rows }, one
 * per size, or { error }. It ends when the channel closes.
 */

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');
const { promisify } = require('node:util');
const zlib = require('node:zlib');

const offloop = /** @type {any} */ (require('../..'));
const { median } = require('./stats.js');

/**
 * @typedef {{ way: string, checksum: string, sizes: number[], time: number, folder: string }} Trial
 * @typedef {{ nanoseconds: number, stallMs: number }} Row of one document
 * @typedef {(data: Buffer, position: number) => any} Write gives the checksum, or a promise of it
 */

const write = promisify(fs.write);

/** Documents that are written at the same time, where that can be. */
const IN_FLIGHT = 8;
const BATCHES = 5;

/**
 * The ways, each for one descriptor and one checksum.
 * @type {Record<string, (fd: number, checksum: string) => Write>}
 */
const ways = {
  sync: (fd, checksum) => (data, position) =>
    offloop.checksumAndWrite(fd, data, { checksum, position }).checksum,
  'sync, apart': (fd, checksum) => (data, position) => {
    fs.writeSync(fd, data, 0, data.length, position);
    return offloop[checksum](data);
  },
  'sync, zlib': (fd) => (data, position) => {
    fs.writeSync(fd, data, 0, data.length, position);
    return zlib.crc32(data);
  },
  Async: (fd, checksum) => async (data, position) => {
    const result = await offloop.checksumAndWriteAsync(fd, data, { checksum, position });
    return result.checksum;
  },
  'Async, apart': (fd, checksum) => async (data, position) => {
    const sum = offloop[checksum](data);
    await write(fd, data, 0, data.length, position);
    return sum;
  },
  'Async, zlib': (fd) => async (data, position) => {
    const sum = zlib.crc32(data);
    await write(fd, data, 0, data.length, position);
    return sum;
  },
};

/**
 * Nanoseconds for so many documents.
 * @param {Write} one
 * @param {Buffer} data
 * @param {number} count
 * @param {number} inFlight
 */
async function writeMany(one, data, count, inFlight) {
  const start = process.hrtime.bigint();
  if (inFlight === 1) {
    for (let i = 0; i < count; i++) one(data, 0);
  } else {
    let left = count;
    await Promise.all(
      Array.from({ length: inFlight }, async (_, lane) => {
        while (left-- > 0) await one(data, lane * data.length);
      }),
    );
  }
  return Number(process.hrtime.bigint() - start);
}

/**
 * @param {Write} one
 * @param {Buffer} data
 * @param {number} inFlight
 * @param {number} time milliseconds
 * @returns {Promise<Row>}
 */
async function measure(one, data, inFlight, time) {
  const enough = (time * 1e6) / BATCHES;
  let count = inFlight;
  while ((await writeMany(one, data, count, inFlight)) < enough) count *= 2;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const samples = [];
  delay.enable();
  await sleep(2);
  delay.reset();
  for (let i = 0; i < BATCHES; i++) {
    samples.push((await writeMany(one, data, count, inFlight)) / count);
  }
  await sleep(2);
  delay.disable();
  return { nanoseconds: median(samples), stallMs: delay.max / 1e6 };
}

/** @param {Trial} trial */
async function runTrial({ way, checksum, sizes, time, folder }) {
  const file = path.join(folder, 'documents');
  const fd = fs.openSync(file, 'w');
  try {
    const one = ways[way](fd, checksum);
    const rows = [];
    for (const size of sizes) {
      const data = createHash('shake256', { outputLength: size }).digest();
      if ((await one(data, 0)) !== offloop[checksum](data)) throw new Error('the sum is wrong');
      rows.push(await measure(one, data, way.startsWith('Async') ? IN_FLIGHT : 1, time));
    }
    return rows;
  } finally {
    fs.closeSync(fd);
    fs.rmSync(file);
  }
}

if (require.main === module) {
  process.on('disconnect', () => process.exit());
  process.on('message', async (/** @type {Trial} */ trial) => {
    let answer;
    try {
      answer = { rows: await runTrial(trial) };
    } catch (error) {
      answer = { error: /** @type {Error} */ (error).message.split('\n')[0] };
    }
    if (process.connected) process.send?.(answer);
  });
}

module.exports = { IN_FLIGHT };
