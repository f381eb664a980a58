'use strict';

const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, describe, it } = require('node:test');

const { drawBars } = require('../benchmarks/lib/bar-chart.js');
const { algorithms } = require('../benchmarks/lib/crypto-algorithms.js');
const { chooseColumns, columns, isInstalled } = require('../benchmarks/lib/crypto-columns.js');
const { measureRatios } = require('../benchmarks/lib/crypto-ratios.js');

const script = path.join(__dirname, '..', 'benchmarks', 'crypto.js');

/** @param {string[]} args */
function run(...args) {
  return spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
}

describe('the crypto benchmark', () => {
  /** @type {string} */
  let folder;
  /** @type {import('../benchmarks/crypto.js').BenchmarkResult} */
  let result;
  /** @type {string} */
  let page;

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-bench-'));
    const file = path.join(folder, 'page.html');
    const tiny = ['--algorithms', 'sha256', '--sizes', '256', '--trials', '1', '--time', '5'];
    const { status, stdout, stderr } = run(...tiny, '--json', '--html', file);
    assert.strictEqual(status, 0, stderr);
    result = JSON.parse(stdout);
    page = fs.readFileSync(file, 'utf8');
  });
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  it('measures every column that is installed, and names the others', () => {
    const chosen = chooseColumns(undefined);
    const installed = chosen.filter(isInstalled).map(({ id }) => id);
    assert.ok(installed.includes('node') && installed.includes('offloop-async@64'));
    assert.deepStrictEqual(
      result.results.map(({ algorithm, size, column }) => [algorithm, size, column]),
      installed.map((column) => ['sha256', 256, column]),
    );
    assert.deepStrictEqual(
      result.missing,
      chosen.filter((column) => !isInstalled(column)).map(({ id }) => id),
    );
    assert.deepStrictEqual(result.failures, []);
  });

  it('tells throughput, latency and stall of each', () => {
    for (const { column, nsPerOp, mbPerSecond, p50Ns, p99Ns, stallMs, trials } of result.results) {
      assert.ok(nsPerOp > 0 && p50Ns > 0 && p99Ns >= p50Ns && stallMs >= 0, column);
      assert.ok(Math.abs(mbPerSecond * nsPerOp - 256e3) < 1e-3, column);
      assert.strictEqual(trials.length, 1, column);
    }
  });

  it('says what it was measured with', () => {
    assert.match(result.machine, /Node v\d+/);
    assert.strictEqual(result.versions.node, process.versions.node);
    assert.strictEqual(result.versions.openssl, process.versions.openssl);
    assert.deepStrictEqual(result.options, { trials: 1, time: 5 });
  });

  it('computes the ratios from those figures', () => {
    const times = new Map(result.results.map(({ column, nsPerOp }) => [column, nsPerOp]));
    const ratio = result.ratios.find(({ name }) => name === 'sha256, 256 B: offloop to node');
    assert.ok(ratio);
    const expected = Number(times.get('node')) / Number(times.get('offloop'));
    assert.strictEqual(ratio.measured, expected);
    assert.strictEqual(ratio.met, expected >= ratio.target);
    const other = result.ratios.find(({ name }) => name.startsWith('aes-256-gcm'));
    assert.strictEqual(other?.measured, null);
    assert.strictEqual(other?.met, null);
  });

  it('draws a page that needs nothing from elsewhere', () => {
    assert.match(page, /<h2>sha256<\/h2>/);
    assert.strictEqual(page.match(/<svg /g)?.length, 1);
    assert.doesNotMatch(page, /https?:|src=|href=|@import|url\(/);
    assert.match(page, /offloop Async × 64/);
  });
});

describe("the crypto benchmark's parts", () => {
  it('refuses what it cannot measure', () => {
    for (const args of [
      ['--algorithms', 'md5'],
      ['--sizes', ''],
      ['--columns', 'none'],
      ['more'],
    ]) {
      const { status, stderr } = run(...args);
      assert.strictEqual(status, 2, args.join(' '));
      assert.match(stderr, /^crypto: .+\n$/);
    }
  });

  it('prints tables without --json', () => {
    const { status, stdout, stderr } = run(
      ...['--algorithms', 'chacha20', '--sizes', '1024', '--columns', 'node,offloop-always@2'],
      ...['--trials', '2', '--time', '2'],
    );
    assert.strictEqual(status, 0, stderr);
    assert.match(stdout, /^chacha20: time per operation, throughput +1 KiB$/m);
    assert.match(stdout, /^node +\d.* [µnm]s +\d.*B\/s$/m);
    assert.match(stdout, /^Async, 'always' × 2 /m);
    assert.match(stdout, /^every cell: .+ not measured$/m);
  });

  it('finds the cells that fall short', () => {
    /** @type {import('../benchmarks/lib/crypto-ratios.js').TimeOf} */
    const timeOf = (algorithm, size, column) => {
      const slow = algorithm === 'sha512' && size === 4096 && column === 'offloop-async@16';
      return column.startsWith('offloop') ? (slow ? 200 : 10) : 100;
    };
    const everywhere = measureRatios(timeOf).filter(({ short }) => short !== undefined);
    assert.deepStrictEqual(
      everywhere.map(({ met, measured }) => [met, measured]),
      [
        [false, 0.5],
        [true, 10],
        [true, 10],
      ],
    );
    assert.deepStrictEqual(everywhere[0].short, ['sha512, 4 KiB: offloop-async@16 (0.50)']);
    const atMost = measureRatios(timeOf).find(({ bound }) => bound === 'at most');
    assert.strictEqual(atMost?.measured, 0.1);
    assert.strictEqual(atMost?.met, true);
  });

  it('draws bars to scale', () => {
    const color = 'black';
    const bars = [20, 10, null].map((value) => ({ value, label: `<${value}>`, color }));
    const parts = [{ label: 'part', bars }];
    const groups = [{ label: 'group', detail: '', parts }];
    const svg = drawBars({ title: 'a & b', unit: '', reference: null, groups });
    const heights = [...svg.matchAll(/<rect [^>]*height="([\d.]+)"/g)].map(([, height]) => +height);
    assert.strictEqual(heights.length, 2);
    assert.ok(Math.abs(heights[0] - 2 * heights[1]) < 0.2);
    assert.ok(svg.includes('aria-label="a &amp; b"') && svg.includes('&lt;20&gt;'));
  });

  it('has a column for every form in which each algorithm is offered', () => {
    const webcrypto = algorithms.filter((algorithm) =>
      columns.some(({ family }) => family.name === 'webcrypto' && family.supports?.(algorithm)),
    );
    assert.deepStrictEqual(
      webcrypto.map(({ name }) => name),
      ['aes-256-ctr', 'aes-256-gcm', 'sha256', 'sha512', 'hmac-sha256'],
    );
  });
});
