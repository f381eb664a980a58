'use strict';

/**
 * Runs the test suite on every release of Node in scripts/nodes, all with the one binary in
 * prebuilds. The tree is copied without its build, which would be loaded first.
 *
 *   npm run test:matrix [-- VERSION…] [-- FILE…]
 *
 * Arguments that are a version (22) choose releases, all others test files.
 */

const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { cache, nodes, root, run } = require('./cache');

const binary = path.join('prebuilds', 'linux-x64', 'offloop.node');

/** The tree as git sees it, with what has not been added yet, but nothing that is ignored. */
function copyTree() {
  const home = path.join(cache, 'matrix');
  const tree = path.join(home, 'offloop');
  fs.rmSync(tree, { recursive: true, force: true });
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  for (const file of [...listed.split('\0').filter(Boolean), binary, 'NOTICE']) {
    const from = path.join(root, file);
    if (!fs.existsSync(from)) continue;
    fs.mkdirSync(path.dirname(path.join(tree, file)), { recursive: true });
    fs.copyFileSync(from, path.join(tree, file));
  }
  // Links to each file, so that the packages' paths are the copy's own, as the tests expect.
  run('cp', ['-al', path.join(root, 'node_modules'), path.join(tree, 'node_modules')]);
  const shared = path.join(home, 'shared');
  fs.rmSync(shared, { force: true });
  if (fs.existsSync(path.join(root, '..', 'shared'))) {
    fs.symlinkSync(path.join(root, '..', 'shared'), shared);
  }
  return tree;
}

/**
 * Leaves all that the tests print in a file, and shows what came of it.
 *
 * @param {{ version: string, node: string }} release
 * @param {string} cwd
 * @param {string[]} files
 */
function test({ version, node }, cwd, files) {
  const log = path.join(cache, 'matrix', `node-${version}.log`);
  const out = fs.openSync(log, 'w');
  const { status } = spawnSync(
    node,
    ['--expose-gc', '--test', '--test-timeout=600000', '--test-reporter=spec', ...files],
    {
      cwd,
      stdio: ['ignore', out, out],
      env: { ...process.env, PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}` },
    },
  );
  fs.closeSync(out);
  const text = fs.readFileSync(log, 'utf8');
  const count = (/** @type {string} */ name) =>
    Number(new RegExp(`^ℹ ${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
  const passed = status === 0 && count('pass') > 0;
  if (!passed) console.log(text.slice(Math.max(0, text.search(/^✖ failing tests:$/m))));
  console.log(
    `# Node ${version}: ${count('pass')} passed, ${count('fail')} failed, ` +
      `${count('skipped')} skipped${passed ? '' : `; all of it is in ${log}`}`,
  );
  return passed;
}

function main() {
  if (!fs.existsSync(path.join(root, binary))) {
    throw new Error(`${binary} is missing; make it with "npm run prebuild"`);
  }
  const given = process.argv.slice(2);
  const versions = given.filter((argument) => /^\d+$/.test(argument));
  const tree = copyTree();
  let files = given.filter((argument) => !/^\d+$/.test(argument));
  if (files.length === 0) {
    files = fs
      .readdirSync(path.join(tree, 'test'))
      .filter((name) => name.endsWith('.test.js'))
      .map((name) => path.join('test', name));
  }
  const releases = nodes().filter(
    ({ version }) => versions.length === 0 || versions.includes(version.split('.')[0]),
  );
  if (releases.length === 0) throw new Error(`no such release: ${versions.join(', ')}`);
  const failed = releases.filter((release) => !test(release, tree, files));
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main();
