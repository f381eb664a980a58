#!/usr/bin/env node
'use strict';

/**
 * Documents written and summed: checksumAndWrite against a checksum and fs.write apart. Each trial is a
 * process of its own; the rounds go through all ways in turn, so that what disturbs the machine hits
 * them alike. The figures are medians over the rounds. The same places of one file are written over and
 * over, so that the file system's cache takes them and no disk is measured.
 */

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const zlib = require('node:zlib');

const native = require('../lib/binding');
const { startHelper } = require('./lib/child.js');
const { describeMachine } = require('./lib/machine.js');
const { UsageError, completeOptions, parseCommandLine, usage } = require('./lib/options.js');
const { median } = require('./lib/stats.js');
const { alignColumns, formatNs } = require('./lib/table.js');
const { IN_FLIGHT } = require('./lib/write-trial.js');

const SIZES = [50, 1000, 10_000, 100_000, 1_000_000, 20_000_000];

/** @type {string[]} */
const checksums = native.crcs().map((/** @type {{ name: string }} */ { name }) => name);

/** @type {import('./lib/options.js').Specs} */
const specs = {
  rounds: { type: 'integer', default: 3, min: 1, help: 'trials of each way' },
  time: { type: 'integer', default: 100, min: 1, help: 'milliseconds per size and trial' },
  checksum: { type: 'list', default: checksums, choices: checksums, help: 'which, by commas' },
  folder: { type: 'string', default: os.tmpdir(), help: 'where the file is written' },
  json: { type: 'flag', help: 'the figures as JSON' },
};

/**
 * @typedef {import('./lib/write-trial.js').Row} Row
 * @typedef {object} Way
 * @property {string} id as in lib/write-trial.js
 * @property {string} label
 * @property {string} [base] the id of what it is compared with
 */

/**
 * @param {string} checksum
 * @returns {Way[]}
 */
function waysOf(checksum) {
  const hasZlib = checksum === 'crc32' && zlib.crc32 !== undefined;
  const base = hasZlib ? 'zlib' : 'apart';
  /** @type {Way[]} */
  const zlibWays = [
    { id: 'sync, zlib', label: 'zlib.crc32 + fs.writeSync' },
    { id: 'Async, zlib', label: 'zlib.crc32 + fs.write' },
  ];
  return [
    { id: 'sync', label: 'checksumAndWrite', base: `sync, ${base}` },
    { id: 'sync, apart', label: `${checksum} + fs.writeSync` },
    ...(hasZlib ? zlibWays.slice(0, 1) : []),
    { id: 'Async', label: 'checksumAndWriteAsync', base: `Async, ${base}` },
    { id: 'Async, apart', label: `${checksum} + fs.write` },
    ...(hasZlib ? zlibWays.slice(1) : []),
  ];
}

/**
 * @param {string} way
 * @param {string} checksum
 * @param {{ time: number, folder: string }} options
 * @returns {Promise<Row[]>}
 */
async function runTrial(way, checksum, { time, folder }) {
  const helper = startHelper(path.join(__dirname, 'lib', 'write-trial.js'), []);
  try {
    const answer = await helper.ask({ way, checksum, sizes: SIZES, time, folder });
    if (answer.error !== undefined) throw new Error(`${checksum}, ${way}: ${answer.error}`);
    return answer.rows;
  } finally {
    await helper.stop();
  }
}

/**
 * @param {string} checksum
 * @param {{ rounds: number, time: number, folder: string }} options
 * @returns {Promise<{ way: Way, rows: Row[] }[]>}
 */
async function measureChecksum(checksum, options) {
  const ways = waysOf(checksum);
  /** @type {Row[][][]} */
  const trials = ways.map(() => []);
  for (let round = 0; round < options.rounds; round++) {
    for (const [i, { id }] of ways.entries()) {
      process.stderr.write(`\rround ${round + 1}: ${checksum}, ${id}\x1b[K`);
      trials[i].push(await runTrial(id, checksum, options));
    }
  }
  process.stderr.write('\r\x1b[K');
  return ways.map((way, i) => ({
    way,
    rows: SIZES.map((_, k) => ({
      nanoseconds: median(trials[i].map((rows) => rows[k].nanoseconds)),
      stallMs: median(trials[i].map((rows) => rows[k].stallMs)),
    })),
  }));
}

/** @param {number} size */
function sizeName(size) {
  if (size >= 1e6) return `${size / 1e6} MB`;
  return size >= 1000 ? `${size / 1000} kB` : `${size} B`;
}

/**
 * Time per document, and how many times as fast as what it is compared with; for 20 MB the stall.
 * @param {string} checksum
 * @param {Awaited<ReturnType<typeof measureChecksum>>} results
 */
function formatResults(checksum, results) {
  const lines = results.map(({ way, rows }) => {
    const base = results.find((other) => other.way.id === way.base);
    const cells = rows.map(({ nanoseconds }, i) => {
      const ratio = base === undefined ? 1 : base.rows[i].nanoseconds / nanoseconds;
      const times = base === undefined ? '' : `${ratio.toFixed(2)} x`;
      return `${formatNs(nanoseconds)} ${times.padStart(7)}`;
    });
    return [way.label, ...cells, `${rows[rows.length - 1].stallMs.toFixed(1)} ms`];
  });
  return alignColumns([[checksum, ...SIZES.map(sizeName), 'stall, 20 MB'], ...lines]);
}

/** @param {string[]} args */
async function main(args) {
  const options = /** @type {any} */ (completeOptions(specs, parseCommandLine(specs, args)));
  const folder = fs.mkdtempSync(path.join(options.folder, 'offloop-bench-'));
  const kernel = native.crcKernels().find((/** @type {any} */ { active }) => active).name;
  const machine = describeMachine();
  if (!options.json) {
    console.log(`${machine}\nkernel: ${kernel}; Async: ${IN_FLIGHT} documents in flight`);
  }
  const all = [];
  try {
    for (const checksum of options.checksum) {
      const results = await measureChecksum(checksum, { ...options, folder });
      all.push({ checksum, results: results.map(({ way, rows }) => ({ way: way.label, rows })) });
      if (!options.json) console.log(`\n${formatResults(checksum, results)}`);
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  if (options.json) {
    console.log(JSON.stringify({ machine, kernel, sizes: SIZES, checksums: all }, null, 2));
  }
}

main(process.argv.slice(2)).catch((error) => {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${usage('benchmarks/write.js', specs)}`);
  } else {
    process.stderr.write(`${error.stack}\n`);
  }
  process.exitCode = 1;
});
