'use strict';

/** That benchmarks/crc.js runs and says what it should; its figures are for a quiet machine. */

const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { test } = require('node:test');

const script = path.join(__dirname, '..', 'benchmarks', 'crc.js');

const run = (...args) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

test('figures as JSON, with what is not installed named', () => {
  const args = ['--rounds', '1', '--time', '1', '--checksum', 'crc32c', '--kernels', '--json'];
  const { status, stdout, stderr } = run(...args);
  assert.strictEqual(status, 0, stderr);
  const { kernel, sizes, results, large } = JSON.parse(stdout);
  assert.deepStrictEqual(sizes, [50, 1e3, 1e5, 1e6, 5e6, 1e7, 2e7]);
  const names = results.map(({ name }) => name);
  const expected = ['offloop', `offloop, ${kernel}`, 'offloop, slice16', '@node-rs/crc32'];
  for (const name of [...expected, 'fast-crc32c', '@aws-crypto/crc32c', 'Go hash/crc32']) {
    assert.ok(names.includes(name), name);
  }
  for (const { name, checksum, missing, nanoseconds } of results) {
    assert.strictEqual(checksum, 'crc32c');
    if (name.startsWith('offloop')) assert.strictEqual(missing, undefined);
    if (missing !== undefined) continue;
    assert.strictEqual(nanoseconds.length, sizes.length);
    assert.ok(nanoseconds.every((time) => time > 0 && time < 1e10));
  }
  assert.strictEqual(large.length, 1);
  assert.ok(large[0].sync.nanoseconds > 0 && large[0].async.nanoseconds > 0);
});

test('a table for people, and the crossover', () => {
  const { status, stdout, stderr } = run('--rounds', '1', '--time', '1', '--crossover');
  assert.strictEqual(status, 0, stderr);
  assert.match(stdout, /^kernel: \w+$/m);
  assert.match(stdout, /^offloop, portable JS( +\d+ ns +\d+\.\d\d){10}$/m);
  assert.match(stdout, /^crc32 .*16 B .*512 B/m);
});

test('wrong options are refused with the usage', () => {
  const { status, stderr } = run('--checksum', 'crc16');
  assert.strictEqual(status, 1);
  assert.match(stderr, /crc16 is none of crc32, crc32c, crc32k, crc64nvme/);
  assert.match(stderr, /--kernels/);
});
