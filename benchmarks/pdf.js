#!/usr/bin/env node
'use strict';

/**
 * The speed of changing a document's encryption: offloop with either engine, its peers and OpenSSL
 * alone, measured in one run, each trial in a process to itself.
 */

const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { recrypt } = require('..');
const { pdfPath } = require('../fixtures/pdf.js');
const { startHelper } = require('./lib/child.js');
const { describeMachine } = require('./lib/machine.js');
const { UsageError, completeOptions, parseCommandLine, usage } = require('./lib/options.js');
const contending = require('./lib/pdf-contenders.js');
const { measureRatios } = require('./lib/pdf-ratios.js');
const { median } = require('./lib/stats.js');
const { alignColumns, formatBytes, formatMs, formatRate } = require('./lib/table.js');

/**
 * @typedef {{
 *   documents: string[], operations: string[], forms: ('path' | 'bytes')[], contenders: string[],
 *   inFlight: string[], trials: number, time: number,
 * }} BenchmarkOptions
 * @typedef {import('./lib/pdf-ratios.js').Cell & {
 *   bytes: number, ms: number, docsPerSecond: number, mbPerSecond: number, peakBytes: number,
 * }} Result medians of the trials
 * @typedef {{
 *   machine: string, missing: string[], results: Result[], ratios: import('./lib/pdf-ratios.js').Ratio[],
 *   failures: (import('./lib/pdf-ratios.js').Cell & { error: string })[],
 *   aborts: { document: string, contender: string, delayMs: number | null }[],
 * }} BenchmarkResult
 */

/** Documents, and about how many streams their bytes are in. */
const documents = {
  '16mb': { make: () => pdfPath('images', { copies: 2 }), streams: 40 },
  '96mb': { make: () => pdfPath('images', { copies: 12 }), streams: 240 },
  text: { make: () => pdfPath('text'), streams: 4000 },
  small: { make: () => pdfPath('small'), streams: 1 },
};
const names = Object.keys(documents);
const contenderNames = Object.keys(contending.contenders);
const forms = ['path', 'bytes'];
const depths = ['1', '4'];
const { operations } = contending;
const ABORT_AFTER_MS = 15;

/** @type {import('./lib/options.js').Specs} */
const specs = {
  documents: { type: 'list', default: names, choices: names, help: 'documents' },
  operations: { type: 'list', default: operations, choices: operations, help: 'operations' },
  forms: { type: 'list', default: forms, choices: forms, help: 'from and to where' },
  contenders: {
    type: 'list',
    default: contenderNames,
    choices: contenderNames,
    help: 'who is measured',
  },
  inFlight: {
    type: 'list',
    default: depths,
    choices: depths,
    help: 'how many at a time: 1 is synchronous, 4 is not',
  },
  trials: { type: 'integer', default: 3, min: 1, help: 'processes per figure' },
  time: { type: 'integer', default: 500, min: 1, help: 'milliseconds per trial' },
};

/** @type {import('./lib/options.js').Specs} */
const commandLineSpecs = {
  ...specs,
  json: { type: 'flag', help: 'print the result as JSON' },
  help: { type: 'flag', help: 'print this' },
};

/** @param {object} message */
async function tryOnce(message) {
  const helper = startHelper(path.join(__dirname, 'lib', 'pdf-trial.js'), []);
  try {
    return await helper.ask(message);
  } catch (error) {
    return { error: /** @type {Error} */ (error).message };
  } finally {
    await helper.stop();
  }
}

/**
 * A document's files: as it is, and encrypted for what is to be decrypted.
 *
 * @param {string} name
 * @param {string} folder
 */
function prepareDocument(name, folder) {
  const { make, streams } = documents[/** @type {keyof typeof documents} */ (name)];
  const plain = make();
  const encrypted = path.join(folder, `${name}-encrypted.pdf`);
  recrypt(plain, encrypted, {
    userPassword: contending.USER,
    ownerPassword: contending.OWNER,
    encryption: contending.SOURCE_ENCRYPTION,
  });
  return { plain, encrypted, streams, bytes: fs.statSync(plain).size };
}

/** @param {BenchmarkOptions} options @param {string} document @returns {import('./lib/pdf-ratios.js').Cell[]} */
function cellsOf({ operations, forms, inFlight, contenders }, document) {
  return operations.flatMap((operation) =>
    forms.flatMap((form) =>
      inFlight.flatMap((depth) =>
        contenders.map((contender) => ({
          document,
          operation,
          form,
          inFlight: Number(depth),
          contender,
        })),
      ),
    ),
  );
}

/** What blocks its caller has nothing in flight. @param {import('./lib/pdf-ratios.js').Cell} cell */
const makesSense = ({ contender, inFlight }) =>
  inFlight === 1 || contender.startsWith('offloop') || contender === 'qpdf-command';

/**
 * @param {Partial<BenchmarkOptions>} [given]
 * @returns {Promise<BenchmarkResult>}
 */
async function runBenchmark(given = {}) {
  const options = /** @type {BenchmarkOptions} */ (completeOptions(specs, given));
  const missing = options.contenders.filter((name) => !contending.isInstalled(name));
  options.contenders = options.contenders.filter((name) => !missing.includes(name));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-bench-'));
  const target = path.join(folder, 'out.pdf');
  /** @type {BenchmarkResult} */
  const result = {
    machine: describeMachine(),
    missing,
    results: [],
    ratios: [],
    failures: [],
    aborts: [],
  };
  try {
    for (const document of options.documents) {
      const { plain, encrypted, streams, bytes } = prepareDocument(document, folder);
      for (const cell of cellsOf(options, document).filter(makesSense)) {
        const opens = cell.operation === 'decrypt' || cell.operation === 're-encrypt';
        const task = {
          source: opens ? encrypted : plain,
          target,
          form: cell.form,
          operation: cell.operation,
          streams,
          asynchronous: cell.inFlight > 1,
        };
        /** @type {any[]} */
        const trials = [];
        for (let i = 0; i < options.trials; i++) {
          const { contender, inFlight } = cell;
          const message = { do: 'measure', contender, task, inFlight, time: options.time };
          trials.push(await tryOnce(message));
          if (trials[i].unable || trials[i].error) break;
        }
        const failed = trials.find(({ error }) => error !== undefined);
        if (failed !== undefined) result.failures.push({ ...cell, error: failed.error });
        if (failed !== undefined || trials[0].unable) continue;
        /** @param {'ms' | 'docsPerSecond' | 'peakBytes'} key */
        const middle = (key) => median(trials.map((trial) => trial[key]));
        const docsPerSecond = middle('docsPerSecond');
        result.results.push({
          ...cell,
          bytes,
          ms: middle('ms'),
          docsPerSecond,
          mbPerSecond: (docsPerSecond * bytes) / 1e6,
          peakBytes: middle('peakBytes'),
        });
      }
      if (document !== '96mb') continue;
      for (const contender of options.contenders.filter((name) => name.startsWith('offloop'))) {
        const task = { source: plain, target };
        const answer = await tryOnce({ do: 'abort', contender, task, after: ABORT_AFTER_MS });
        result.aborts.push({ document, contender, delayMs: answer.delayMs ?? null });
      }
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  result.ratios = measureRatios(result.results);
  return result;
}

/** @param {BenchmarkResult} result */
function formatReport({ machine, missing, results, ratios, failures, aborts }) {
  const parts = [machine];
  const heading = ['', 'ms', 'MB/s', 'docs/s', 'peak memory'];
  for (const document of new Set(results.map((row) => row.document))) {
    const rows = results
      .filter((row) => row.document === document)
      .map((row) => [
        `${row.operation}, ${row.form}, ${row.inFlight} in flight: ${row.contender}`,
        formatMs(row.ms),
        formatRate(row.mbPerSecond),
        row.docsPerSecond.toFixed(1),
        formatBytes(row.peakBytes),
      ]);
    parts.push(alignColumns([[document, ...heading.slice(1)], ...rows]));
  }
  for (const { document, contender, delayMs } of aborts) {
    parts.push(`${document}, ${contender}: from abort to rejection ${formatMs(delayMs)}`);
  }
  const rows = ratios.map(({ name, measured, target, met }) => [
    name,
    measured === null ? '-' : measured.toFixed(2),
    `≥ ${target.toFixed(2)}`,
    met === null ? 'not measured' : met ? 'yes' : 'NO',
  ]);
  parts.push(alignColumns([['ratios (times as fast)', 'measured', 'target', 'met'], ...rows]));
  for (const { document, operation, form, contender, error } of failures) {
    parts.push(`failed: ${document}, ${operation}, ${form}, ${contender}: ${error}`);
  }
  if (missing.length > 0) {
    parts.push(`not installed: ${missing.join(', ')} (npm run bench:install)`);
  }
  return parts.join('\n\n');
}

/** @param {string[]} args */
async function main(args) {
  const { json, help, ...given } = parseCommandLine(commandLineSpecs, args);
  if (help) {
    process.stdout.write(usage('benchmarks/pdf.js', commandLineSpecs));
    return;
  }
  const result = await runBenchmark(given);
  console.log(json ? JSON.stringify(result, null, 2) : formatReport(result));
}

if (require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(`pdf: ${error.message.trim().replace(/\s*\n\s*/g, '; ')}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
}

module.exports = { formatReport, runBenchmark };
