#!/usr/bin/env node
'use strict';

/**
 * Checksums of several sizes, ours and the peers' side by side, then one large buffer in both of our
 * forms. Each trial is a process of its own; the rounds go through all contenders in turn, so that
 * what disturbs the machine hits them alike. A trial's figure is that of its quickest batch of calls; what
 * is printed are the medians over the rounds.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const native = require('../lib/binding');
const { startHelper } = require('./lib/child.js');
const { PORTABLE, checksums, kernels, ours, peers } = require('./lib/crc-contenders.js');
const { buildGo, runGo } = require('./lib/crc-go.js');
const { describeMachine } = require('./lib/machine.js');
const { UsageError, parseCommandLine, completeOptions, usage } = require('./lib/options.js');
const { median } = require('./lib/stats.js');
const { alignColumns } = require('./lib/table.js');

const SIZES = [50, 1000, 100_000, 1_000_000, 5_000_000, 10_000_000, 20_000_000];
const LARGE = 256 * 1024 * 1024;
const CROSSOVER_SIZES = [16, 32, 48, 64, 96, 128, 160, 192, 256, 512];

/** @type {import('./lib/options.js').Specs} */
const specs = {
  rounds: { type: 'integer', default: 3, min: 1, help: 'trials per contender' },
  time: { type: 'integer', default: 60, min: 1, help: 'milliseconds per size and trial' },
  checksum: { type: 'list', default: checksums, choices: checksums, help: 'which, by commas' },
  kernels: { type: 'flag', help: 'each of our kernels too' },
  crossover: { type: 'flag', help: 'only: small sizes, in JavaScript and in native code' },
  json: { type: 'flag', help: 'the figures as JSON' },
};

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} checksum
 * @property {(sizes: number[], time: number) => Promise<number[]> | number[]} run
 * @property {number[][]} trials nanoseconds by size, one list per round
 * @property {string | undefined} missing why there are none
 */

/**
 * @param {{ name: string, checksum: string }} contender
 * @returns {Row}
 */
function nodeRow({ name, checksum }) {
  return {
    name,
    checksum,
    trials: [],
    missing: undefined,
    async run(sizes, time) {
      const helper = startHelper(path.join(__dirname, 'lib', 'crc-trial.js'), []);
      try {
        const answer = await helper.ask({ name, checksum, sizes, time });
        if (answer.error !== undefined) throw new Error(answer.error);
        return answer.nanoseconds;
      } finally {
        await helper.stop();
      }
    },
  };
}

/**
 * @param {string} checksum
 * @param {string} program
 * @returns {Row}
 */
function goRow(checksum, program) {
  return {
    name: checksum === 'crc64nvme' ? 'Go hash/crc64' : 'Go hash/crc32',
    checksum,
    trials: [],
    missing: undefined,
    run: (sizes, time) => runGo(program, checksum, sizes, time),
  };
}

/**
 * @param {Row[]} rows
 * @param {number[]} sizes
 * @param {{ rounds: number, time: number }} options
 */
async function runRounds(rows, sizes, { rounds, time }) {
  for (let round = 0; round < rounds; round++) {
    for (const row of rows) {
      if (row.missing !== undefined) continue;
      process.stderr.write(`\rround ${round + 1} of ${rounds}: ${row.checksum}, ${row.name}\x1b[K`);
      try {
        row.trials.push(await row.run(sizes, time));
      } catch (error) {
        row.missing = /** @type {Error} */ (error).message;
      }
    }
  }
  process.stderr.write('\r\x1b[K');
}

/** @param {Row} row */
function medians(row) {
  return row.trials[0].map((_, i) => median(row.trials.map((trial) => trial[i])));
}

/** @param {number} size */
function sizeName(size) {
  if (size >= 1e6) return `${size / 1e6} MB`;
  return size >= 1000 ? `${size / 1000} kB` : `${size} B`;
}

/** @param {number} nanoseconds */
function timeName(nanoseconds) {
  if (nanoseconds >= 1e6) return `${(nanoseconds / 1e6).toFixed(2)} ms`;
  return nanoseconds >= 1e4
    ? `${(nanoseconds / 1e3).toFixed(1)} µs`
    : `${nanoseconds.toFixed(0)} ns`;
}

/**
 * Time per call and GB/s in each cell; below, how many times the fastest other Node library's rate
 * ours is.
 * @param {string} checksum
 * @param {Row[]} rows
 * @param {number[]} sizes
 */
function tableOf(checksum, rows, sizes) {
  const measured = rows.filter((row) => row.trials.length > 0);
  const lines = measured.map((row) => [
    row.name,
    ...medians(row).map(
      (time, i) => `${timeName(time)} ${(sizes[i] / time).toFixed(2).padStart(6)}`,
    ),
  ]);
  const own = measured.find((row) => row.name === 'offloop');
  const others = measured.filter((row) => !/^(offloop|Go|bytewise)/.test(row.name));
  if (own !== undefined && others.length > 0) {
    const best = sizes.map((_, i) => Math.min(...others.map((row) => medians(row)[i])));
    const ratios = medians(own).map((time, i) => `${(best[i] / time).toFixed(2)} x`);
    lines.push(['offloop to the fastest peer', ...ratios]);
  }
  const heading = [checksum, ...sizes.map((size) => `${sizeName(size)}   GB/s`)];
  const missing = rows
    .filter((row) => row.trials.length === 0)
    .map((row) => `${row.name}: skipped (${row.missing})`);
  return [alignColumns([heading, ...lines]), ...missing].join('\n');
}

/**
 * @param {string[]} names
 * @param {number} rounds
 */
function measureLarge(names, rounds) {
  return names.map((checksum) => {
    const script = path.join(__dirname, 'lib', 'crc-async.js');
    const args = [script, checksum, String(LARGE), String(10 * rounds)];
    const { stdout, status } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error(`${checksum}: the trial of the Async form failed`);
    return { checksum, ...JSON.parse(stdout) };
  });
}

/** @param {ReturnType<typeof measureLarge>} large */
function largeTable(large) {
  const rows = large.map(({ checksum, sync, async: asynchronous }) => [
    checksum,
    (LARGE / sync.nanoseconds).toFixed(1),
    (LARGE / asynchronous.nanoseconds).toFixed(1),
    `${(sync.nanoseconds / asynchronous.nanoseconds).toFixed(2)} x`,
    timeName(sync.stall),
    timeName(asynchronous.stall),
  ]);
  const heading = ['256 MiB', 'sync GB/s', 'Async GB/s', 'ratio', 'sync stall', 'Async stall'];
  return alignColumns([heading, ...rows]);
}

/**
 * The rows of a run, and what must be removed after it.
 * @param {any} options
 */
function makeRows(options) {
  if (options.crossover) {
    const portable = peers.find(({ name }) => name === PORTABLE);
    const call = kernels.find(({ checksum }) => checksum === 'crc32');
    return {
      rows: [portable, call].map((each) => nodeRow(/** @type {any} */ (each))),
      go: undefined,
    };
  }
  const wanted = [...ours, ...(options.kernels ? kernels : []), ...peers].filter(({ checksum }) =>
    options.checksum.includes(checksum),
  );
  const rows = wanted.map(nodeRow);
  const go = buildGo();
  for (const checksum of options.checksum) {
    const row = goRow(checksum, 'program' in go ? go.program : '');
    if ('missing' in go) row.missing = go.missing;
    rows.push(row);
  }
  return { rows, go: 'program' in go ? go : undefined };
}

/** @param {string[]} args */
async function main(args) {
  const options = /** @type {any} */ (completeOptions(specs, parseCommandLine(specs, args)));
  const sizes = options.crossover ? CROSSOVER_SIZES : SIZES;
  const kernel = native.crcKernels().find((/** @type {any} */ { active }) => active).name;
  const { rows, go } = makeRows(options);
  try {
    await runRounds(rows, sizes, options);
  } finally {
    if (go !== undefined) fs.rmSync(go.folder, { recursive: true, force: true });
  }
  const large = options.crossover ? [] : measureLarge(options.checksum, options.rounds);
  const machine = `${describeMachine()}${go === undefined ? '' : `, ${go.version}`}`;
  if (options.json) {
    const results = rows.map((row) => ({
      name: row.name,
      checksum: row.checksum,
      missing: row.trials.length === 0 ? row.missing : undefined,
      nanoseconds: row.trials.length === 0 ? undefined : medians(row),
    }));
    console.log(JSON.stringify({ machine, kernel, sizes, results, large }, null, 2));
    return;
  }
  console.log(`${machine}\nkernel: ${kernel}\n`);
  for (const checksum of options.crossover ? ['crc32'] : options.checksum) {
    const own = rows.filter((row) => row.checksum === checksum);
    console.log(`${tableOf(checksum, own, sizes)}\n`);
  }
  if (large.length > 0) console.log(largeTable(large));
}

main(process.argv.slice(2)).catch((error) => {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${usage('benchmarks/crc.js', specs)}`);
  } else {
    process.stderr.write(`${error.stack}\n`);
  }
  process.exitCode = 1;
});
