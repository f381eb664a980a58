'use strict';

/**
 * Runs the test suite on every release of Node in scripts/nodes, all with the one binary in
 * prebuilds. The tree is copied without its build, which would be loaded first.
 *
 *   npm run test:matrix [-- VERSION… FILE…]
 *
 * Arguments that are a version (22) choose releases, all others test files.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { cache, nodes, root } = require('./cache');
const { copyTree, testFiles } = require('./tree');

const binary = path.join('prebuilds', 'linux-x64', 'offloop.node');

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
  const tree = copyTree('matrix', [binary, 'NOTICE']);
  const files = given.filter((argument) => !/^\d+$/.test(argument));
  if (files.length === 0) files.push(...testFiles(tree));
  const releases = nodes().filter(
    ({ version }) => versions.length === 0 || versions.includes(version.split('.')[0]),
  );
  if (releases.length === 0) throw new Error(`no such release: ${versions.join(', ')}`);
  const failed = releases.filter((release) => !test(release, tree, files));
  process.exitCode = failed.length === 0 ? 0 : 1;
}

main();
