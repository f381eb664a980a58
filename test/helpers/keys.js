'use strict';

/** Keys that tell what becomes of their bytes. */

const crypto = require('node:crypto');

/**
 * A secret key that keeps every copy of its bytes that it gives out.
 * @param {number} size
 */
function watchedKey(size) {
  const key = crypto.createSecretKey(Buffer.alloc(size, 0xa5));
  /** @type {Buffer[]} */
  const exported = [];
  const original = key.export.bind(key);
  key.export = /** @type {any} */ (
    () => {
      const copy = original();
      exported.push(copy);
      return copy;
    }
  );
  return { key, exported };
}

module.exports = { watchedKey };
