'use strict';

/**
 * Builds the addon into build/Release. Node's own headers are taken from beside the running
 * executable where they are installed, so that the build needs no network; elsewhere node-gyp
 * downloads them.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const prefix = path.dirname(path.dirname(fs.realpathSync(process.execPath)));
const args = [require.resolve('node-gyp/bin/node-gyp.js'), 'rebuild', ...process.argv.slice(2)];

if (process.argv.includes('--incremental')) {
  args.splice(
    1,
    args.length,
    fs.existsSync(path.join(root, 'build', 'Makefile')) ? 'build' : 'rebuild',
  );
}
if (fs.existsSync(path.join(prefix, 'include', 'node', 'node_api.h'))) {
  args.push(`--nodedir=${prefix}`);
}

const { status, error } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
if (error) throw error;
process.exit(status === null ? 1 : status);
