#!/usr/bin/env node
'use strict';

/**
 * Writes a ZIP archive of files as they are (stored), as a stream: neither the size nor the checksum of an
 * entry need be known before it has passed. Both follow it in a data descriptor (APPNOTE 6.3.10, §4.3.9),
 * and the CRC-32 is taken on the way without stopping the loop.
 *
 *   node examples/zip.js FILE... > ARCHIVE
 *
 * Entries and archives below 4 GiB, at most 65535 entries.
 */

const fs = require('node:fs');
const path = require('node:path');
const { Writable } = require('node:stream');
const { finished, pipeline } = require('node:stream/promises');

const { createCrc } = require('offloop');

const MAX_32 = 2 ** 32 - 1;
const MAX_16 = 2 ** 16 - 1;
const READ_BYTES = 1024 * 1024;

const VERSION = 20;
/** Sizes and checksum follow the data; names are UTF-8. */
const FLAGS = (1 << 3) | (1 << 11);
const STORED = 0;

/**
 * A record of little-endian fields of 2 and 4 bytes.
 * @param {number} signature
 * @param {[bytes: 2 | 4, value: number][]} fields
 */
function record(signature, fields) {
  const size = fields.reduce((sum, [bytes]) => sum + bytes, 4);
  const buffer = Buffer.alloc(size);
  let at = buffer.writeUInt32LE(signature, 0);
  for (const [bytes, value] of fields) at = buffer.writeUIntLE(value, at, bytes);
  return buffer;
}

/**
 * Date and time as MS-DOS has them, from 1980 on, to two seconds.
 * @param {Date} date
 * @returns {[bytes: 2 | 4, value: number][]}
 */
function dosTime(date) {
  const year = Math.min(Math.max(date.getFullYear() - 1980, 0), 127);
  const time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1);
  const day = (year << 9) | ((date.getMonth() + 1) << 5) | date.getDate();
  return [
    [2, time],
    [2, day],
  ];
}

/** @typedef {{ name: Buffer, modified: Date, crc: number, size: number, offset: number }} Entry */

/**
 * What the local header and the central directory both say.
 * @param {Pick<Entry, 'name' | 'modified' | 'crc' | 'size'>} entry
 * @returns {[bytes: 2 | 4, value: number][]}
 */
const commonFields = ({ name, modified, crc, size }) => [
  [2, VERSION],
  [2, FLAGS],
  [2, STORED],
  ...dosTime(modified),
  [4, crc],
  [4, size],
  [4, size],
  [2, name.length],
  [2, 0],
];

class ZipWriter {
  /** @type {Entry[]} */
  #entries = [];
  #offset = 0;
  #target;

  /** @param {Writable} target gets the archive, and is left open */
  constructor(target) {
    this.#target = target;
  }

  /**
   * Writes, and waits until the target can take more.
   * @param {Uint8Array} bytes
   */
  async #write(bytes) {
    this.#offset += bytes.length;
    if (this.#offset > MAX_32) throw new RangeError('the archive would have 4 GiB or more');
    if (this.#target.write(bytes)) return;
    await new Promise((resolve, reject) => {
      const settle = (/** @type {any} */ error) => {
        this.#target.off('drain', settle).off('error', settle).off('close', settle);
        if (error === undefined && !this.#target.destroyed) resolve(undefined);
        else reject(error ?? new Error('the target was closed'));
      };
      this.#target.on('drain', settle).on('error', settle).on('close', settle);
      if (this.#target.destroyed) settle(this.#target.errored ?? undefined);
    });
  }

  /**
   * One entry at a time.
   * @param {string} name with slashes between its parts
   * @param {import('node:stream').Readable | AsyncIterable<Uint8Array>} source
   * @param {Date} [modified]
   */
  async add(name, source, modified = new Date()) {
    if (this.#entries.length === MAX_16) throw new RangeError('too many entries');
    const entry = { name: Buffer.from(name), modified, crc: 0, size: 0, offset: this.#offset };
    if (entry.name.length > MAX_16) throw new RangeError('the name is too long');
    await this.#write(record(0x04034b50, commonFields(entry)));
    await this.#write(entry.name);
    const crc = createCrc('crc32');
    await pipeline(source, crc, async (/** @type {AsyncIterable<Buffer>} */ passed) => {
      for await (const chunk of passed) {
        entry.size += chunk.length;
        await this.#write(chunk);
      }
    });
    entry.crc = crc.value;
    await this.#write(
      record(0x08074b50, [
        [4, entry.crc],
        [4, entry.size],
        [4, entry.size],
      ]),
    );
    this.#entries.push(entry);
  }

  /** Writes the directory, after which nothing may be added. */
  async finish() {
    const start = this.#offset;
    for (const entry of this.#entries) {
      const header = record(0x02014b50, [
        [2, VERSION],
        ...commonFields(entry),
        [2, 0], // comment
        [2, 0], // disk
        [2, 0], // internal attributes
        [4, 0], // external attributes
        [4, entry.offset],
      ]);
      await this.#write(Buffer.concat([header, entry.name]));
    }
    const count = this.#entries.length;
    await this.#write(
      record(0x06054b50, [
        [2, 0], // this disk
        [2, 0], // the directory's disk
        [2, count],
        [2, count],
        [4, this.#offset - start],
        [4, start],
        [2, 0], // comment
      ]),
    );
  }
}

/** @param {string[]} files */
async function main(files) {
  const zip = new ZipWriter(process.stdout);
  for (const file of files) {
    const { mtime } = await fs.promises.stat(file);
    const name = path.relative('', file).split(path.sep).join('/');
    await zip.add(name, fs.createReadStream(file, { highWaterMark: READ_BYTES }), mtime);
  }
  await zip.finish();
  process.stdout.end();
  await finished(process.stdout);
}

if (require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    process.stderr.write(`zip: ${error.message}\n`);
    process.exitCode = 1;
  });
}

module.exports = { ZipWriter };
