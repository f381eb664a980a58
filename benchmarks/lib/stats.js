'use strict';

/**
 * @typedef {{ count: number, p50: number | null, p95: number | null, p99: number | null, max: number | null }} Summary
 * `null` where nothing was measured
 */

/**
 * The smallest sample that at least `fraction` of the samples do not exceed (nearest rank).
 *
 * @param {readonly number[]} sorted ascending, not empty
 * @param {number} fraction 0 to 1
 */
function percentile(sorted, fraction) {
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)];
}

/**
 * The middle one, or the mean of the two in the middle.
 *
 * @param {readonly number[]} samples not empty
 */
function median(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * @param {readonly number[]} samples
 * @returns {Summary}
 */
function summarize(samples) {
  if (samples.length === 0) return { count: 0, p50: null, p95: null, p99: null, max: null };
  const sorted = [...samples].sort((a, b) => a - b);
  return {
    count: sorted.length,
    p50: percentile(sorted, 0.5),
    p95: percentile(sorted, 0.95),
    p99: percentile(sorted, 0.99),
    max: sorted[sorted.length - 1],
  };
}

module.exports = { median, percentile, summarize };
