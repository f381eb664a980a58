#!/usr/bin/env node
'use strict';

/**
 * SHA-256 of files, one large one and several at once: hashFileAsync, our createHash and node:crypto's.
 * Each trial is a process of its own; the rounds go through all ways in turn, so that what disturbs the
 * machine hits them alike. The figures are medians over the rounds. The files are in the file system's
 * cache.
 */

const { createHash } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { startHelper } = require('./lib/child.js');
const { names } = require('./lib/files-trial.js');
const { describeMachine } = require('./lib/machine.js');
const { UsageError, completeOptions, parseCommandLine, usage } = require('./lib/options.js');
const { median } = require('./lib/stats.js');
const { alignColumns } = require('./lib/table.js');

const MIB = 1024 * 1024;

/** @type {import('./lib/options.js').Specs} */
const specs = {
  size: { type: 'integer', default: 1024, min: 1, help: 'MiB of the large file' },
  files: { type: 'integer', default: 8, min: 1, help: 'how many are hashed at once' },
  fileSize: { type: 'integer', default: 256, min: 1, help: 'MiB of each of these' },
  rounds: { type: 'integer', default: 5, min: 1, help: 'trials of each way' },
  folder: { type: 'string', default: os.tmpdir(), help: 'where the files are made' },
  json: { type: 'flag', help: 'the figures as JSON' },
};

/**
 * @typedef {import('./lib/files-trial.js').Measure} Measure
 * @typedef {{ way: string, mibPerSecond: number, cpuSeconds: number, utilization: number, stallMs: number }} Row
 */

/**
 * @param {string} file
 * @param {number} size MiB
 * @param {number} seed
 */
function makeFile(file, size, seed) {
  const block = createHash('shake256', { outputLength: MIB }).update(`${seed}`).digest();
  const fd = fs.openSync(file, 'w');
  for (let i = 0; i < size; i++) {
    block.writeUInt32LE(i, 0);
    fs.writeSync(fd, block);
  }
  fs.closeSync(fd);
}

/**
 * @param {string} name
 * @param {string[]} files
 * @returns {Promise<Measure>}
 */
async function runTrial(name, files) {
  const helper = startHelper(path.join(__dirname, 'lib', 'files-trial.js'), []);
  try {
    const answer = await helper.ask({ name, files });
    if (answer.error !== undefined) throw new Error(`${name}: ${answer.error}`);
    return answer;
  } finally {
    await helper.stop();
  }
}

/**
 * @param {string[]} files
 * @param {number} size MiB of all
 * @param {number} rounds
 * @returns {Promise<Row[]>}
 */
async function measureFiles(files, size, rounds) {
  /** @type {Measure[][]} */
  const trials = names.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [i, name] of names.entries()) {
      process.stderr.write(`\rround ${round + 1}: ${name}\x1b[K`);
      trials[i].push(await runTrial(name, files));
    }
  }
  process.stderr.write('\r\x1b[K');
  if (new Set(trials.flat().map(({ digests }) => digests)).size > 1) {
    throw new Error('the digests differ');
  }
  return names.map((way, i) => ({
    way,
    mibPerSecond: median(trials[i].map(({ seconds }) => size / seconds)),
    cpuSeconds: median(trials[i].map(({ cpuSeconds }) => cpuSeconds)),
    utilization: median(trials[i].map(({ utilization }) => utilization)),
    stallMs: median(trials[i].map(({ stallMs }) => stallMs)),
  }));
}

/**
 * @param {string} title
 * @param {Row[]} rows the first is what the others are compared with
 */
function formatRows(title, rows) {
  const lines = rows.map(({ way, mibPerSecond, cpuSeconds, utilization, stallMs }) => [
    way,
    mibPerSecond.toFixed(0),
    `${(mibPerSecond / rows[0].mibPerSecond).toFixed(2)} x`,
    `${(utilization * 100).toFixed(0)} %`,
    stallMs.toFixed(1),
    cpuSeconds.toFixed(2),
  ]);
  const heading = [title, 'MiB/s', 'to hashFile', 'loop busy', 'stall ms', 'CPU s'];
  return alignColumns([heading, ...lines]);
}

/** @param {string[]} args */
async function main(args) {
  const options = /** @type {any} */ (completeOptions(specs, parseCommandLine(specs, args)));
  const { size, files, fileSize, rounds } = options;
  const folder = fs.mkdtempSync(path.join(options.folder, 'offloop-bench-'));
  try {
    const large = path.join(folder, 'large');
    makeFile(large, size, 0);
    const one = await measureFiles([large], size, rounds);
    fs.rmSync(large);
    const paths = Array.from({ length: files }, (_, i) => path.join(folder, `${i}`));
    paths.forEach((file, i) => makeFile(file, fileSize, i));
    const many = await measureFiles(paths, files * fileSize, rounds);
    const machine = describeMachine();
    if (options.json) {
      console.log(JSON.stringify({ machine, size, files, fileSize, rounds, one, many }, null, 2));
      return;
    }
    console.log(`${machine}\n\n${formatRows(`one file of ${size} MiB`, one)}`);
    console.log(`\n${formatRows(`${files} files of ${fileSize} MiB at once`, many)}`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main(process.argv.slice(2)).catch((error) => {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${usage('benchmarks/files.js', specs)}`);
  } else {
    process.stderr.write(`${error.stack}\n`);
  }
  process.exitCode = 1;
});
