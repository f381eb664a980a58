#!/usr/bin/env node
'use strict';

/**
 * The throughput of ciphers, digests and HMACs: offloop, its peers and OpenSSL alone, measured in
 * one run. Each trial has a process to itself; the trials of a cell's columns follow one another, so
 * that whatever drifts on the machine hits them alike.
 */

const fs = require('node:fs');
const path = require('node:path');

const { algorithms, sizes } = require('./lib/crypto-algorithms.js');
const { PEER, chooseColumns, columnNames, isInstalled } = require('./lib/crypto-columns.js');
const { renderPage } = require('./lib/crypto-page.js');
const { measureRatios } = require('./lib/crypto-ratios.js');
const { formatReport } = require('./lib/crypto-report.js');
const { startHelper } = require('./lib/child.js');
const { describeMachine } = require('./lib/machine.js');
const { UsageError, completeOptions, parseCommandLine, usage } = require('./lib/options.js');
const { median } = require('./lib/stats.js');

/**
 * @typedef {import('./lib/crypto-columns.js').Column} Column
 * @typedef {import('./lib/crypto-measure.js').Measure} Measure
 * @typedef {{
 *   algorithms: string[], sizes: string[], columns?: string[], trials: number, time: number,
 * }} BenchmarkOptions
 * @typedef {{ algorithm: string, size: number, column: string }} Cell
 * @typedef {Cell & Measure & { mbPerSecond: number, trials: Measure[] }} Result medians of the trials
 * @typedef {{ id: string, label: string, inFlight: number, asynchronous: boolean }} ColumnInfo
 * @typedef {object} BenchmarkResult
 * @property {string} machine
 * @property {Record<string, string>} versions
 * @property {{ trials: number, time: number }} options
 * @property {string[]} algorithms those measured
 * @property {number[]} sizes
 * @property {ColumnInfo[]} columns
 * @property {string[]} missing columns that are not installed
 * @property {Result[]} results
 * @property {(Cell & { error: string })[]} failures
 * @property {import('./lib/crypto-ratios.js').Ratio[]} ratios
 */

const algorithmNames = algorithms.map(({ name }) => name);
const sizeNames = sizes.map(String);

/** @type {import('./lib/options.js').Specs} */
const specs = {
  algorithms: {
    type: 'list',
    default: algorithmNames,
    choices: algorithmNames,
    help: 'rows',
  },
  sizes: { type: 'list', default: sizeNames, choices: sizeNames, help: 'bytes per operation' },
  columns: {
    type: 'list',
    choices: columnNames,
    help: 'who is measured: families as node or offloop-async, or columns as offloop-async@64',
  },
  trials: { type: 'integer', default: 3, min: 1, help: 'trials of each cell; medians are shown' },
  time: { type: 'integer', default: 100, min: 1, help: 'milliseconds that a trial measures' },
};

/** @type {import('./lib/options.js').Specs} */
const commandLineSpecs = {
  ...specs,
  json: { type: 'flag', help: 'print the result as JSON' },
  html: { type: 'string', help: 'also write a page with charts to this file' },
  help: { type: 'flag', help: 'print this' },
};

/**
 * @param {BenchmarkOptions} options
 * @param {Column[]} columns
 * @returns {Cell[]} in the order of measuring
 */
function planCells({ algorithms: names, sizes: wanted }, columns) {
  return algorithms
    .filter(({ name }) => names.includes(name))
    .flatMap((algorithm) =>
      sizes
        .filter((size) => wanted.includes(String(size)))
        .flatMap((size) =>
          columns
            .filter(({ family }) => family.supports?.(algorithm) ?? true)
            .map(({ id }) => ({ algorithm: algorithm.name, size, column: id })),
        ),
    );
}

/**
 * @param {Cell} cell
 * @param {number} time
 * @returns {Promise<{ measure: Measure } | { error: string }>}
 */
async function runTrial(cell, time) {
  const child = startHelper(path.join(__dirname, 'lib', 'crypto-trial.js'), []);
  try {
    return await child.ask({ ...cell, time });
  } catch (error) {
    return { error: /** @type {Error} */ (error).message };
  } finally {
    await child.stop();
  }
}

/**
 * @param {Cell} cell
 * @param {Measure[]} trials
 * @returns {Result}
 */
function toResult(cell, trials) {
  const middle = (/** @type {keyof Measure} */ name) => median(trials.map((trial) => trial[name]));
  const nsPerOp = middle('nsPerOp');
  return {
    ...cell,
    nsPerOp,
    mbPerSecond: (cell.size / nsPerOp) * 1000,
    p50Ns: middle('p50Ns'),
    p99Ns: middle('p99Ns'),
    stallMs: middle('stallMs'),
    trials,
  };
}

function readVersions() {
  /** @type {Record<string, string>} */
  const versions = {
    node: process.versions.node,
    openssl: process.versions.openssl,
    uv: process.versions.uv,
    v8: process.versions.v8,
  };
  for (const folder of [path.join(__dirname, '..'), PEER]) {
    const file = path.join(folder, 'package.json');
    if (!fs.existsSync(file)) continue;
    const { name, version } = JSON.parse(fs.readFileSync(file, 'utf8'));
    versions[name] = version;
  }
  return versions;
}

/**
 * Runs the benchmark.
 *
 * @param {Partial<BenchmarkOptions>} [given]
 * @param {(done: number, all: number) => void} [onProgress]
 * @returns {Promise<BenchmarkResult>}
 */
async function runBenchmark(given = {}, onProgress = () => {}) {
  const options = /** @type {BenchmarkOptions} */ (completeOptions(specs, given));
  const { trials, time } = options;
  const chosen = chooseColumns(options.columns);
  const cells = planCells(options, chosen.filter(isInstalled));
  /** @type {Measure[][]} */
  const measures = cells.map(() => []);
  /** @type {BenchmarkResult['failures']} */
  const failures = [];
  for (let trial = 0; trial < trials; trial++) {
    for (const [i, cell] of cells.entries()) {
      onProgress(trial * cells.length + i, trials * cells.length);
      const answer = await runTrial(cell, time);
      if ('measure' in answer) measures[i].push(answer.measure);
      else failures.push({ ...cell, error: answer.error });
    }
  }
  const results = cells.flatMap((cell, i) =>
    measures[i].length > 0 ? [toResult(cell, measures[i])] : [],
  );
  return {
    machine: describeMachine(),
    versions: readVersions(),
    options: { trials, time },
    algorithms: algorithmNames.filter((name) => options.algorithms.includes(name)),
    sizes: sizes.filter((size) => options.sizes.includes(String(size))),
    columns: chosen.map(({ id, label, inFlight, family }) => {
      return { id, label, inFlight, asynchronous: family.asynchronous };
    }),
    missing: chosen.filter((column) => !isInstalled(column)).map(({ id }) => id),
    results,
    failures,
    ratios: measureRatios(timesOf(results)),
  };
}

/**
 * @param {Result[]} results
 * @returns {import('./lib/crypto-ratios.js').TimeOf}
 */
function timesOf(results) {
  const times = new Map(
    results.map(({ algorithm, size, column, nsPerOp }) => [
      `${algorithm} ${size} ${column}`,
      nsPerOp,
    ]),
  );
  return (algorithm, size, column) => times.get(`${algorithm} ${size} ${column}`);
}

/**
 * On a terminal, how far it has come; nothing elsewhere.
 *
 * @param {number} done
 * @param {number} all
 */
function showProgress(done, all) {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r\x1b[K${done + 1 < all ? `trial ${done + 1} of ${all}` : ''}`);
}

/** @param {string[]} args */
async function main(args) {
  const { json, help, html, ...given } = parseCommandLine(commandLineSpecs, args);
  if (help) {
    process.stdout.write(usage('benchmarks/crypto.js', commandLineSpecs));
    return;
  }
  const result = await runBenchmark(given, showProgress);
  const { missing, failures } = result;
  if (missing.length > 0) {
    console.error(
      `crypto: not installed, or it does not build: ${missing.join(', ')}. ` +
        'To install and build what is measured against: npm run bench:install',
    );
  }
  const lines = failures.map(
    ({ algorithm, size, column, error }) => `${algorithm}, ${size} bytes, ${column}: ${error}`,
  );
  for (const line of new Set(lines)) console.error(`crypto: ${line}`);
  if (failures.length > 0) process.exitCode = 1;
  if (typeof html === 'string') fs.writeFileSync(html, renderPage(result));
  console.log(json ? JSON.stringify(result, null, 2) : formatReport(result));
}

if (require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(`crypto: ${error.message}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
}

module.exports = { runBenchmark };
