'use strict';

/** hashFile and crcFile: reading and hashing in one job, so that the data never meets the loop. */

const native = require('./binding');
const { toCrc } = require('./crc-table');
const { finishDigest, prepareDigest, toDigest } = require('./hash');
const { forms } = require('./operation');
const { toAsyncOptions, toOptions } = require('./options');
const { toPath } = require('./paths');

/** A file always leaves the loop: it may be large, and its disk slow. */
const INLINE_BYTES = -1;

const [hashFile, hashFileAsync] = forms({
  name: 'hashFile',
  inlineBytes: INLINE_BYTES,
  /**
   * A digest's call, whose data is the path.
   * @param {boolean} asynchronous
   * @param {any} path
   * @param {any} algorithm
   * @param {any} options
   */
  prepare(asynchronous, path, algorithm, options) {
    const data = toPath(path, 'path');
    const digest = toDigest(algorithm);
    const call = prepareDigest(asynchronous, digest, algorithm, data, options, { lengths: true });
    call.bytes = 0;
    return call;
  },
  run: ({ data, digest, target, size }) => native.hashFile(data, digest.id, target, size),
  submit: (slot, maxQueued, { data, digest, target, size }) =>
    native.hashFileAsync(slot, maxQueued, data, digest.id, target, size),
  finish: finishDigest,
});

const [crcFile, crcFileAsync] = forms({
  name: 'crcFile',
  inlineBytes: INLINE_BYTES,
  /**
   * @param {boolean} asynchronous
   * @param {any} path
   * @param {any} name
   * @param {any} given
   */
  prepare(asynchronous, path, name = 'crc32', given) {
    const where = toPath(path, 'path');
    const crc = toCrc(name, 'name');
    const options = toOptions(given);
    const { value = crc.zero } = options;
    const start = crc.toValue(value, 'options.value');
    const { signal, always } = toAsyncOptions(asynchronous, options);
    return {
      bytes: 0,
      target: undefined,
      secret: undefined,
      signal,
      always,
      path: where,
      crc,
      value: start,
    };
  },
  run: ({ path, crc, value }) => native.crcFile(path, crc.id, value),
  submit: (slot, maxQueued, { path, crc, value }) =>
    native.crcFileAsync(slot, maxQueued, path, crc.id, value),
  finish: (_call, value) => value,
});

module.exports = { crcFile, crcFileAsync, hashFile, hashFileAsync };
