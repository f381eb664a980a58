'use strict';

/**
 * Loads the native addon: one built from source here first, then the one shipped in the package.
 */

const fs = require('node:fs');
const path = require('node:path');

const { coded } = require('./errors');

const root = path.join(__dirname, '..');
const candidates = [
  path.join(root, 'build', 'Release', 'offloop.node'),
  path.join(root, 'prebuilds', `${process.platform}-${process.arch}`, 'offloop.node'),
];

function load() {
  const file = candidates.find((candidate) => fs.existsSync(candidate));
  if (file === undefined) {
    throw coded(
      Error,
      'ERR_OFFLOOP_LOAD',
      `offloop has no binary for ${process.platform}-${process.arch}. ` +
        `Build one with "npx node-gyp rebuild" in ${root}; it needs a C compiler and libqpdf.`,
    );
  }
  return require(file);
}

module.exports = load();
