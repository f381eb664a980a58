'use strict';

/**
 * Loads the native addon: one built from source here first, then the one shipped in the package.
 */

const fs = require('node:fs');
const path = require('node:path');

const { coded } = require('./errors');

const root = path.join(__dirname, '..');
const system = `${process.platform}-${process.arch}`;
const candidates = [
  path.join(root, 'build', 'Release', 'offloop.node'),
  path.join(root, 'prebuilds', system, 'offloop.node'),
];

/** What calls itself Node, but has neither its OpenSSL nor, some of them, its libuv. */
const others = { bun: 'Bun', deno: 'Deno', electron: 'Electron' };

const crc32Works = 'Only offloop/crc32 works here.';
const howToBuild =
  `Build one with "npx node-gyp rebuild" in ${root}; ` +
  'that takes a C++ compiler, pkg-config and libqpdf with its headers.';

/**
 * @param {string} message
 * @param {unknown} [cause]
 */
function unloadable(message, cause) {
  const error = coded(Error, 'ERR_OFFLOOP_LOAD', message);
  if (cause !== undefined) error.cause = cause;
  return error;
}

/** Looked at before the addon is: what is missing may end the process rather than throw. */
function checkRuntime() {
  const versions = /** @type {Record<string, string | undefined>} */ (process.versions);
  for (const [key, name] of Object.entries(others)) {
    if (versions[key] !== undefined) {
      throw unloadable(
        `offloop runs on Node.js only: ${name} does not offer addons the OpenSSL that it uses. ` +
          crc32Works,
      );
    }
  }
  if (!/^[3-9]\./.test(versions.openssl ?? '')) {
    throw unloadable(
      `offloop needs a Node.js with OpenSSL 3; this one has ${versions.openssl ?? 'none'}. ` +
        crc32Works,
    );
  }
}

/**
 * @param {string} file
 * @param {NodeJS.ErrnoException} error
 */
function explain(file, error) {
  if (error.code !== 'ERR_DLOPEN_FAILED') return error;
  const [, symbol] = /undefined symbol: (\w+)/.exec(error.message) ?? [];
  if (symbol !== undefined && !symbol.startsWith('_Z')) {
    return unloadable(
      `offloop cannot run on this Node.js, which hides "${symbol}" from addons. ${crc32Works}`,
      error,
    );
  }
  return unloadable(
    `offloop's binary ${file} does not load: ${error.message}. ${howToBuild}`,
    error,
  );
}

function load() {
  checkRuntime();
  const file = candidates.find((candidate) => fs.existsSync(candidate));
  if (file === undefined) throw unloadable(`offloop has no binary for ${system}. ${howToBuild}`);
  try {
    return require(file);
  } catch (error) {
    throw explain(file, /** @type {NodeJS.ErrnoException} */ (error));
  }
}

module.exports = load();
