/** Bytes, or a string that is taken as UTF-8. */
export type Crc32Data = ArrayBufferView | ArrayBuffer | SharedArrayBuffer | string;

/**
 * CRC-32 (IEEE), by the fastest means that there is here.
 *
 * @param data what to sum
 * @param value the checksum of what came before, to go on from; 0 by default
 * @returns an unsigned 32-bit integer
 */
export function crc32(data: Crc32Data, value?: number): number;

/** The same in plain JavaScript. */
export function portableCrc32(data: Crc32Data, value?: number): number;

/** What `crc32` runs on: offloop's native code, Node's zlib, or the portable code. */
export const crc32Backend: 'native' | 'zlib' | 'portable';
