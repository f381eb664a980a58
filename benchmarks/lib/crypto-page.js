'use strict';

/** The result of benchmarks/crypto.js as a page that needs nothing from elsewhere. */

const { drawBars, escapeMarkup } = require('./bar-chart.js');
const { ratioCells } = require('./crypto-report.js');
const { formatNs, formatRate, formatSize } = require('./table.js');

/**
 * @typedef {import('../crypto.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('../crypto.js').Result} Result
 */

// Apart in lightness too, for those who print in grey.
const COLORS = { node: '#6b7280', ronomon: '#e3a12f', light: '#a9cdf5', dark: '#1d5fbf' };

const LEGEND = [
  { color: COLORS.node, text: 'Node: createCipheriv, hash, createHmac · WebCrypto' },
  { color: COLORS.ronomon, text: '@ronomon/crypto-async, zero-copy' },
  { color: COLORS.light, text: "offloop: fresh result · Async with offload: 'always'" },
  { color: COLORS.dark, text: 'offloop: into a target · Async' },
];

/** Bars of a group, from left to right. */
const SYNC_BARS = [
  { family: 'node', color: COLORS.node },
  { family: 'ronomon', color: COLORS.ronomon },
  { family: 'offloop', color: COLORS.light },
  { family: 'offloop-target', color: COLORS.dark },
];
const ASYNC_BARS = [
  { family: 'webcrypto', color: COLORS.node },
  { family: 'ronomon-async', color: COLORS.ronomon },
  { family: 'offloop-always', color: COLORS.light },
  { family: 'offloop-async', color: COLORS.dark },
];

const STYLE = `
:root { color-scheme: light; }
body { font: 14px/1.45 system-ui, sans-serif; color: #1a1d21; background: #fff; max-width: 60rem;
  margin: 2rem auto; padding: 0 1rem; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .25rem; }
p { margin: .25rem 0 .75rem; }
.machine, .note { color: #4b5259; }
.legend { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.legend i { display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
table { border-collapse: collapse; width: 100%; font-size: 11px; font-variant-numeric: tabular-nums; }
th, td { padding: .2rem .4rem; text-align: right; border-top: 1px solid #dfe3e6; vertical-align: top; }
th:first-child, td:first-child { text-align: left; font-weight: normal; }
tbody th { white-space: nowrap; }
thead th { border-top: 0; border-bottom: 1px solid #8b939a; font-weight: 600; white-space: nowrap; }
tr.ours { background: #eef5fd; }
td small { display: block; color: #5a6168; font-size: 9.5px; white-space: nowrap; }
td.no { font-weight: 700; color: #a3260f; }
svg { width: 100%; height: auto; display: block; }
svg text { font-family: system-ui, sans-serif; font-size: 11px; fill: #1a1d21; }
svg .axis { text-anchor: end; fill: #5a6168; }
svg .group { text-anchor: middle; font-weight: 600; font-size: 12px; }
svg .part, svg .detail, svg .none { text-anchor: middle; fill: #5a6168; font-size: 10px; }
svg .value { font-size: 9.5px; paint-order: stroke; stroke: #fff; stroke-width: 2px; }
svg .grid { stroke: #e4e7ea; }
svg .reference { stroke: #1a1d21; stroke-dasharray: 5 3; }
@page { size: A4; margin: 12mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 11px; }
  section { break-before: page; }
  section.first { break-before: auto; }
  tr, svg { break-inside: avoid; }
  h2 { margin: 0; }
  section.first h2 { margin-top: 1rem; }
  table { font-size: 9px; line-height: 1.25; }
  th, td { padding: .15rem .35rem; }
  td small { font-size: 7.5px; }
}`;

/** @typedef {(size: number, column: string) => Result | undefined} Find */

/**
 * @param {BenchmarkResult} result
 * @param {string} algorithm
 * @returns {Find}
 */
function finder({ results }, algorithm) {
  const found = new Map(
    results
      .filter((result) => result.algorithm === algorithm)
      .map((result) => [`${result.size} ${result.column}`, result]),
  );
  return (size, column) => found.get(`${size} ${column}`);
}

/**
 * Each bar is a throughput, as a percentage of what OpenSSL alone reaches on one thread; where that
 * was not measured, of the fastest of its size.
 *
 * @param {BenchmarkResult} result
 * @param {string} algorithm
 */
function renderChart({ columns, sizes, results }, algorithm) {
  const find = finder(/** @type {BenchmarkResult} */ ({ results }), algorithm);
  const mostInFlight = Math.max(1, ...columns.map(({ inFlight }) => inFlight));
  const limited = sizes.every((size) => find(size, 'limit') !== undefined);
  const groups = sizes.map((size) => {
    const ofSize = results.filter((r) => r.algorithm === algorithm && r.size === size);
    const fastest = Math.max(...ofSize.map(({ mbPerSecond }) => mbPerSecond));
    const limit = find(size, 'limit')?.mbPerSecond;
    const whole = limited && limit !== undefined ? limit : fastest;
    const toBar = (/** @type {string} */ column, /** @type {string} */ color) => {
      const rate = find(size, column)?.mbPerSecond;
      if (rate === undefined) return { value: null, label: '', color };
      return { value: (rate / whole) * 100, label: formatRate(rate), color };
    };
    return {
      label: formatSize(size),
      detail: limited ? `100 %: ${formatRate(whole)}` : '',
      parts: [
        { label: 'sync', bars: SYNC_BARS.map(({ family, color }) => toBar(family, color)) },
        {
          label: `async × ${mostInFlight}`,
          bars: ASYNC_BARS.map(({ family, color }) => toBar(`${family}@${mostInFlight}`, color)),
        },
      ],
    };
  });
  const of = limited ? 'OpenSSL alone on one thread' : 'the fastest';
  return drawBars({
    title: `${algorithm}: throughput by size, in percent of ${of}`,
    unit: ' %',
    reference: limited ? 100 : null,
    groups,
  });
}

/**
 * @param {BenchmarkResult} result
 * @param {string} algorithm
 */
function renderTable(result, algorithm) {
  const { columns, sizes } = result;
  const find = finder(result, algorithm);
  const head = sizes.map((size) => `<th scope="col">${formatSize(size)}</th>`).join('');
  const rows = columns.flatMap(({ id, label }) => {
    const cells = sizes.map((size) => find(size, id));
    if (cells.every((cell) => cell === undefined)) return [];
    const ours = id.startsWith('offloop') ? ' class="ours"' : '';
    const row = cells.map(renderCell).join('');
    return [`<tr${ours}><th scope="row">${escapeMarkup(label)}</th>${row}</tr>`];
  });
  return `<table><thead><tr><th></th>${head}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
}

/** @param {Result | undefined} result */
function renderCell(result) {
  if (result === undefined) return '<td>–</td>';
  const { nsPerOp, mbPerSecond, p50Ns, p99Ns, stallMs } = result;
  return (
    `<td>${formatNs(nsPerOp)} · ${formatRate(mbPerSecond)}` +
    `<small>${formatNs(p50Ns)} · ${formatNs(p99Ns)} · ${stallMs.toFixed(1)} ms</small></td>`
  );
}

/** @param {BenchmarkResult} result */
function renderRatios({ ratios }) {
  const rows = ratios.map((ratio) => {
    const [name, measured, target, met] = ratioCells(ratio).map(escapeMarkup);
    const short = (ratio.short ?? [])
      .map((cell) => `<small>${escapeMarkup(cell)}</small>`)
      .join('');
    return (
      `<tr><td>${name}${short}</td><td>${measured}</td><td>${target}</td>` +
      `<td${ratio.met === false ? ' class="no"' : ''}>${met}</td></tr>`
    );
  });
  return (
    '<table><thead><tr><th>ratio, times as fast</th><th>measured</th><th>target</th><th>met</th>' +
    `</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`
  );
}

/**
 * @param {BenchmarkResult} result
 * @returns {string}
 */
function renderPage(result) {
  const { algorithms, machine, missing, options, versions } = result;
  const legend = LEGEND.map(
    ({ color, text }) => `<li><i style="background:${color}"></i>${escapeMarkup(text)}</li>`,
  ).join('');
  const sections = algorithms.map(
    (algorithm) =>
      `<section>\n<h2>${escapeMarkup(algorithm)}</h2>\n` +
      `<ul class="legend">${legend}</ul>\n${renderChart(result, algorithm)}\n` +
      `${renderTable(result, algorithm)}\n</section>`,
  );
  const listed = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const absent = missing.length === 0 ? '' : ` Not installed: ${missing.join(', ')}.`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>offloop: throughput of ciphers, digests and HMACs</title>
<style>${STYLE}
</style>
</head>
<body>
<h1>Throughput of ciphers, digests and HMACs</h1>
<p class="machine">${escapeMarkup(machine)}<br>${escapeMarkup(listed.join(' · '))}</p>
<p class="note">Medians of ${options.trials} trials of ${options.time} ms, each in a process of its
own and itself the median of ten slices. Bars: throughput in percent of OpenSSL alone, which is a loop
in C over the same libcrypto on one thread. Cells: time per operation and throughput; below them the
median and 99th percentile of an operation's latency and the longest stall of the event loop. × n: n
operations in flight. Synchronous columns call in bursts of 1 ms, so that much stall is theirs at
least.${escapeMarkup(absent)}</p>
<section class="first">
<h2>Ratios</h2>
${renderRatios(result)}
</section>
${sections.join('\n')}
</body>
</html>
`;
}

module.exports = { renderPage };
