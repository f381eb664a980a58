'use strict';

/** What benchmarks/crypto.js is to show: how offloop stands to its peers and to OpenSSL alone. */

const { algorithms, sizes } = require('./crypto-algorithms.js');
const { IN_FLIGHT } = require('./crypto-columns.js');
const { formatSize } = require('./table.js');

/**
 * @typedef {(algorithm: string, size: number, column: string) => number | undefined} TimeOf
 * nanoseconds per operation, if it was measured
 *
 * @typedef {object} Ratio
 * @property {string} name
 * @property {number | null} measured null where a part of it was not
 * @property {number} target
 * @property {'at least' | 'at most'} bound
 * @property {boolean | null} met
 * @property {string} [worst] the cell that `measured` is from, where the ratio is of many
 * @property {string[]} [short] the cells that miss the target, where it is of many
 */

/**
 * @typedef {object} Rule how often `ours` goes into the time of `other`
 * @property {string} algorithm
 * @property {number} size
 * @property {string} ours
 * @property {string} other
 * @property {number} target
 */

const SMALL = [256, 1024];
const LARGE = [65536, 1048576];
const FASTEST_PEER = 0.97;

/** @type {Rule[]} */
const rules = [
  rule('aes-256-gcm', 256, 'offloop-target', 'ronomon', 2.5),
  rule('aes-256-gcm', 1024, 'offloop-target', 'ronomon', 2.2),
  rule('aes-256-gcm', 256, 'offloop-target', 'node', 5),
  rule('aes-256-gcm', 1024, 'offloop-target', 'node', 4.5),
  ...LARGE.map((size) => rule('aes-256-gcm', size, 'offloop-target', 'limit', 0.95)),
  rule('sha256', 256, 'offloop', 'node', 1.7),
  rule('sha256', 256, 'offloop-target', 'node', 1.7),
  ...SMALL.flatMap((size) => [
    rule('aes-256-gcm', size, 'offloop-async@64', 'ronomon-async@64', 7),
    rule('aes-256-gcm', size, 'offloop-async@64', 'webcrypto@64', 10),
    rule('aes-256-gcm', size, 'offloop-async@64', 'node', 3),
    rule('aes-256-gcm', size, 'offloop-always@64', 'ronomon-async@64', 5),
    rule('sha256', size, 'offloop-async@64', 'ronomon-async@64', 7),
    rule('sha256', size, 'offloop-async@64', 'webcrypto@64', 8),
  ]),
  ...['aes-256-gcm', 'sha256'].flatMap((algorithm) =>
    [1, 2].map((n) => rule(algorithm, 256, `offloop-async@${n}`, `ronomon-async@${n}`, 10)),
  ),
  rule('aes-256-gcm', 1048576, 'offloop-async@16', 'limit', 1.7),
];

/**
 * @param {string} algorithm
 * @param {number} size
 * @param {string} ours
 * @param {string} other
 * @param {number} target
 * @returns {Rule}
 */
function rule(algorithm, size, ours, other, target) {
  return { algorithm, size, ours, other, target };
}

/**
 * @param {Rule} rule
 * @param {TimeOf} timeOf
 * @returns {Ratio}
 */
function applyRule({ algorithm, size, ours, other, target }, timeOf) {
  const measured = speedup(timeOf(algorithm, size, ours), timeOf(algorithm, size, other));
  return {
    name: `${algorithm}, ${formatSize(size)}: ${ours} to ${other}`,
    measured,
    target,
    bound: 'at least',
    met: measured === null ? null : measured >= target,
  };
}

/**
 * @param {number | undefined} ours
 * @param {number | undefined} other
 * @returns {number | null}
 */
function speedup(ours, other) {
  return ours === undefined || other === undefined ? null : other / ours;
}

/**
 * In every cell: our column against the fastest of the peers' there.
 *
 * @param {string} name
 * @param {{ ours: string, peers: string[] }[]} contests
 * @param {TimeOf} timeOf
 * @returns {Ratio}
 */
function compareEverywhere(name, contests, timeOf) {
  /** @type {{ cell: string, measured: number }[]} */
  const cells = [];
  for (const { name: algorithm } of algorithms) {
    for (const size of sizes) {
      for (const { ours, peers } of contests) {
        const times = peers.flatMap((peer) => timeOf(algorithm, size, peer) ?? []);
        const measured = speedup(
          timeOf(algorithm, size, ours),
          times.length === 0 ? undefined : Math.min(...times),
        );
        if (measured === null) continue;
        cells.push({ cell: `${algorithm}, ${formatSize(size)}: ${ours}`, measured });
      }
    }
  }
  cells.sort((a, b) => a.measured - b.measured);
  const short = cells.filter(({ measured }) => measured < FASTEST_PEER);
  const worst = cells.length === 0 ? null : cells[0];
  return {
    name,
    measured: worst && worst.measured,
    target: FASTEST_PEER,
    bound: 'at least',
    met: worst && short.length === 0,
    ...(worst && { worst: worst.cell }),
    short: short.map(({ cell, measured }) => `${cell} (${measured.toFixed(2)})`),
  };
}

/**
 * @param {TimeOf} timeOf
 * @returns {Ratio[]}
 */
function measureRatios(timeOf) {
  const inverse = speedup(
    timeOf('aes-256-gcm', 1024, 'limit'),
    timeOf('aes-256-gcm', 1024, 'offloop-target'),
  );
  return [
    ...rules.map((rule) => applyRule(rule, timeOf)),
    {
      name: "aes-256-gcm, 1 KiB: offloop-target's time to limit's",
      measured: inverse,
      target: 1.4,
      bound: 'at most',
      met: inverse === null ? null : inverse <= 1.4,
    },
    compareEverywhere(
      'every cell: Async to the fastest asynchronous peer with as many in flight',
      IN_FLIGHT.map((n) => ({
        ours: `offloop-async@${n}`,
        peers: [`webcrypto@${n}`, `ronomon-async@${n}`],
      })),
      timeOf,
    ),
    compareEverywhere(
      'every cell: into a target to the fastest synchronous peer',
      [{ ours: 'offloop-target', peers: ['node', 'ronomon'] }],
      timeOf,
    ),
    compareEverywhere(
      'every cell: fresh result to node, whose result is fresh too',
      [{ ours: 'offloop', peers: ['node'] }],
      timeOf,
    ),
  ];
}

module.exports = { measureRatios };
