#!/usr/bin/env node
'use strict';

/**
 * Encrypts a file of any size segment by segment, several segments at a time, in bounded memory: each of
 * a few lanes has two buffers of its own, reads a segment into one, has it encrypted into the other and
 * writes that where it belongs. Decrypting is the same the other way; no byte is written that has not
 * been authenticated.
 *
 *   node examples/encrypt-file.js encrypt|decrypt SOURCE TARGET     the key, 64 hex digits, in FILE_KEY
 *
 * The format: 4 bytes of magic, 4 bytes of segment size, 7 random bytes, then the segments, each AES-256-GCM
 * with its tag. A segment's IV is the random bytes, 1 where it is the last one, and its number. So no
 * segment can be moved, left out or cut off unnoticed (Hoang, Reyhanitabar, Rogaway and Vizár, "Online
 * Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", 2015). Never more than 2^32 files
 * under one key.
 */

const { randomBytes } = require('node:crypto');
const fs = require('node:fs/promises');

const { checksumAndWriteAsync, decryptAsync, encryptAsync } = require('offloop');

const ALGORITHM = 'aes-256-gcm';
const MAGIC = Buffer.from('OLS1');
const HEADER_BYTES = 15;
const TAG_BYTES = 16;
const SEGMENT_BYTES = 4 * 1024 * 1024;
const SEGMENT_BYTES_MAX = 64 * 1024 * 1024;
const LANES = 4;

/** @typedef {import('node:fs/promises').FileHandle} FileHandle */

/**
 * @param {Buffer} prefix
 * @param {number} index
 * @param {boolean} last
 */
function segmentIv(prefix, index, last) {
  const iv = Buffer.alloc(12);
  prefix.copy(iv);
  iv[7] = last ? 1 : 0;
  iv.writeUInt32BE(index, 8);
  return iv;
}

/**
 * Fills a buffer from a place in a file.
 * @param {FileHandle} file
 * @param {Buffer} buffer
 * @param {number} position
 */
async function readWhole(file, buffer, position) {
  for (let at = 0; at < buffer.length;) {
    const { bytesRead } = await file.read(buffer, at, buffer.length - at, position + at);
    if (bytesRead === 0) throw new Error('the source has become shorter');
    at += bytesRead;
  }
  return buffer;
}

/**
 * Passes a file through a cipher in segments of one size but the last, several at a time.
 * @param {object} job
 * @param {FileHandle} job.source
 * @param {FileHandle} job.target
 * @param {{ start: number, bytes: number }} job.from where segments are read, and how large they are
 * @param {{ start: number, bytes: number }} job.to where they are written
 * @param {number} job.size bytes to be read
 * @param {number} job.lanes
 * @param {(iv: Buffer, data: Buffer, target: Buffer) => Promise<Uint8Array>} job.cipher
 * @param {Buffer} job.prefix
 */
async function passSegments({ source, target, from, to, size, lanes, cipher, prefix }) {
  const count = Math.max(1, Math.ceil(size / from.bytes));
  if (count > 2 ** 32) throw new RangeError('too many segments');
  let next = 0;
  async function lane() {
    const input = Buffer.allocUnsafe(from.bytes);
    const output = Buffer.allocUnsafe(to.bytes);
    while (next < count) {
      const index = next++;
      const last = index === count - 1;
      const bytes = last ? size - index * from.bytes : from.bytes;
      const data = await readWhole(
        source,
        input.subarray(0, bytes),
        from.start + index * from.bytes,
      );
      const done = await cipher(segmentIv(prefix, index, last), data, output);
      await checksumAndWriteAsync(target.fd, done, { position: to.start + index * to.bytes });
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(lanes, count) }, lane));
  } finally {
    next = count; // after an error the other lanes need not go on
  }
}

/**
 * Gives a target its contents, which appear whole or not at all.
 * @param {string} target
 * @param {(file: FileHandle) => Promise<void>} write
 */
async function writeWhole(target, write) {
  const temporary = `${target}.${randomBytes(6).toString('hex')}.part`;
  const file = await fs.open(temporary, 'wx', 0o600);
  try {
    try {
      await write(file);
    } finally {
      await file.close();
    }
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

/**
 * @param {string} source
 * @param {string} target
 * @param {Uint8Array} key of 32 bytes
 * @param {{ segmentBytes?: number, lanes?: number }} [options]
 */
async function encryptFile(
  source,
  target,
  key,
  { segmentBytes = SEGMENT_BYTES, lanes = LANES } = {},
) {
  const input = await fs.open(source);
  try {
    const { size } = await input.stat();
    const prefix = randomBytes(7);
    const header = Buffer.concat([MAGIC, Buffer.alloc(4), prefix]);
    header.writeUInt32BE(segmentBytes, 4);
    await writeWhole(target, async (output) => {
      await checksumAndWriteAsync(output.fd, header, { position: 0 });
      await passSegments({
        source: input,
        target: output,
        from: { start: 0, bytes: segmentBytes },
        to: { start: HEADER_BYTES, bytes: segmentBytes + TAG_BYTES },
        size,
        lanes,
        prefix,
        // The header is authenticated with each segment.
        cipher: (iv, data, into) =>
          encryptAsync(ALGORITHM, key, iv, data, { aad: header, target: into }),
      });
    });
  } finally {
    await input.close();
  }
}

/**
 * @param {string} source
 * @param {string} target
 * @param {Uint8Array} key of 32 bytes
 * @param {{ lanes?: number }} [options]
 */
async function decryptFile(source, target, key, { lanes = LANES } = {}) {
  const input = await fs.open(source);
  try {
    const { size } = await input.stat();
    const header = Buffer.alloc(HEADER_BYTES);
    if (size < HEADER_BYTES + TAG_BYTES) throw new Error('the source is no encrypted file');
    await readWhole(input, header, 0);
    const segmentBytes = header.readUInt32BE(4);
    const known = header.subarray(0, 4).equals(MAGIC);
    if (!known || segmentBytes < 1 || segmentBytes > SEGMENT_BYTES_MAX) {
      throw new Error('the source is no encrypted file');
    }
    await writeWhole(target, (output) =>
      passSegments({
        source: input,
        target: output,
        from: { start: HEADER_BYTES, bytes: segmentBytes + TAG_BYTES },
        to: { start: 0, bytes: segmentBytes },
        size: size - HEADER_BYTES,
        lanes,
        prefix: header.subarray(8),
        cipher: (iv, data, into) =>
          decryptAsync(ALGORITHM, key, iv, data, { aad: header, target: into }),
      }),
    );
  } finally {
    await input.close();
  }
}

/** @param {string[]} args */
async function main([direction, source, target]) {
  const run = { encrypt: encryptFile, decrypt: decryptFile }[direction];
  const key = Buffer.from(process.env.FILE_KEY ?? '', 'hex');
  if (run === undefined || target === undefined || key.length !== 32) {
    process.stderr.write(
      'usage: FILE_KEY=<64 hex digits> node encrypt-file.js encrypt|decrypt SOURCE TARGET\n',
    );
    process.exitCode = 2;
    return;
  }
  await run(source, target, key);
}

if (require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`encrypt-file: ${error.message}\n`);
    process.exitCode = 1;
  });
}

module.exports = { decryptFile, encryptFile };
