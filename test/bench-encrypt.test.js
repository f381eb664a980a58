'use strict';

/**
 * That benchmarks/encrypt.js, write.js and files.js run and say what they should; their figures are for a
 * quiet machine.
 */

const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { describe, it } = require('node:test');

/**
 * @param {string} name
 * @param {string[]} args
 */
const run = (name, args) =>
  spawnSync(process.execPath, [path.join(__dirname, '..', 'benchmarks', name), ...args], {
    encoding: 'utf8',
  });

describe('bench:encrypt', () => {
  const small = ['--size', '3', '--segment', '2', '--chunk', '100', '--rounds', '1'];

  it('gives figures as JSON, of variants that agree', () => {
    const { status, stdout, stderr } = run('encrypt.js', [...small, '--json']);
    assert.strictEqual(status, 0, stderr);
    const { kernel, size, chunk, rounds, results } = JSON.parse(stdout);
    assert.deepStrictEqual({ size, chunk, rounds }, { size: 3, chunk: 100, rounds: 1 });
    assert.ok(results.length > 6);
    for (const { variant, backend, segment, missing, ...figures } of results) {
      assert.strictEqual(segment, 2);
      if (missing !== undefined) continue;
      assert.ok(
        figures.mibPerSecond > 0 && figures.cpuSeconds > 0 && figures.stallMs >= 0,
        variant,
      );
      if (variant.startsWith('offloop')) assert.ok([kernel, 'none'].includes(backend));
    }
  });

  it('prints a table', () => {
    const { status, stdout, stderr } = run('encrypt.js', [...small, '--segment', '1']);
    assert.strictEqual(status, 0, stderr);
    assert.match(stdout, /^CRC-32 of offloop by: \w+$/m);
    assert.match(stdout, /^segments of 1 MiB/m);
    assert.match(stdout, /^offloop Async, 2 in flight +\w+( +[\d.]+){3}( +[\d.]+ x| +-){2}$/m);
    assert.match(stdout, /^time that the checksum adds: offloop Async, 1 in flight: -?[\d.]+ %/m);
  });

  it('refuses wrong options with the usage', () => {
    for (const args of [['--segment', '0'], ['--segment', '2,x'], ['--size', 'x'], ['--rows']]) {
      const { status, stderr } = run('encrypt.js', args);
      assert.strictEqual(status, 1);
      assert.match(stderr, /--segment VALUE/);
    }
  });
});

describe('bench:write', () => {
  const small = ['--rounds', '1', '--time', '1'];

  it('gives figures as JSON, and leaves nothing behind', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-write-'));
    const args = ['--checksum', 'crc32,crc64nvme', '--folder', folder, '--json'];
    const { status, stdout, stderr } = run('write.js', [...small, ...args]);
    assert.strictEqual(status, 0, stderr);
    assert.deepStrictEqual(fs.readdirSync(folder), []);
    fs.rmdirSync(folder);
    const { sizes, checksums } = JSON.parse(stdout);
    assert.deepStrictEqual(
      checksums.map((/** @type {any} */ { checksum }) => checksum),
      ['crc32', 'crc64nvme'],
    );
    for (const { results } of checksums) {
      for (const { rows } of results) {
        assert.strictEqual(rows.length, sizes.length);
        for (const { nanoseconds, stallMs } of rows) assert.ok(nanoseconds > 0 && stallMs >= 0);
      }
    }
  });

  it('prints a table', () => {
    const { status, stdout, stderr } = run('write.js', [...small, '--checksum', 'crc32k']);
    assert.strictEqual(status, 0, stderr);
    assert.match(stdout, /^crc32k .*50 B .*20 MB/m);
    assert.match(stdout, /^checksumAndWriteAsync( +[\d.]+ (ns|µs|ms) +[\d.]+ x){6} +[\d.]+ ms$/m);
  });

  it('refuses wrong options with the usage', () => {
    const { status, stderr } = run('write.js', ['--checksum', 'md5']);
    assert.strictEqual(status, 1);
    assert.match(stderr, /md5 is none of/);
  });
});

describe('bench:files', () => {
  const small = ['--size', '2', '--files', '3', '--file-size', '1', '--rounds', '1'];

  it('gives figures as JSON, and leaves nothing behind', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-files-'));
    const { status, stdout, stderr } = run('files.js', [...small, '--folder', folder, '--json']);
    assert.strictEqual(status, 0, stderr);
    assert.deepStrictEqual(fs.readdirSync(folder), []);
    fs.rmdirSync(folder);
    const { one, many } = JSON.parse(stdout);
    for (const rows of [one, many]) {
      assert.strictEqual(rows[0].way, 'hashFileAsync');
      for (const { mibPerSecond, cpuSeconds, utilization, stallMs } of rows) {
        assert.ok(mibPerSecond > 0 && cpuSeconds >= 0 && stallMs >= 0);
        assert.ok(utilization >= 0 && utilization <= 1);
      }
    }
  });

  it('prints tables, and refuses wrong options with the usage', () => {
    const { status, stdout, stderr } = run('files.js', small);
    assert.strictEqual(status, 0, stderr);
    assert.match(stdout, /^one file of 2 MiB /m);
    assert.match(stdout, /^3 files of 1 MiB at once /m);
    assert.match(stdout, /^hashFileAsync +\d+ +1.00 x +\d+ %( +[\d.]+){2}$/m);
    const wrong = run('files.js', ['--files', '0']);
    assert.strictEqual(wrong.status, 1);
    assert.match(wrong.stderr, /--file-size N/);
  });
});
