'use strict';

/** Copies of the tree, to build or test in without touching its own build. */

const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const { cache, root, run } = require('./cache');

/**
 * Copies the tree as git sees it, with what has not been added yet but nothing that is ignored,
 * and its packages. A folder `shared` beside the tree is beside the copy, too.
 *
 * @param {string} name the copy's, in the cache
 * @param {string[]} [extra] ignored files to copy all the same, where they are
 * @returns {string} the copy
 */
function copyTree(name, extra = []) {
  const home = path.join(cache, name);
  const tree = path.join(home, 'offloop');
  fs.rmSync(tree, { recursive: true, force: true });
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  for (const file of [...listed.split('\0').filter(Boolean), ...extra]) {
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

/** @param {string} tree */
const testFiles = (tree) =>
  fs
    .readdirSync(path.join(tree, 'test'))
    .filter((name) => name.endsWith('.test.js'))
    .map((name) => path.join('test', name));

module.exports = { copyTree, testFiles };
