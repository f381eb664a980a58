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

module.exports = { alignColumns, formatBytes, formatMs };
