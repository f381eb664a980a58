'use strict';

/** The algorithms and sizes that benchmarks/crypto.js measures, and what goes in and must come out. */

const crypto = require('node:crypto');

/**
 * @typedef {object} Algorithm
 * @property {string} name as offloop and Node call it
 * @property {'cipher' | 'hash' | 'hmac'} kind
 * @property {string} openssl what OpenSSL calls the cipher or digest
 * @property {number} keySize 0: takes none
 * @property {number} ivSize
 * @property {number} tagSize 0: does not authenticate
 * @property {number} digestSize 0: it is a cipher
 * @property {string | null} webcrypto its name in WebCrypto
 */

/** @type {Algorithm[]} */
const algorithms = [
  cipher('aes-256-ctr', 16, 0, 'AES-CTR'),
  cipher('aes-256-gcm', 12, 16, 'AES-GCM'),
  cipher('chacha20-poly1305', 12, 16, null),
  cipher('chacha20', 16, 0, null),
  digest('hash', 'sha256', 'sha256', 32, 'SHA-256'),
  digest('hash', 'sha512', 'sha512', 64, 'SHA-512'),
  digest('hash', 'blake2b512', 'blake2b512', 64, null),
  digest('hmac', 'hmac-sha256', 'sha256', 32, 'SHA-256'),
];

const sizes = [256, 1024, 4096, 65536, 1048576];

/**
 * @param {string} name
 * @param {number} ivSize
 * @param {number} tagSize
 * @param {string | null} webcrypto
 * @returns {Algorithm}
 */
function cipher(name, ivSize, tagSize, webcrypto) {
  return {
    name,
    kind: 'cipher',
    openssl: name,
    keySize: 32,
    ivSize,
    tagSize,
    digestSize: 0,
    webcrypto,
  };
}

/**
 * @param {'hash' | 'hmac'} kind
 * @param {string} name
 * @param {string} openssl
 * @param {number} digestSize
 * @param {string | null} webcrypto
 * @returns {Algorithm}
 */
function digest(kind, name, openssl, digestSize, webcrypto) {
  const keySize = kind === 'hmac' ? 32 : 0;
  return { name, kind, openssl, keySize, ivSize: 0, tagSize: 0, digestSize, webcrypto };
}

/** @typedef {{ key: Buffer, iv: Buffer, data: Buffer, outputSize: number }} Inputs */

/**
 * @param {Algorithm} algorithm
 * @param {number} size
 * @returns {Inputs}
 */
function makeInputs(algorithm, size) {
  // Buffers of their own: one out of Node's shared pool would differ from an application's large one.
  const random = (/** @type {number} */ length) => crypto.randomFillSync(Buffer.alloc(length));
  return {
    key: random(algorithm.keySize),
    iv: random(algorithm.ivSize),
    data: random(size),
    outputSize:
      algorithm.kind === 'cipher' ? size + algorithm.tagSize : /* a digest */ algorithm.digestSize,
  };
}

/**
 * What every column must compute: the ciphertext with its tag, or the digest.
 *
 * @param {Algorithm} algorithm
 * @param {Inputs} inputs
 * @returns {Buffer}
 */
function expectedOutput({ kind, openssl, tagSize }, { key, iv, data }) {
  if (kind === 'hash') return crypto.createHash(openssl).update(data).digest();
  if (kind === 'hmac') return crypto.createHmac(openssl, key).update(data).digest();
  const sealing = /** @type {crypto.CipherGCM} */ (crypto.createCipheriv(openssl, key, iv));
  const parts = [sealing.update(data), sealing.final()];
  if (tagSize > 0) parts.push(sealing.getAuthTag());
  return Buffer.concat(parts);
}

module.exports = { algorithms, expectedOutput, makeInputs, sizes };
