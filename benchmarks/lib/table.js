'use strict';

/**
 * Rows of cells as aligned text: the first column to the left, the others to the right.
 *
 * @param {readonly (readonly string[])[]} rows the first is the heading
 * @returns {string}
 */
function alignColumns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const lines = rows.map((row) =>
    row
      .map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
      .join('  ')
      .trimEnd(),
  );
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '));
  return lines.join('\n');
}

/**
 * @param {number | null} value in milliseconds
 */
function formatMs(value) {
  if (value === null) return '-';
  return `${value < 100 ? value.toFixed(2) : value.toFixed(0)} ms`;
}

/** @param {number} bytes */
function formatBytes(bytes) {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/**
 * A size that is a power of two: '256 B', '64 KiB'.
 *
 * @param {number} bytes
 */
function formatSize(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1048576 ? `${bytes / 1024} KiB` : `${bytes / 1048576} MiB`;
}

/**
 * Three digits that count, with their unit.
 *
 * @param {number} value
 * @param {readonly string[]} units each a thousand times the one before
 */
function formatScaled(value, units) {
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1000;
  const decimals = value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2;
  return `${value.toFixed(decimals)} ${units[unit]}`;
}

/** @param {number} ns */
function formatNs(ns) {
  return formatScaled(ns, ['ns', 'µs', 'ms', 's']);
}

/** @param {number} mb megabytes per second */
function formatRate(mb) {
  return formatScaled(mb, ['MB/s', 'GB/s']);
}

module.exports = { alignColumns, formatBytes, formatMs, formatNs, formatRate, formatSize };
