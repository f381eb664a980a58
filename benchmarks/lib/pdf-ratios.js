'use strict';

/** What benchmarks/pdf.js is to show: how offloop stands to its peers and to OpenSSL alone. */

/**
 * @typedef {{ document: string, operation: string, form: string, inFlight: number, contender: string }} Cell
 * @typedef {{ name: string, measured: number | null, target: number, met: boolean | null }} Ratio
 * how many times as many documents a second
 */

/** @param {string} text document, operation, form, in flight, contender @returns {Cell} */
function cell(text) {
  const [document, operation, form, inFlight, contender] = text.split(' ');
  return { document, operation, form, inFlight: Number(inFlight), contender };
}

/** Ours, the other's, and how many times as fast. @type {[string, string, number][]} */
const rules = [
  ['16mb aes-256 bytes 1 offloop', '16mb aes-256 bytes 1 limit-cbc', 1 / 0.6],
  ['16mb aes-256 path 1 offloop', '16mb aes-128 path 1 muhammara', 5],
  ['16mb aes-256 path 4 offloop', '16mb aes-128 path 1 muhammara', 2.5],
  ['16mb rc4-128 path 1 offloop', '16mb rc4-128 path 1 muhammara', 5],
  ['text aes-256 path 1 offloop', 'text aes-256 path 1 offloop-libqpdf', 20],
  ['text aes-256 path 1 offloop', 'text aes-128 path 1 muhammara', 50],
  ['small aes-128 bytes 1 offloop', 'small aes-128 bytes 1 offloop-libqpdf', 2.5],
  ['small aes-128 bytes 1 offloop', 'small aes-128 bytes 1 muhammara', 10],
  ['small aes-128 path 1 offloop', 'small aes-128 path 1 muhammara', 2],
  ['16mb aes-256 path 1 offloop-libqpdf', '16mb aes-128 path 1 muhammara', 1 / 0.65],
  ['16mb rc4-128 path 1 offloop-libqpdf', '16mb rc4-128 path 1 muhammara', 1 / 0.35],
  ['text aes-256 path 1 offloop-libqpdf', 'text aes-128 path 1 muhammara', 1 / 0.55],
  ['small aes-128 path 1 offloop-libqpdf', 'small aes-128 path 1 muhammara', 2],
  ['small aes-128 bytes 1 offloop-libqpdf', 'small aes-128 bytes 1 muhammara', 4],
];

/**
 * @param {readonly (Cell & { docsPerSecond: number })[]} results
 * @returns {Ratio[]}
 */
function measureRatios(results) {
  /** @param {string} text */
  const rateOf = (text) => {
    const wanted = Object.entries(cell(text));
    return results.find((row) =>
      wanted.every(([key, value]) => /** @type {any} */ (row)[key] === value),
    )?.docsPerSecond;
  };
  return rules.map(([ours, other, target]) => {
    const [a, b] = [rateOf(ours), rateOf(other)];
    const measured = a === undefined || b === undefined ? null : a / b;
    return {
      name: `${ours} to ${other}`,
      measured,
      target,
      met: measured === null ? null : measured >= target,
    };
  });
}

module.exports = { measureRatios };
