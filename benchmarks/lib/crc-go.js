'use strict';

/** Go's hash/crc32 and hash/crc64 beside ours, where `go` is installed. */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const SOURCE = path.join(__dirname, '..', 'go', 'crc.go');

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 */
function go(args, env) {
  return spawnSync('go', args, { encoding: 'utf8', env: { ...process.env, ...env } });
}

/**
 * Builds the program. The caller removes its folder.
 * @returns {{ version: string, program: string, folder: string } | { missing: string }}
 */
function buildGo() {
  const version = go(['version']);
  if (version.error || version.status !== 0) return { missing: 'go is not installed' };
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-bench-go-'));
  const program = path.join(folder, 'crc');
  const env = { GO111MODULE: 'off', GOCACHE: path.join(folder, 'cache') };
  const built = go(['build', '-o', program, SOURCE], env);
  if (built.status === 0) return { version: version.stdout.trim(), program, folder };
  fs.rmSync(folder, { recursive: true, force: true });
  return { missing: `go build: ${built.stderr.trim().split('\n').pop()}` };
}

/**
 * One trial: nanoseconds per call for each size.
 * @param {string} program
 * @param {string} checksum
 * @param {number[]} sizes
 * @param {number} time
 * @returns {number[]}
 */
function runGo(program, checksum, sizes, time) {
  const args = [checksum, String(time), ...sizes.map(String)];
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr.trim());
  return JSON.parse(stdout);
}

module.exports = { buildGo, runGo };
