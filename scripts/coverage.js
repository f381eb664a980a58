'use strict';

/**
 * Runs the test suite on a build that counts what runs of it, and tells how many of the lines of
 * lib (by c8) and of src (by gcov) ran. Fails where that is less than it was: a floor goes up with
 * the tests, never down. Arguments: test files; none means all.
 *
 * Works in a copy of the tree. Needs gcov of the same version as the compiler.
 */

const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { run } = require('./cache');
const { copyTree, testFiles } = require('./tree');

const FLOOR = { lib: 90, src: 85 };

/** @param {string} tree */
function build(tree) {
  const flags = '--coverage -O1 -fprofile-update=atomic';
  const env = { ...process.env, CFLAGS: flags, CXXFLAGS: flags, LDFLAGS: '--coverage' };
  run(process.execPath, ['scripts/build.js', '--silent'], {
    cwd: tree,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/**
 * @param {string} tree
 * @param {string[]} files
 */
function test(tree, files) {
  const c8 = ['--all', '--include=lib/**/*.js', '--reporter=json-summary', '--reporter=text'];
  const node = ['--expose-gc', '--test', '--test-timeout=600000', '--test-reporter=spec'];
  const { status } = spawnSync(
    process.execPath,
    [require.resolve('c8/bin/c8.js'), ...c8, process.execPath, ...node, ...files],
    { cwd: tree, stdio: 'inherit' },
  );
  return status === 0;
}

/**
 * Lines of src, and how many of them ran: headers aside, for they are part of several objects.
 *
 * @param {string} tree
 */
function countNative(tree) {
  const objects = path.join(tree, 'build', 'Release', 'obj.target', 'offloop', 'src');
  const counts = fs
    .readdirSync(objects, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.gcno'))
    .map((name) => path.join(objects, name));
  const told = execFileSync('gcov', ['--no-output', '--relative-only', ...counts], {
    cwd: path.join(tree, 'build'),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const files = [
    ...told.matchAll(/^File '\.\.\/(src\/.*\.cc?)'\nLines executed:([\d.]+)% of (\d+)/gm),
  ]
    .map(([, file, percent, lines]) => ({ file, lines: Number(lines), percent: Number(percent) }))
    .sort((a, b) => a.percent - b.percent);
  for (const { file, lines, percent } of files) {
    console.log(`${percent.toFixed(1).padStart(6)} % of ${String(lines).padStart(4)}  ${file}`);
  }
  const lines = files.reduce((sum, file) => sum + file.lines, 0);
  const ran = files.reduce((sum, file) => sum + (file.lines * file.percent) / 100, 0);
  return lines === 0 ? 0 : (100 * ran) / lines;
}

function main() {
  const tree = copyTree('coverage');
  build(tree);
  const given = process.argv.slice(2);
  const passed = test(tree, given.length > 0 ? given : testFiles(tree));
  const summary = path.join(tree, 'coverage', 'coverage-summary.json');
  const { lines } = JSON.parse(fs.readFileSync(summary, 'utf8')).total;
  const percents = { lib: lines.pct, src: countNative(tree) };
  let high = true;
  for (const part of /** @type {const} */ (['lib', 'src'])) {
    const enough = percents[part] >= FLOOR[part];
    high &&= enough;
    console.log(
      `coverage: ${percents[part].toFixed(1)} % of the lines of ${part}, ` +
        `${enough ? 'at least' : 'LESS than'} ${FLOOR[part]} %`,
    );
  }
  process.exitCode = passed && high ? 0 : 1;
}

main();
