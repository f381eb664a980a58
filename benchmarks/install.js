#!/usr/bin/env node
'use strict';

/**
 * Installs what the benchmarks compare with: the packages of benchmarks/package.json, of which the
 * native ones are built here from their own sources, for npm runs no script of theirs; and the
 * program that measures OpenSSL alone. What does not build is named, and the rest goes on.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

/** Folders with a binding.gyp, in benchmarks. */
const builds = [
  'node_modules/@ronomon/crypto-async',
  'node_modules/sse4_crc32',
  'native',
  'node_modules/muhammara',
];

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
function run(command, args, cwd) {
  const shell = process.platform === 'win32' && command === 'npm';
  const { error, status } = spawnSync(command, args, { cwd, shell, stdio: 'inherit' });
  if (error) throw error;
  return status === 0;
}

/** @param {string} folder */
function build(folder) {
  const args = [require.resolve('node-gyp/bin/node-gyp.js'), 'rebuild', '--silent'];
  // Node's own headers need no network, where they are installed beside it.
  const prefix = path.dirname(path.dirname(fs.realpathSync(process.execPath)));
  if (fs.existsSync(path.join(prefix, 'include', 'node', 'node_api.h'))) {
    args.push(`--nodedir=${prefix}`);
  }
  // What node-pre-gyp tells node-gyp: where the package looks for what was built.
  const { binary } = JSON.parse(readIfThere(path.join(folder, 'package.json')) ?? '{}');
  if (binary?.module_name !== undefined) {
    const place = path.resolve(folder, binary.module_path);
    args.push(`--module_name=${binary.module_name}`, `--module_path=${place}`);
  }
  return run(process.execPath, args, folder);
}

/** @param {string} file */
const readIfThere = (file) => (fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : undefined);

if (!run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], __dirname)) process.exit(1);
for (const folder of builds) {
  const built = build(path.join(__dirname, folder));
  console.log(`${folder}: ${built ? 'built' : 'does not build'}`);
}
