'use strict';

/** Algorithms by name, as OpenSSL's own tables of names have them. */

const { getCipherInfo } = require('node:crypto');

const native = require('../binding');
const { E_ALGORITHM, E_ALGORITHM_DISABLED, E_ALGORITHM_UNKNOWN } = require('./messages');

/** @typedef {import('../cipher').Cipher} Cipher */
/** @typedef {import('../hash').Digest} Digest */

/** Longer names are cut to what fits, as they always were here. */
const NAME_LENGTH = 31;

/** OpenSSL's aliases that name a signature scheme and mean its digest. */
const SIGNATURES = [/^RSA-(.+?)(?:-2)?$/i, /^(.+)WithRSA(?:Encryption)?$/i];

/**
 * Remembers what has been found, in lower case only, so that the names that callers think up cannot
 * fill the memory.
 * @template T
 * @param {(name: string) => T} find throws for a name that stands for nothing
 * @returns {(name: unknown) => T}
 */
function byName(find) {
  /** @type {Map<unknown, T>} */
  const known = new Map();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    if (typeof name !== 'string') throw new Error(E_ALGORITHM);
    const [text] = name.slice(0, NAME_LENGTH).toLowerCase().split('\0', 1);
    const algorithm = known.get(text) ?? find(text);
    known.set(text, algorithm);
    return algorithm;
  };
}

/** @type {(name: unknown) => Cipher} */
const toCipher = byName((name) => {
  const cipher = native.findCipher(name);
  if (cipher !== undefined) return cipher;
  const known = getCipherInfo(name) !== undefined;
  throw new Error(known ? E_ALGORITHM_DISABLED : E_ALGORITHM_UNKNOWN);
});

/**
 * @param {string} name
 * @returns {Digest | undefined}
 */
function findSigned(name) {
  for (const pattern of SIGNATURES) {
    const match = pattern.exec(name);
    if (match !== null) return native.findDigest(match[1].replace('/', '-'));
  }
  return undefined;
}

/** @type {(name: unknown) => Digest} */
const toDigest = byName((name) => {
  const digest = native.findDigest(name) ?? findSigned(name);
  if (digest === undefined || digest.size === 0) throw new Error(E_ALGORITHM_UNKNOWN);
  return digest;
});

module.exports = { toCipher, toDigest };
