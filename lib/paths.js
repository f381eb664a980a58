'use strict';

/** Paths of files, as callers give them. */

const path = require('node:path');
const { fileURLToPath } = require('node:url');

const { invalidArgType, invalidArgValue } = require('./errors');

/**
 * A path as bytes that end with a NUL, absolute from now on.
 * @param {any} value
 * @param {string} name
 * @returns {Buffer}
 */
function toPath(value, name) {
  if (typeof value !== 'string' && !(value instanceof URL)) {
    throw invalidArgType(name, 'of type string or an instance of URL', value);
  }
  const text = typeof value === 'string' ? value : fileURLToPath(value);
  if (text.includes('\0')) throw invalidArgValue(name, 'must be a path without null bytes');
  // What is empty names no file. Nothing is normalized: where a link is on the way, what '..' means is
  // for the system to say, and so is whether a slash may stand at the end.
  const absolute =
    text === '' || path.isAbsolute(text) ? text : `${process.cwd()}${path.sep}${text}`;
  return Buffer.from(`${absolute}\0`);
}

module.exports = { toPath };
