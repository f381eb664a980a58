'use strict';

/** The contenders of benchmarks/crypto.js: each a family of columns, one per number in flight. */

const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const IN_FLIGHT = [1, 2, 16, 64];
const PEER = path.join(__dirname, '..', 'node_modules', '@ronomon', 'crypto-async');
const LIMIT = path.join(__dirname, '..', 'native', 'build', 'Release', 'limit.node');

/**
 * @typedef {import('./crypto-algorithms.js').Algorithm} Algorithm
 * @typedef {import('./crypto-algorithms.js').Inputs} Inputs
 */

/**
 * How a column does the operation. Slots number what is in flight: each has a target of its own.
 * @typedef {object} Calls
 * @property {(slot: number) => any} call once; a promise where the column is asynchronous
 * @property {(slot: number, result: any) => Uint8Array} output what a call has made of the inputs
 * @property {(count: number, samples?: Float64Array) => number} [repeat] `count` times, in place of
 * as many calls: the milliseconds it took; samples receive the nanoseconds of each
 */

/**
 * @typedef {object} Family
 * @property {string} name
 * @property {string} label
 * @property {boolean} asynchronous
 * @property {boolean} ours
 * @property {boolean} optional measured only where it is asked for
 * @property {string} [file] what must have been installed
 * @property {(algorithm: Algorithm) => boolean} [supports]
 * @property {(algorithm: Algorithm, inputs: Inputs, inFlight: number) => Calls | Promise<Calls>} prepare
 */

/**
 * @typedef {object} Column
 * @property {string} id
 * @property {string} label
 * @property {Family} family
 * @property {number} inFlight 1 where it is synchronous
 */

/**
 * @param {number} count
 * @param {number} size
 */
function makeTargets(count, size) {
  return Array.from({ length: count }, () => Buffer.alloc(size));
}

/** @type {(slot: number, result: Uint8Array) => Uint8Array} */
const resultItself = (_slot, result) => result;

/** @type {Family['prepare']} */
function prepareLimit({ kind, openssl }, { key, iv, data, outputSize }) {
  const { run } = require(LIMIT);
  const target = Buffer.alloc(outputSize);
  return {
    call: () => run(kind, openssl, key, iv, data, target, 1),
    output: () => target,
    repeat: (count, samples) => run(kind, openssl, key, iv, data, target, count, samples) / 1e6,
  };
}

/** @type {Family['prepare']} */
function prepareNode({ kind, openssl, tagSize }, { key, iv, data }) {
  if (kind === 'hmac') {
    return {
      call: () => crypto.createHmac(openssl, key).update(data).digest(),
      output: resultItself,
    };
  }
  if (kind === 'hash') {
    // Since Node 20.12.
    const oneShot = typeof crypto.hash === 'function';
    const call = oneShot
      ? () => crypto.hash(openssl, data, 'buffer')
      : () => crypto.createHash(openssl).update(data).digest();
    return { call, output: resultItself };
  }
  const begin = () => /** @type {crypto.CipherGCM} */ (crypto.createCipheriv(openssl, key, iv));
  const call =
    tagSize > 0
      ? () => {
          const cipher = begin();
          return [cipher.update(data), cipher.final(), cipher.getAuthTag()];
        }
      : () => {
          const cipher = begin();
          return [cipher.update(data), cipher.final()];
        };
  return { call, output: (_slot, parts) => Buffer.concat(parts) };
}

/** @type {Family['prepare']} */
async function prepareWebCrypto({ kind, webcrypto }, { key, iv, data }) {
  const { subtle } = crypto.webcrypto;
  const output = (/** @type {number} */ _slot, /** @type {ArrayBuffer} */ result) =>
    new Uint8Array(result);
  const name = /** @type {string} */ (webcrypto);
  if (kind === 'hash') return { call: () => subtle.digest(name, data), output };
  if (kind === 'hmac') {
    const how = { name: 'HMAC', hash: name };
    const imported = await subtle.importKey('raw', key, how, false, ['sign']);
    return { call: () => subtle.sign('HMAC', imported, data), output };
  }
  const imported = await subtle.importKey('raw', key, name, false, ['encrypt']);
  const how = name === 'AES-CTR' ? { name, counter: iv, length: 128 } : { name, iv };
  return { call: () => subtle.encrypt(how, imported, data), output };
}

/** Empty, and yet somewhere: the peer aborts on the null pointer of a buffer that is empty by itself. */
const NOTHING = Buffer.alloc(1).subarray(1);

/**
 * The peer's form without copies: into a target, the tag behind the ciphertext.
 *
 * @param {Algorithm} algorithm
 * @param {Inputs} inputs
 * @param {Buffer} target
 * @returns {() => number}
 */
function peerCall({ kind, openssl, tagSize }, { key, iv, data }, target) {
  const { cipher, hash, hmac } = require(PEER);
  const { length: size } = data;
  const [tag, tagAt] = tagSize > 0 ? [target, size] : [NOTHING, 0];
  switch (kind) {
    case 'hash':
      return () => hash(openssl, data, 0, size, target, 0);
    case 'hmac':
      return () => hmac(openssl, key, 0, key.length, data, 0, size, target, 0);
    case 'cipher':
      // prettier-ignore
      return () => cipher(
        openssl, 1, key, 0, key.length, iv, 0, iv.length, data, 0, size, target, 0,
        NOTHING, 0, 0, tag, tagAt, tagSize,
      );
  }
}

/**
 * The same with a callback.
 *
 * @param {Algorithm} algorithm
 * @param {Inputs} inputs
 * @param {Buffer} target
 * @returns {(callback: (error: unknown, size: number) => void) => void}
 */
function peerCallAsync({ kind, openssl, tagSize }, { key, iv, data }, target) {
  const { cipher, hash, hmac } = require(PEER);
  const { length: size } = data;
  const [tag, tagAt] = tagSize > 0 ? [target, size] : [NOTHING, 0];
  switch (kind) {
    case 'hash':
      return (callback) => hash(openssl, data, 0, size, target, 0, callback);
    case 'hmac':
      return (callback) => hmac(openssl, key, 0, key.length, data, 0, size, target, 0, callback);
    case 'cipher':
      // prettier-ignore
      return (callback) => cipher(
        openssl, 1, key, 0, key.length, iv, 0, iv.length, data, 0, size, target, 0,
        NOTHING, 0, 0, tag, tagAt, tagSize, callback,
      );
  }
}

/** @type {Family['prepare']} */
function preparePeer(algorithm, inputs) {
  const target = Buffer.alloc(inputs.outputSize);
  return { call: peerCall(algorithm, inputs, target), output: () => target };
}

/** @type {Family['prepare']} */
function preparePeerAsync(algorithm, inputs, inFlight) {
  const targets = makeTargets(inFlight, inputs.outputSize);
  const calls = targets.map((target) => peerCallAsync(algorithm, inputs, target));
  return {
    call: (slot) =>
      new Promise((resolve, reject) => {
        calls[slot]((error, size) => (error ? reject(error) : resolve(size)));
      }),
    output: (slot) => targets[slot],
  };
}

/** @type {Family['prepare']} */
function prepareFresh({ kind, openssl }, { key, iv, data }) {
  const { encrypt, hash, hmac } = require('../..');
  const call = {
    cipher: () => encrypt(openssl, key, iv, data),
    hash: () => hash(openssl, data),
    hmac: () => hmac(openssl, key, data),
  }[kind];
  return { call, output: resultItself };
}

/** @type {Family['prepare']} */
function prepareTarget({ kind, openssl }, { key, iv, data, outputSize }) {
  const { encrypt, hash, hmac } = require('../..');
  const target = Buffer.alloc(outputSize);
  const call = {
    cipher: () => encrypt(openssl, key, iv, data, { target }),
    hash: () => hash(openssl, data, { target }),
    hmac: () => hmac(openssl, key, data, { target }),
  }[kind];
  return { call, output: resultItself };
}

/** @type {Family['prepare']} */
function prepareFreshAsync({ kind, openssl }, { key, iv, data }) {
  const { encryptAsync, hashAsync, hmacAsync } = require('../..');
  const call = {
    cipher: () => encryptAsync(openssl, key, iv, data),
    hash: () => hashAsync(openssl, data),
    hmac: () => hmacAsync(openssl, key, data),
  }[kind];
  return { call, output: resultItself };
}

/** @type {Family['prepare']} */
function prepareTargetAsync({ kind, openssl }, { key, iv, data, outputSize }, inFlight) {
  const { encryptAsync, hashAsync, hmacAsync } = require('../..');
  const targets = makeTargets(inFlight, outputSize);
  /** @type {Record<Algorithm['kind'], (slot: number) => Promise<Buffer>>} */
  const calls = {
    cipher: (slot) => encryptAsync(openssl, key, iv, data, { target: targets[slot] }),
    hash: (slot) => hashAsync(openssl, data, { target: targets[slot] }),
    hmac: (slot) => hmacAsync(openssl, key, data, { target: targets[slot] }),
  };
  return { call: calls[kind], output: resultItself };
}

/** @type {Family['prepare']} */
function prepareAlways({ kind, openssl }, { key, iv, data, outputSize }, inFlight) {
  const { encryptAsync, hashAsync, hmacAsync } = require('../..');
  const targets = makeTargets(inFlight, outputSize);
  const offload = 'always';
  /** @type {Record<Algorithm['kind'], (slot: number) => Promise<Buffer>>} */
  const calls = {
    cipher: (slot) => encryptAsync(openssl, key, iv, data, { target: targets[slot], offload }),
    hash: (slot) => hashAsync(openssl, data, { target: targets[slot], offload }),
    hmac: (slot) => hmacAsync(openssl, key, data, { target: targets[slot], offload }),
  };
  return { call: calls[kind], output: resultItself };
}

/**
 * @param {string} name
 * @param {string} label
 * @param {Family['prepare']} prepare
 * @param {Partial<Family>} [more]
 * @returns {Family}
 */
function family(name, label, prepare, more) {
  const ours = name.startsWith('offloop');
  return { name, label, prepare, ours, asynchronous: false, optional: false, ...more };
}

const asynchronous = true;
/** @type {Family[]} */
const families = [
  family('limit', 'OpenSSL alone', prepareLimit, { file: LIMIT }),
  family('node', 'node', prepareNode),
  family('webcrypto', 'WebCrypto', prepareWebCrypto, {
    asynchronous,
    supports: ({ webcrypto }) => webcrypto !== null,
  }),
  family('ronomon', '@ronomon sync', preparePeer, { file: path.join(PEER, 'binding.node') }),
  family('ronomon-async', '@ronomon async', preparePeerAsync, {
    asynchronous,
    file: path.join(PEER, 'binding.node'),
  }),
  family('offloop', 'offloop', prepareFresh),
  family('offloop-target', 'offloop, target', prepareTarget),
  family('offloop-async', 'offloop Async', prepareTargetAsync, { asynchronous }),
  family('offloop-always', "Async, 'always'", prepareAlways, { asynchronous }),
  family('offloop-async-fresh', 'Async, fresh', prepareFreshAsync, {
    asynchronous,
    optional: true,
  }),
];

/** @type {Column[]} */
const columns = families.flatMap((family) => {
  if (!family.asynchronous) return [{ id: family.name, label: family.label, family, inFlight: 1 }];
  return IN_FLIGHT.map((inFlight) => ({
    id: `${family.name}@${inFlight}`,
    label: `${family.label} × ${inFlight}`,
    family,
    inFlight,
  }));
});

/**
 * Columns by their ids and by their families' names.
 *
 * @param {readonly string[] | undefined} names all that are not optional
 */
function chooseColumns(names) {
  if (names === undefined) return columns.filter(({ family }) => !family.optional);
  return columns.filter(({ id, family }) => names.includes(id) || names.includes(family.name));
}

/** @param {Column} column */
function isInstalled({ family }) {
  return family.file === undefined || fs.existsSync(family.file);
}

const columnNames = [
  ...new Set([...families.map(({ name }) => name), ...columns.map((c) => c.id)]),
];

module.exports = { IN_FLIGHT, PEER, chooseColumns, columnNames, columns, isInstalled };
