'use strict';

/**
 * Packs the package and proves that the tarball is all that it takes: installed without scripts
 * into an empty folder, where neither a compiler nor any other command is to be found, every
 * operation runs there, from CommonJS, ESM and TypeScript, on each release of Node in
 * scripts/nodes. Then it is built from source there, as the documents say.
 *
 *   npm run test:pack [-- --update]
 *
 * With --update, the list of files in test/pack/files.txt is written instead of compared.
 */

const { execFileSync } = require('node:child_process');
const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const { makePdf } = require('../fixtures/pdf');
const { nodes, root, run } = require('./cache');

const TARBALL_MAX = 4_000_000;
const list = path.join(root, 'test', 'pack', 'files.txt');
const npm = process.env.npm_execpath ?? execFileSync('which', ['npm'], { encoding: 'utf8' }).trim();

/** @param {string} folder */
function pack(folder) {
  const args = [npm, 'pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(
    execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }),
  );
  const files = packed.files.map((/** @type {{ path: string }} */ file) => file.path).sort();
  console.log(`${packed.filename}: ${packed.size} bytes, ${files.length} files`);
  assert.ok(packed.size < TARBALL_MAX, `the tarball has more than ${TARBALL_MAX} bytes`);
  if (process.argv.includes('--update')) fs.writeFileSync(list, `${files.join('\n')}\n`);
  assert.deepStrictEqual(
    files,
    fs.readFileSync(list, 'utf8').trim().split('\n'),
    'test/pack/files.txt does not list what is packed (npm run test:pack -- --update)',
  );
  return path.join(folder, packed.filename);
}

/**
 * @param {string} folder
 * @param {string} tarball
 */
function install(folder, tarball) {
  fs.writeFileSync(path.join(folder, 'package.json'), '{ "private": true }');
  const args = [npm, 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', tarball];
  run(process.execPath, args, { cwd: folder });
  const built = path.join(folder, 'node_modules', 'offloop', 'build');
  assert.ok(!fs.existsSync(built), 'installing compiles nothing');
}

/** @param {string} folder */
function addEntries(folder) {
  for (const name of fs.readdirSync(path.join(root, 'test', 'pack'))) {
    if (name === path.basename(list)) continue;
    fs.copyFileSync(path.join(root, 'test', 'pack', name), path.join(folder, name));
  }
  fs.writeFileSync(path.join(folder, 'plain.pdf'), makePdf('features'));
  const damaged = makePdf('small')
    .toString('latin1')
    .replace(/startxref\n\d+/, 'startxref\n7');
  fs.writeFileSync(path.join(folder, 'damaged.pdf'), damaged, 'latin1');
  for (const module of ['node16', 'nodenext']) {
    const options = `--strict --target es2022 --module ${module} --moduleResolution ${module}`;
    const types = ['--types', 'node', '--typeRoots', path.join(root, 'node_modules', '@types')];
    run(
      process.execPath,
      [require.resolve('typescript/bin/tsc'), ...options.split(' '), ...types, 'entry.ts'],
      { cwd: folder },
    );
  }
}

/**
 * @param {string} folder
 * @param {{ version: string, node: string }} release
 * @param {string} empty a folder with no command in it
 */
function useOn(folder, { version, node }, empty) {
  for (const entry of ['entry.cjs', 'entry.mjs', 'entry.js']) {
    const printed = execFileSync(node, [entry], {
      cwd: folder,
      env: { PATH: empty },
      encoding: 'utf8',
    });
    assert.match(printed, /^used from \w+\n$/);
    console.log(`Node ${version}: ${printed.trim()}`);
  }
}

/** @param {string} folder */
function buildFromSource(folder) {
  const installed = path.join(folder, 'node_modules', 'offloop');
  run(
    process.execPath,
    [
      require.resolve('node-gyp/bin/node-gyp.js'),
      'rebuild',
      '--silent',
      `--nodedir=${nodes()[0].folder}`,
    ],
    { cwd: installed, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const printed = execFileSync(
    process.execPath,
    ['-p', 'require("offloop").hash("sha256", ""); fs.readFileSync("/proc/self/maps", "utf8")'],
    { cwd: folder, encoding: 'utf8' },
  );
  assert.match(printed, /\/build\/Release\/offloop\.node$/m);
  console.log('built from source, and loaded');
}

function main() {
  const releases = nodes();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-pack-'));
  try {
    const app = path.join(folder, 'app');
    const empty = path.join(folder, 'empty');
    fs.mkdirSync(app);
    fs.mkdirSync(empty);
    install(app, pack(folder));
    addEntries(app);
    for (const release of releases) useOn(app, release, empty);
    buildFromSource(app);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

main();
