'use strict';

/** `offloop/crc32`: the fastest CRC-32 that there is here, in any environment. */

const { portableCrc32, toBytes, toUint32 } = require('./crc32-portable');

/** What loading the addon fails with where there is none for this system, or none is allowed. */
const UNAVAILABLE = new Set([
  'ERR_DLOPEN_DISABLED',
  'ERR_DLOPEN_FAILED',
  'ERR_OFFLOOP_LOAD',
  'MODULE_NOT_FOUND',
]);

/** What zlib.crc32 is handed at a time. */
const ZLIB_BYTES = 2 ** 30;

/** @typedef {(data: any, value?: any) => number} Crc32 */

/** @returns {Crc32 | undefined} */
function nativeCrc32() {
  try {
    return require('./checksum').crc32;
  } catch (error) {
    if (UNAVAILABLE.has(/** @type {NodeJS.ErrnoException} */ (error).code ?? '')) return undefined;
    throw error;
  }
}

/**
 * Asked for at run time, so that no bundler sees a module of Node.
 * @returns {Crc32 | undefined}
 */
function zlibCrc32() {
  if (typeof process !== 'object' || typeof process.getBuiltinModule !== 'function')
    return undefined;
  const zlib = process.getBuiltinModule('zlib');
  if (typeof zlib?.crc32 !== 'function') return undefined;
  return (data, value = 0) => {
    const bytes = toBytes(data);
    let sum = toUint32(value, 'value');
    // In parts, for zlib counts in 32 bits; and no part is empty, for which it would return 0.
    for (let at = 0; at < bytes.length; at += ZLIB_BYTES) {
      sum = zlib.crc32(bytes.subarray(at, at + ZLIB_BYTES), sum);
    }
    return sum;
  };
}

/** @returns {{ crc32: Crc32, crc32Backend: 'native' | 'zlib' | 'portable' }} */
function choose() {
  const native = nativeCrc32();
  if (native !== undefined) return { crc32: native, crc32Backend: 'native' };
  const zlib = zlibCrc32();
  if (zlib !== undefined) return { crc32: zlib, crc32Backend: 'zlib' };
  return { crc32: portableCrc32, crc32Backend: 'portable' };
}

const { crc32, crc32Backend } = choose();

module.exports = { crc32, crc32Backend, portableCrc32 };
