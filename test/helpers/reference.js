'use strict';

/** What node:crypto makes of the same message. */

const crypto = require('node:crypto');

/** @type {Record<string, { key: number, iv: number, aead: boolean }>} */
const sizes = {
  'aes-128-ctr': { key: 16, iv: 16, aead: false },
  'aes-128-gcm': { key: 16, iv: 12, aead: true },
  'aes-192-ctr': { key: 24, iv: 16, aead: false },
  'aes-192-gcm': { key: 24, iv: 12, aead: true },
  'aes-256-ctr': { key: 32, iv: 16, aead: false },
  'aes-256-gcm': { key: 32, iv: 12, aead: true },
  chacha20: { key: 32, iv: 16, aead: false },
  'chacha20-poly1305': { key: 32, iv: 12, aead: true },
};

/**
 * Ciphertext, followed by the tag of an AEAD.
 * @param {string} algorithm
 * @param {Uint8Array} key
 * @param {Uint8Array} iv
 * @param {Uint8Array} data
 * @param {{ aad?: Uint8Array, tagLength?: number }} [options]
 * @returns {Buffer}
 */
function reference(algorithm, key, iv, data, { aad, tagLength = 16 } = {}) {
  const { aead } = sizes[algorithm];
  const settings = aead ? { authTagLength: tagLength } : {};
  const cipher = /** @type {any} */ (crypto.createCipheriv(algorithm, key, iv, settings));
  if (aead && aad !== undefined) cipher.setAAD(aad, { plaintextLength: data.length });
  const parts = [cipher.update(data), cipher.final()];
  if (aead) parts.push(cipher.getAuthTag());
  return Buffer.concat(parts);
}

module.exports = { reference, sizes };
