// Files, fused operations and streams of `offloop`, as a TypeScript user meets them.

import { createSecretKey } from 'node:crypto';
import type { Transform } from 'node:stream';
import {
  checksumAndWrite,
  checksumAndWriteAsync,
  crcFile,
  crcFileAsync,
  createCrc,
  createDecrypt,
  createEncrypt,
  createHash,
  createHmac,
  encryptAndChecksum,
  encryptAndChecksumAsync,
  hashFile,
  hashFileAsync,
} from 'offloop';

declare const bytes: Uint8Array;
declare const signal: AbortSignal;
const url = new URL('file:///tmp/x');
class Part extends Uint8Array {}
const part = new Part(8);

const digest: Buffer = hashFile(url, 'sha256', { outputLength: 32 });
const text: string = hashFile('x', 'sha256', { outputEncoding: 'hex' });
const placed: Part = hashFile('x', 'sha256', { target: part });
const promisedDigest: Promise<Buffer> = hashFileAsync('x', 'sha256', { signal });
const promisedText: Promise<string> = hashFileAsync(url, 'md5', { outputEncoding: 'base64' });
const sum: number = crcFile('x') + crcFile(url, 'crc32c', { value: 5 });
const largeSum: bigint = crcFile('x', 'crc64nvme', { value: 5n });
const promisedSum: Promise<bigint> = crcFileAsync('x', 'crc64nvme', { signal });

const written: { checksum: number; bytesWritten: number } = checksumAndWrite(1, bytes);
const writtenLarge: Promise<{ checksum: bigint; bytesWritten: number }> = checksumAndWriteAsync(
  1,
  new ArrayBuffer(1),
  { checksum: 'crc64nvme', value: 1n, position: null, signal },
);

const sealed: { data: Buffer; checksum: number } = encryptAndChecksum(
  'aes-256-gcm',
  bytes,
  bytes,
  bytes,
);
const sealedPart: Promise<{ data: Part; checksum: bigint }> = encryptAndChecksumAsync(
  'aes-256-gcm',
  createSecretKey(bytes),
  bytes,
  bytes,
  { target: part, checksum: 'crc64nvme', offload: 'always' },
);

const streams: Transform[] = [
  createHash('sha256'),
  createHash('shake128', { outputLength: 5, highWaterMark: 10, signal }),
  createHmac('sha256', 'key', { encoding: 'hex' }),
  createEncrypt('aes-256-gcm', bytes, bytes, { aad: bytes, tag: bytes }),
  createDecrypt('aes-256-gcm', createSecretKey(bytes), bytes, { tagLength: 12, signal }),
  createCrc(),
];
const passed: number = createCrc('crc32k', { value: 1 }).value;
const passedLarge: bigint = createCrc('crc64nvme').value;

// @ts-expect-error a Buffer is no path here
hashFile(bytes, 'sha256');
// @ts-expect-error no algorithm
hashFile('x');
// @ts-expect-error the synchronous form cannot be aborted
hashFile('x', 'sha256', { signal });
// @ts-expect-error no such checksum
crcFile('x', 'crc16');
// @ts-expect-error a bigint, not a number
crcFile('x', 'crc64nvme', { value: 1 });
// @ts-expect-error text is written by no one
checksumAndWrite(1, 'text');
// @ts-expect-error the value of crc32 is a number
checksumAndWrite(1, bytes, { value: 1n });
// @ts-expect-error a path is no descriptor
checksumAndWrite('x', bytes);
// @ts-expect-error no such option
encryptAndChecksum('aes-256-gcm', bytes, bytes, bytes, { position: 1 });
// @ts-expect-error a stream has no target
createEncrypt('aes-256-gcm', bytes, bytes, { target: bytes });
// @ts-expect-error streams of bytes only
createHash('sha256', { objectMode: true });
// @ts-expect-error an HMAC needs a key
createHmac('sha256');
// @ts-expect-error the value is not for writing
createCrc().value = 1;

export { digest, largeSum, passed, passedLarge, placed, promisedDigest, promisedSum, promisedText };
export { sealed, sealedPart, streams, sum, text, written, writtenLarge };
