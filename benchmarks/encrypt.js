#!/usr/bin/env node
'use strict';

/**
 * What a backup or ZIP writer does: encrypt segment after segment with AES-256-GCM and sum every byte
 * that comes out. Each trial is a process of its own; the rounds go through all variants in turn, so
 * that what disturbs the machine hits them alike. The figures are medians over the rounds.
 */

const path = require('node:path');

const { startHelper } = require('./lib/child.js');
const { BYTEWISE, ZLIB, kernel, variants } = require('./lib/encrypt-variants.js');
const { describeMachine } = require('./lib/machine.js');
const { UsageError, completeOptions, parseCommandLine, usage } = require('./lib/options.js');
const { median } = require('./lib/stats.js');
const { alignColumns } = require('./lib/table.js');

const KIB = 1024;
const MIB = 1024 * 1024;

/** @type {import('./lib/options.js').Specs} */
const specs = {
  size: { type: 'integer', default: 1024, min: 1, help: 'MiB to encrypt in each trial' },
  segment: { type: 'string', default: '2,16,64,256', help: 'MiB of a segment, by commas' },
  chunk: { type: 'integer', default: 64, min: 1, help: 'KiB that node:crypto gets at a time' },
  rounds: { type: 'integer', default: 3, min: 1, help: 'trials of each variant' },
  json: { type: 'flag', help: 'the figures as JSON' },
};

/**
 * @typedef {import('./lib/encrypt-trial.js').Measure} Measure
 *
 * @typedef {object} Row
 * @property {string} variant
 * @property {string} backend
 * @property {number} segment MiB
 * @property {string} [missing] why there are no figures
 * @property {number} [mibPerSecond]
 * @property {number} [cpuSeconds]
 * @property {number} [stallMs]
 */

/** @param {string} text */
function parseSegments(text) {
  return text.split(',').map((part) => {
    const value = /^\d+$/.test(part) ? Number(part) : 0;
    if (value >= 1) return value;
    throw new UsageError('--segment must be integers of at least 1, by commas');
  });
}

/**
 * @param {string} name
 * @param {number} segment MiB
 * @param {{ size: number, chunk: number }} options
 * @returns {Promise<Measure>}
 */
async function runTrial(name, segment, { size, chunk }) {
  const helper = startHelper(path.join(__dirname, 'lib', 'encrypt-trial.js'), []);
  const bytes = { size: size * MIB, segment: Math.min(segment, size) * MIB, chunk: chunk * KIB };
  try {
    const answer = await helper.ask({ name, ...bytes });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  } finally {
    await helper.stop();
  }
}

/**
 * All variants with segments of one size.
 * @param {number} segment MiB
 * @param {{ size: number, chunk: number, rounds: number }} options
 * @returns {Promise<Row[]>}
 */
async function measureSegment(segment, options) {
  /** @type {Map<string, Measure[]>} */
  const trials = new Map(variants.map(({ name }) => [name, []]));
  /** @type {Map<string, string>} */
  const missing = new Map();
  for (let round = 0; round < options.rounds; round++) {
    for (const { name } of variants) {
      if (missing.has(name)) continue;
      process.stderr.write(`\rround ${round + 1}, segments of ${segment} MiB: ${name}\x1b[K`);
      try {
        trials.get(name)?.push(await runTrial(name, segment, options));
      } catch (error) {
        missing.set(name, /** @type {Error} */ (error).message);
      }
    }
  }
  process.stderr.write('\r\x1b[K');
  const sums = variants
    .filter(({ backend }) => backend !== 'none')
    .flatMap(({ name }) => trials.get(name) ?? [])
    .map(({ checksum }) => checksum);
  if (new Set(sums).size > 1) throw new Error('the variants disagree about the checksums');
  return variants.map(({ name, backend }) => {
    const measures = trials.get(name) ?? [];
    const row = { variant: name, backend, segment };
    if (missing.has(name)) return { ...row, missing: missing.get(name) };
    return {
      ...row,
      mibPerSecond: median(measures.map(({ seconds }) => options.size / seconds)),
      cpuSeconds: median(measures.map(({ cpuSeconds }) => cpuSeconds)),
      stallMs: median(measures.map(({ stallMs }) => stallMs)),
    };
  });
}

/**
 * @param {Row[]} rows of one segment size
 * @returns {string}
 */
function formatRows(rows) {
  const rateOf = (/** @type {string} */ name) =>
    rows.find(({ variant }) => variant === name)?.mibPerSecond;
  /** @type {(rate: number, base: number | undefined) => string} */
  const times = (rate, base) => (base === undefined ? '-' : `${(rate / base).toFixed(2)} x`);
  const lines = rows.map((row) => {
    const { variant, backend, missing, mibPerSecond = 0, cpuSeconds = 0, stallMs = 0 } = row;
    if (missing !== undefined) return [variant, backend, missing, '', '', '', ''];
    return [
      variant,
      backend,
      mibPerSecond.toFixed(0),
      cpuSeconds.toFixed(2),
      stallMs.toFixed(1),
      times(mibPerSecond, rateOf(ZLIB)),
      times(mibPerSecond, rateOf(BYTEWISE)),
    ];
  });
  const heading = ['', 'CRC by', 'MiB/s', 'CPU s', 'stall ms', 'to zlib', 'to bytewise'];
  const table = alignColumns([
    [`segments of ${rows[0].segment} MiB`, ...heading.slice(1)],
    ...lines,
  ]);
  const costs = rows
    .filter(({ variant }) => variant.endsWith(', no CRC'))
    .map(({ variant, mibPerSecond: bare = NaN }) => {
      const name = variant.slice(0, -', no CRC'.length);
      return `${name}: ${((bare / (rateOf(name) ?? NaN) - 1) * 100).toFixed(1)} %`;
    });
  return `${table}\ntime that the checksum adds: ${costs.join('; ')}`;
}

/** @param {string[]} args */
async function main(args) {
  const options = /** @type {any} */ (completeOptions(specs, parseCommandLine(specs, args)));
  const segments = parseSegments(options.segment);
  const machine = describeMachine();
  if (!options.json) {
    console.log(`${machine}\nCRC-32 of offloop by: ${kernel}`);
    console.log(`${options.size} MiB, AES-256-GCM, chunks of ${options.chunk} KiB`);
  }
  /** @type {Row[]} */
  const results = [];
  for (const segment of segments) {
    const rows = await measureSegment(segment, options);
    results.push(...rows);
    if (!options.json) console.log(`\n${formatRows(rows)}`);
  }
  if (options.json) {
    const { size, chunk, rounds } = options;
    console.log(JSON.stringify({ machine, kernel, size, chunk, rounds, results }, null, 2));
  }
}

main(process.argv.slice(2)).catch((error) => {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n\n${usage('benchmarks/encrypt.js', specs)}`);
  } else {
    process.stderr.write(`${error.stack}\n`);
  }
  process.exitCode = 1;
});
