'use strict';

/**
 * Who rewrites documents in benchmarks/pdf.js. A contender makes, for a task, a function that does
 * it once; undefined where it cannot.
 */

const { execFile, execFileSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const { promisify } = require('node:util');

/**
 * @typedef {object} Task
 * @property {string} source a path
 * @property {string} target a path
 * @property {'path' | 'bytes'} form
 * @property {string} operation
 * @property {number} streams how many streams the document's bytes are in, about
 * @property {boolean} asynchronous
 *
 * @typedef {(task: Task) => (() => unknown) | undefined} Contender
 */

const ENCRYPTIONS = ['aes-256', 'aes-128', 'rc4-128'];
const operations = [...ENCRYPTIONS, 'decrypt', 're-encrypt'];
/** What documents to be decrypted are in, for MuhammaraJS reads no AES-256. */
const SOURCE_ENCRYPTION = 'aes-128';
/** By a variable, for the types are checked without it too. @type {string} */
const PEER = 'muhammara';
const USER = 'user';
const OWNER = 'owner';

/** @param {string} operation */
function optionsOf(operation) {
  const password = ENCRYPTIONS.includes(operation) ? {} : { password: USER };
  if (operation === 'decrypt') return password;
  const encryption = operation === 're-encrypt' ? SOURCE_ENCRYPTION : operation;
  return { ...password, userPassword: USER, ownerPassword: OWNER, encryption };
}

/** @param {'auto' | 'qpdf'} engine @returns {Contender} */
const offloop = (engine) => (task) => {
  const { recrypt, recryptAsync } = require('../..');
  require('../../lib/binding').pdfEngine(engine);
  const options = /** @type {any} */ (optionsOf(task.operation));
  const run = task.asynchronous ? recryptAsync : recrypt;
  if (task.form === 'path') {
    let turn = 0;
    // In flight together, each has a target of its own.
    return () => run(task.source, `${task.target}-${turn++ % 8}`, options);
  }
  const bytes = fs.readFileSync(task.source);
  return () => run(bytes, options);
};

/** @type {Record<string, number>} */
const MUHAMMARA_VERSIONS = { 'aes-128': 16, 'rc4-128': 14, 're-encrypt': 16 };

/** @type {Contender} */
function muhammara({ source, target, form, operation }) {
  const library = require(PEER);
  const version = MUHAMMARA_VERSIONS[operation];
  if (version === undefined && operation !== 'decrypt') return undefined;
  const { encryption: _encryption, ...rest } = /** @type {any} */ (optionsOf(operation));
  const options = { ...rest, ...(version === undefined ? {} : { version, userProtectionFlag: 4 }) };
  if (form === 'path') return () => library.recrypt(source, target, options);
  const bytes = fs.readFileSync(source);
  return () => {
    const output = new library.PDFWStreamForBuffer();
    library.recrypt(new library.PDFRStreamForBuffer(bytes), output, options);
    return output.buffer;
  };
}

/** The qpdf command, which other packages for Node start. @type {Contender} */
function command({ source, target, form, operation, asynchronous }) {
  if (form === 'bytes') return undefined;
  const { password, encryption } = /** @type {any} */ (optionsOf(operation));
  const bits = encryption === 'aes-256' ? '256' : '128';
  const weak = bits === '128' ? [`--use-aes=${encryption === 'aes-128' ? 'y' : 'n'}`] : [];
  const args = [
    ...(password === undefined ? [] : [`--password=${password}`]),
    '--allow-weak-crypto',
    '--stream-data=preserve',
    ...(encryption === undefined ? ['--decrypt'] : ['--encrypt', USER, OWNER, bits, ...weak, '--']),
    source,
  ];
  if (!asynchronous) return () => execFileSync('qpdf', [...args, target]);
  const start = promisify(execFile);
  let turn = 0;
  return () => start('qpdf', [...args, `${target}-${turn++ % 8}`]);
}

/** OpenSSL's AES-CBC over as many bytes, a stream after the other. @param {boolean} copied */
const limit =
  (copied) =>
  /** @type {Contender} */ ({ source, form, operation, streams }) => {
    if (form === 'path' || !operation.startsWith('aes-')) return undefined;
    const bytes = fs.readFileSync(source);
    const key = crypto.randomBytes(operation === 'aes-256' ? 32 : 16);
    const iv = crypto.randomBytes(16);
    const target = Buffer.alloc(bytes.length + 32 * streams);
    const size = Math.ceil(bytes.length / streams);
    return () => {
      for (let at = 0; at < bytes.length; at += size) {
        const cipher = crypto.createCipheriv(`${operation}-cbc`, key, iv);
        const piece = cipher.update(bytes.subarray(at, at + size));
        cipher.final();
        if (copied) piece.copy(target, at);
      }
    };
  };

/** @type {Record<string, Contender>} */
const contenders = {
  offloop: offloop('auto'),
  'offloop-libqpdf': offloop('qpdf'),
  muhammara,
  'qpdf-command': command,
  'limit-cbc': limit(false),
  'limit-cbc-copy': limit(true),
};

/** @param {string} name */
function isInstalled(name) {
  try {
    if (name === PEER) require(PEER);
    if (name === 'qpdf-command') execFileSync('qpdf', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

module.exports = { SOURCE_ENCRYPTION, USER, OWNER, contenders, isInstalled, operations };
