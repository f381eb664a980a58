'use strict';

/** The result of benchmarks/crypto.js as text. */

const { alignColumns, formatNs, formatRate, formatSize } = require('./table.js');

/**
 * @typedef {import('../crypto.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('../crypto.js').Result} Result
 * @typedef {import('./crypto-ratios.js').Ratio} Ratio
 */

/**
 * One table: a row per column that was measured, a cell per size.
 *
 * @param {BenchmarkResult} result
 * @param {string} algorithm
 * @param {string} title
 * @param {(result: Result) => string} format
 */
function formatTable({ columns, results, sizes }, algorithm, title, format) {
  const ofAlgorithm = results.filter((result) => result.algorithm === algorithm);
  const rows = columns.flatMap(({ id, label }) => {
    const cells = sizes.map((size) =>
      ofAlgorithm.find((result) => result.size === size && result.column === id),
    );
    if (cells.every((cell) => cell === undefined)) return [];
    return [[label, ...cells.map((cell) => (cell === undefined ? '-' : format(cell)))]];
  });
  return alignColumns([[title, ...sizes.map(formatSize)], ...rows]);
}

/** @param {Result} result */
function formatThroughput({ nsPerOp, mbPerSecond }) {
  return `${formatNs(nsPerOp)} ${formatRate(mbPerSecond).padStart(9)}`;
}

/** @param {Result} result */
function formatLatency({ p50Ns, p99Ns, stallMs }) {
  return `${formatNs(p50Ns)} ${formatNs(p99Ns).padStart(7)} ${stallMs.toFixed(1).padStart(5)}`;
}

/** @param {Ratio} ratio */
function formatMet({ met }) {
  return met === null ? 'not measured' : met ? 'yes' : 'NO';
}

/**
 * @param {Ratio} ratio
 * @returns {string[]} name, measured, target, met
 */
function ratioCells(ratio) {
  const { measured, name, target, bound } = ratio;
  return [
    name,
    measured === null ? '-' : measured.toFixed(2),
    `${bound === 'at least' ? '≥' : '≤'} ${target}`,
    formatMet(ratio),
  ];
}

/** @param {Ratio[]} ratios */
function formatRatios(ratios) {
  const table = alignColumns([
    ['ratio (times as fast)', 'measured', 'target', 'met'],
    ...ratios.map(ratioCells),
  ]);
  const short = ratios.flatMap(({ name, short: cells }) =>
    cells === undefined || cells.length === 0 ? [] : [`${name}\n  ${cells.join('\n  ')}`],
  );
  return short.length === 0 ? table : `${table}\n\nshort of their target\n\n${short.join('\n')}`;
}

/** @param {BenchmarkResult} result */
function formatReport(result) {
  const { algorithms, machine, options, ratios } = result;
  const tables = algorithms.flatMap((algorithm) => [
    formatTable(
      result,
      algorithm,
      `${algorithm}: time per operation, throughput`,
      formatThroughput,
    ),
    formatTable(result, algorithm, `${algorithm}: p50, p99; longest stall in ms`, formatLatency),
  ]);
  return [
    `${machine}\nmedians of ${options.trials} trials of ${options.time} ms; × n: n in flight`,
    ...tables,
    formatRatios(ratios),
  ].join('\n\n');
}

module.exports = { formatReport, ratioCells };
