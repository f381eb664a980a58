'use strict';

/**
 * What is fetched or built once and kept: the Node releases of scripts/nodes and the libraries of
 * the prebuilt binary. In .cache, or where OFFLOOP_CACHE says.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const cache = path.resolve(process.env.OFFLOOP_CACHE || path.join(root, '.cache'));

/**
 * Runs a command to its end, and throws if it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnSyncOptions} [options]
 */
function run(command, args, options = {}) {
  const { status, error, signal } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args[0]} ended with ${signal ?? status}`);
}

/**
 * Installs the releases if they are not there yet.
 * @returns {{ version: string, folder: string, node: string }[]}
 */
function nodes() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('the releases in scripts/nodes are for linux-x64');
  }
  const folder = path.join(cache, 'nodes');
  const lock = fs.readFileSync(path.join(__dirname, 'nodes', 'package-lock.json'));
  const installed = path.join(folder, 'package-lock.json');
  const marker = path.join(folder, 'complete');
  if (!fs.existsSync(marker) || !lock.equals(fs.readFileSync(installed))) {
    fs.rmSync(marker, { force: true });
    fs.mkdirSync(folder, { recursive: true });
    for (const name of ['package.json', 'package-lock.json']) {
      fs.copyFileSync(path.join(__dirname, 'nodes', name), path.join(folder, name));
    }
    console.error(`installing four releases of Node into ${folder}`);
    run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--no-bin-links'], {
      cwd: folder,
    });
    fs.writeFileSync(marker, '');
  }
  const { dependencies } = JSON.parse(
    fs.readFileSync(path.join(__dirname, 'nodes', 'package.json'), 'utf8'),
  );
  return Object.entries(dependencies).map(([name, range]) => ({
    version: String(range).split('@')[1],
    folder: path.join(folder, 'node_modules', name),
    node: path.join(folder, 'node_modules', name, 'bin', 'node'),
  }));
}

module.exports = { cache, nodes, root, run };

if (require.main === module) {
  const [first] = nodes();
  console.log(`${cache}\n${first.folder}`);
}
