'use strict';

/** Bad input: every argument of every operation, by the table below. See helpers/arguments.js. */

const assert = require('node:assert');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, describe, it } = require('node:test');
const { isKeyObject } = require('node:util').types;

const { makePdf } = require('../fixtures/pdf.js');
const offloop = require('..');
const { LEGAL, NONE, checkGetters, checkRow } = require('./helpers/arguments');

const TYPE = 'ERR_INVALID_ARG_TYPE';
const VALUE = 'ERR_INVALID_ARG_VALUE';
const RANGE = 'ERR_OUT_OF_RANGE';
const UNKNOWN = 'ERR_OFFLOOP_UNKNOWN_ALGORITHM';
const TAG = 'ERR_CRYPTO_INVALID_AUTH_TAG';

/** Node's own KeyObject works through a Proxy up to Node 22. */
const PROXY_OF_KEY = isKeyObject(new Proxy(keyObject(1), {})) ? LEGAL : TYPE;

/** What only the Async form reads is not looked at by the other. */
const IGNORED = { rest: LEGAL };

const NAME = { ...NONE, "''": UNKNOWN };
const BYTES = NONE;
const TEXT_OR_BYTES = { ...NONE, "''": LEGAL };
const OPTIONAL = { ...NONE, undefined: LEGAL };
const OPTIONS = { ...OPTIONAL, 'Proxy of a legal value': LEGAL };
const INTEGER = { ...NONE, NaN: RANGE, '-1': RANGE, '2**31': RANGE, '2**53': RANGE };

/**
 * The options of every Async form.
 * @param {string} operation
 * @param {() => any[]} base
 * @param {number} options which argument they are
 * @param {'both' | 'async'} [forms]
 */
const asyncRows = (operation, base, options, forms = 'both') => [
  {
    operation,
    base,
    forms,
    argument: `${options}.signal`,
    outcomes: { ...OPTIONAL, 'Proxy of a legal value': LEGAL },
    sync: IGNORED,
  },
  {
    operation,
    base,
    forms,
    argument: `${options}.offload`,
    outcomes: { ...OPTIONAL, "''": VALUE },
    sync: IGNORED,
  },
];

const signal = () => new AbortController().signal;

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-arguments-'));
const temporary = (/** @type {string} */ name) => path.join(folder, name);
const descriptor = fs.openSync(temporary('written'), 'w');

/** @type {Record<string, import('./helpers/arguments').Row[]>} */
const tables = {};

const hashBase = () => ['sha256', Buffer.from('data'), { signal: signal() }];
tables.hash = [
  { operation: 'hash', base: hashBase, argument: 0, outcomes: NAME },
  { operation: 'hash', base: hashBase, argument: 1, outcomes: TEXT_OR_BYTES },
  { operation: 'hash', base: hashBase, argument: 2, outcomes: OPTIONS },
  {
    operation: 'hash',
    base: () => ['sha256', 'data', { target: Buffer.alloc(32) }],
    argument: '2.target',
    outcomes: OPTIONAL,
  },
  {
    operation: 'hash',
    base: () => ['sha256', 'data', { outputEncoding: 'hex' }],
    argument: '2.outputEncoding',
    outcomes: { ...OPTIONAL, "''": VALUE },
  },
  {
    operation: 'hash',
    base: () => ['sha256', 'data', { outputLength: 32 }],
    argument: '2.outputLength',
    outcomes: { ...INTEGER, undefined: LEGAL },
  },
  ...asyncRows('hash', hashBase, 2),
];

const hmacBase = () => ['sha256', Buffer.from('key'), Buffer.from('data'), { signal: signal() }];
tables.hmac = [
  { operation: 'hmac', base: hmacBase, argument: 0, outcomes: NAME },
  { operation: 'hmac', base: hmacBase, argument: 1, outcomes: TEXT_OR_BYTES },
  {
    operation: 'hmac',
    base: () => ['sha256', keyObject(3), 'data'],
    argument: 1,
    outcomes: { ...TEXT_OR_BYTES, 'Proxy of a legal value': PROXY_OF_KEY },
  },
  { operation: 'hmac', base: hmacBase, argument: 2, outcomes: TEXT_OR_BYTES },
  { operation: 'hmac', base: hmacBase, argument: 3, outcomes: OPTIONS },
  {
    operation: 'hmac',
    base: () => ['sha256', 'key', 'data', { target: Buffer.alloc(32) }],
    argument: '3.target',
    outcomes: OPTIONAL,
  },
  {
    operation: 'hmac',
    base: () => ['sha256', 'key', 'data', { outputEncoding: 'hex' }],
    argument: '3.outputEncoding',
    outcomes: { ...OPTIONAL, "''": VALUE },
  },
  ...asyncRows('hmac', hmacBase, 3),
];

/** @param {number} size */
function keyObject(size) {
  return require('node:crypto').createSecretKey(Buffer.alloc(size));
}

/**
 * @param {string} operation
 * @param {Buffer} data
 * @param {{ data: Buffer, tag: Buffer }} apart
 */
function cipherRows(operation, data, apart) {
  const fixed = () => ['aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12)];
  const base = () => [...fixed(), Buffer.from(data), { signal: signal() }];
  const withTag = () => [...fixed(), apart.data, { tag: Buffer.from(apart.tag) }];
  return [
    { operation, base, argument: 0, outcomes: NAME },
    { operation, base, argument: 1, outcomes: BYTES },
    {
      operation,
      base: () => ['aes-256-gcm', keyObject(32), Buffer.alloc(12), data],
      argument: 1,
      outcomes: { ...BYTES, 'Proxy of a legal value': PROXY_OF_KEY },
    },
    { operation, base, argument: 2, outcomes: BYTES },
    { operation, base, argument: 3, outcomes: BYTES },
    { operation, base, argument: 4, outcomes: OPTIONS },
    {
      operation,
      base: () => [...fixed(), data, { aad: Buffer.alloc(0) }],
      argument: '4.aad',
      outcomes: OPTIONAL,
    },
    {
      operation,
      base: () => [...fixed(), data, { tagLength: 16 }],
      argument: '4.tagLength',
      outcomes: { ...OPTIONAL, NaN: TAG, '-1': TAG, '2**31': TAG, '2**53': TAG },
    },
    {
      operation,
      base: withTag,
      argument: '4.tag',
      // Without a tag apart, the last of the data is taken for one.
      outcomes: {
        ...OPTIONAL,
        undefined: operation === 'decrypt' ? 'ERR_OFFLOOP_AUTHENTICATION' : LEGAL,
      },
    },
    {
      operation,
      base: () => [...fixed(), data, { target: Buffer.alloc(60) }],
      argument: '4.target',
      outcomes: OPTIONAL,
    },
    ...asyncRows(operation, base, 4),
  ];
}

const plaintext = Buffer.alloc(40);
const tag = Buffer.alloc(16);
const sealed = offloop.encrypt('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12), plaintext);
const sealedApart = offloop.encrypt('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12), plaintext, {
  tag,
});
tables.encrypt = cipherRows('encrypt', plaintext, { data: plaintext, tag });
tables.decrypt = cipherRows('decrypt', sealed, { data: sealedApart, tag });

for (const operation of ['crc32', 'crc32c', 'crc32k', 'crc64nvme']) {
  const wide = operation === 'crc64nvme';
  const value = wide ? 1n : 1;
  const base = () => [Buffer.from('data'), value];
  const values = wide ? OPTIONAL : { ...INTEGER, undefined: LEGAL, '2**31': LEGAL };
  tables[operation] = [
    { operation, base, argument: 0, outcomes: TEXT_OR_BYTES },
    {
      operation,
      base,
      argument: 1,
      // The Async form takes its options in this place, too.
      outcomes: { ...values, 'Proxy of a legal value': LEGAL },
      sync: values,
    },
    {
      operation,
      base: () => [Buffer.from('data'), value, { signal: signal() }],
      forms: 'async',
      argument: 2,
      outcomes: OPTIONS,
    },
    ...asyncRows(operation, () => [Buffer.from('data'), value, { signal: signal() }], 2, 'async'),
    ...asyncRows(operation, () => [Buffer.from('data'), { signal: signal() }], 1, 'async'),
  ];
}

const combineBase = () => ['crc32', 1, 2, 3];
const combineWide = () => ['crc64nvme', 1n, 2n, 3n];
const LENGTH = { ...INTEGER, '2**31': LEGAL };
tables.crcCombine = [
  { operation: 'crcCombine', forms: 'sync', base: combineBase, argument: 0, outcomes: NAME },
  ...[1, 2].flatMap((argument) => [
    {
      operation: 'crcCombine',
      forms: /** @type {'sync'} */ ('sync'),
      base: combineBase,
      argument,
      outcomes: LENGTH,
    },
    {
      operation: 'crcCombine',
      forms: /** @type {'sync'} */ ('sync'),
      base: combineWide,
      argument,
      outcomes: NONE,
    },
  ]),
  { operation: 'crcCombine', forms: 'sync', base: combineBase, argument: 3, outcomes: LENGTH },
];

/** A document, and the same with a password. */
const pdf = makePdf('small');
const lockedPdf = () => offloop.recrypt(pdf, { userPassword: 'user' });

/** A path may be empty, but names no file then. */
const SOURCE = { ...NONE, "''": 'ENOENT' };
const PASSWORD = { ...OPTIONAL, "''": LEGAL };
const FLAG = { ...OPTIONAL, 'Proxy of a legal value': TYPE };
const CALLBACK = { ...OPTIONAL, 'Proxy of a legal value': LEGAL };
const CHOICE = { ...OPTIONAL, "''": VALUE };

/** What needs a new password is an error without one, whatever else it is. */
const encrypting = (/** @type {Record<string, any>} */ options) => () => [
  pdf,
  { userPassword: 'user', ...options },
];

tables.recrypt = [
  { operation: 'recrypt', base: () => [pdf, {}], argument: 0, outcomes: SOURCE },
  {
    operation: 'recrypt',
    base: () => [pdf, {}],
    argument: 1,
    // A target that is missing must not mean the other form.
    outcomes: { ...OPTIONS, undefined: TYPE, "''": 'ENOENT' },
  },
  {
    operation: 'recrypt',
    base: () => [pdf, temporary('out.pdf'), {}],
    argument: 1,
    outcomes: { ...NONE, "''": 'ENOENT' },
  },
  {
    operation: 'recrypt',
    base: () => [pdf, temporary('out.pdf'), {}],
    argument: 2,
    outcomes: OPTIONS,
  },
  {
    operation: 'recrypt',
    base: () => [lockedPdf(), { password: Buffer.from('user') }],
    argument: '1.password',
    outcomes: {
      ...NONE,
      undefined: 'ERR_OFFLOOP_PDF_PASSWORD',
      "''": 'ERR_OFFLOOP_PDF_PASSWORD',
    },
  },
  ...['userPassword', 'ownerPassword'].map((name) => ({
    operation: 'recrypt',
    base: () => [pdf, { [name]: Buffer.from('new') }],
    argument: `1.${name}`,
    // A password that is named but not there must not yield a document without one.
    outcomes: { ...PASSWORD, undefined: VALUE },
  })),
  {
    operation: 'recrypt',
    base: encrypting({ encryption: 'aes-128' }),
    argument: '1.encryption',
    outcomes: CHOICE,
  },
  {
    operation: 'recrypt',
    base: encrypting({ version: 17 }),
    argument: '1.version',
    outcomes: { ...INTEGER, undefined: LEGAL },
  },
  {
    operation: 'recrypt',
    base: encrypting({ userProtectionFlag: 4 }),
    argument: '1.userProtectionFlag',
    // A negative number is a whole /P, whose two lowest bits must be 0.
    outcomes: { ...INTEGER, undefined: LEGAL, '-1': VALUE },
  },
  {
    operation: 'recrypt',
    base: encrypting({ permissions: { print: 'full', modify: true } }),
    argument: '1.permissions',
    outcomes: OPTIONS,
  },
  {
    operation: 'recrypt',
    base: encrypting({ encryptMetadata: false }),
    argument: '1.encryptMetadata',
    outcomes: FLAG,
  },
  ...['linearize', 'strict'].map((name) => ({
    operation: 'recrypt',
    base: () => [pdf, { [name]: true }],
    argument: `1.${name}`,
    outcomes: FLAG,
  })),
  {
    operation: 'recrypt',
    base: () => [pdf, { objectStreams: 'generate' }],
    argument: '1.objectStreams',
    outcomes: CHOICE,
  },
  {
    operation: 'recrypt',
    base: () => [pdf, { onWarning() {} }],
    argument: '1.onWarning',
    outcomes: CALLBACK,
  },
  {
    operation: 'recrypt',
    base: () => [pdf, { onProgress() {} }],
    argument: '1.onProgress',
    outcomes: CALLBACK,
    sync: IGNORED,
  },
  ...asyncRows('recrypt', () => [pdf, { signal: signal() }], 1),
];

for (const name of ['print', 'modify', 'copy', 'annotate', 'fillForms', 'accessibility']) {
  const permissions = () => ({ [name]: name === 'print' ? 'full' : true });
  tables.recrypt.push({
    operation: 'recrypt, permissions',
    call: (value) => offloop.recrypt(pdf, { userPassword: 'user', permissions: value }),
    forms: 'sync',
    base: () => [permissions()],
    argument: `0.${name}`,
    outcomes: name === 'print' ? CHOICE : FLAG,
  });
}

tables.pdfEncryption = [
  { operation: 'pdfEncryption', base: () => [pdf, {}], argument: 0, outcomes: SOURCE },
  { operation: 'pdfEncryption', base: () => [pdf, {}], argument: 1, outcomes: OPTIONS },
  {
    operation: 'pdfEncryption',
    base: () => [lockedPdf(), { password: Buffer.from('user') }],
    argument: '1.password',
    outcomes: PASSWORD,
  },
  ...asyncRows('pdfEncryption', () => [pdf, { signal: signal() }], 1),
];

/** What reads and writes files. */
const CHECKSUM = { ...OPTIONAL, "''": UNKNOWN };
const VALUE32 = { ...INTEGER, undefined: LEGAL, '2**31': LEGAL };

tables.hashFile = [
  { operation: 'hashFile', base: () => [__filename, 'sha256'], argument: 0, outcomes: SOURCE },
  { operation: 'hashFile', base: () => [__filename, 'sha256'], argument: 1, outcomes: NAME },
  { operation: 'hashFile', base: () => [__filename, 'sha256', {}], argument: 2, outcomes: OPTIONS },
  {
    operation: 'hashFile',
    base: () => [__filename, 'sha256', { target: Buffer.alloc(32) }],
    argument: '2.target',
    outcomes: OPTIONAL,
  },
  {
    operation: 'hashFile',
    base: () => [__filename, 'sha256', { outputEncoding: 'hex' }],
    argument: '2.outputEncoding',
    outcomes: CHOICE,
  },
  {
    operation: 'hashFile',
    base: () => [__filename, 'sha256', { outputLength: 32 }],
    argument: '2.outputLength',
    outcomes: { ...INTEGER, undefined: LEGAL },
  },
  ...asyncRows('hashFile', () => [__filename, 'sha256', { signal: signal() }], 2),
];

tables.crcFile = [
  { operation: 'crcFile', base: () => [__filename, 'crc32'], argument: 0, outcomes: SOURCE },
  { operation: 'crcFile', base: () => [__filename, 'crc32'], argument: 1, outcomes: CHECKSUM },
  { operation: 'crcFile', base: () => [__filename, 'crc32', {}], argument: 2, outcomes: OPTIONS },
  {
    operation: 'crcFile',
    base: () => [__filename, 'crc32', { value: 1 }],
    argument: '2.value',
    outcomes: VALUE32,
  },
  ...asyncRows('crcFile', () => [__filename, 'crc32', { signal: signal() }], 2),
];

const writeBase = () => [descriptor, Buffer.from('data'), { signal: signal() }];
tables.checksumAndWrite = [
  {
    operation: 'checksumAndWrite',
    base: writeBase,
    argument: 0,
    outcomes: INTEGER,
  },
  { operation: 'checksumAndWrite', base: writeBase, argument: 1, outcomes: BYTES },
  { operation: 'checksumAndWrite', base: writeBase, argument: 2, outcomes: OPTIONS },
  {
    operation: 'checksumAndWrite',
    base: () => [descriptor, Buffer.from('data'), { checksum: 'crc32c' }],
    argument: '2.checksum',
    outcomes: CHECKSUM,
  },
  {
    operation: 'checksumAndWrite',
    base: () => [descriptor, Buffer.from('data'), { value: 1 }],
    argument: '2.value',
    outcomes: VALUE32,
  },
  {
    operation: 'checksumAndWrite',
    base: () => [descriptor, Buffer.from('data'), { position: 0 }],
    argument: '2.position',
    outcomes: { ...INTEGER, undefined: LEGAL, null: LEGAL, '2**31': LEGAL },
  },
  ...asyncRows('checksumAndWrite', writeBase, 2),
];

tables.encryptAndChecksum = [
  ...cipherRows('encryptAndChecksum', plaintext, { data: plaintext, tag }),
  {
    operation: 'encryptAndChecksum',
    base: () => [
      'aes-256-ctr',
      Buffer.alloc(32),
      Buffer.alloc(16),
      plaintext,
      { checksum: 'crc32k' },
    ],
    argument: '4.checksum',
    outcomes: CHECKSUM,
  },
  {
    operation: 'encryptAndChecksum',
    base: () => ['aes-256-ctr', Buffer.alloc(32), Buffer.alloc(16), plaintext, { value: 1 }],
    argument: '4.value',
    outcomes: VALUE32,
  },
];

const LIMIT = { ...NONE, NaN: RANGE, '-1': RANGE };
tables.pool = [
  {
    operation: 'pool.concurrency =',
    forms: 'sync',
    call: (value) => (offloop.pool.concurrency = value),
    base: () => [2],
    argument: 0,
    outcomes: INTEGER,
  },
  {
    operation: 'pool.maxQueued =',
    forms: 'sync',
    call: (value) => (offloop.pool.maxQueued = value),
    base: () => [Infinity],
    argument: 0,
    outcomes: { ...LIMIT, '2**31': LEGAL, '2**53': LEGAL },
  },
];

describe('bad input', () => {
  const { concurrency, maxQueued } = offloop.pool;
  after(() => {
    Object.assign(offloop.pool, { concurrency, maxQueued });
    fs.closeSync(descriptor);
    fs.rmSync(folder, { recursive: true });
  });

  for (const [subject, rows] of Object.entries(tables)) {
    describe(subject, () => {
      for (const row of rows) {
        it(`${row.operation}, argument ${row.argument}`, () => checkRow(row));
      }
    });
  }

  it('leaves no job behind', async () => {
    await offloop.pool.drain();
    const { queued, running } = offloop.pool.stats();
    assert.deepStrictEqual({ queued, running }, { queued: 0, running: 0 });
  });
});

describe('options whose getters throw', () => {
  const asyncNames = ['signal', 'offload'];
  const sealing = () => ['aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12), Buffer.alloc(9), {}];
  /** @type {[string, () => any[], string[]][]} */
  const rows = [
    ['hash', () => ['sha256', '', {}], ['target', 'outputEncoding', 'outputLength']],
    ['hmac', () => ['sha256', '', '', {}], ['target', 'outputEncoding']],
    ['encrypt', sealing, ['aad', 'tag', 'tagLength', 'target']],
    ['decrypt', sealing, ['aad', 'tag', 'tagLength', 'target']],
  ];
  for (const [operation, base, names] of rows) {
    it(operation, () => checkGetters(operation, base, names, asyncNames));
  }
});

describe('missing arguments', () => {
  it('are errors with a code in every form', async () => {
    for (const name of Object.keys(tables).filter((each) => each !== 'pool')) {
      assert.throws(() => offloop[name](), { code: TYPE });
      const run = offloop[`${name}Async`];
      if (run !== undefined) await assert.rejects(run(), { code: TYPE });
    }
  });
});

describe('messages', () => {
  it('name the argument and never show what it holds', () => {
    const secret = 'correct horse battery staple';
    const holders = [[secret], { secret }, new Map([[secret, secret]]), Symbol(secret)];
    for (const held of holders) {
      /** @type {[string, any[]][]} */
      const calls = [
        ['key', ['aes-256-gcm', held, Buffer.alloc(12), Buffer.alloc(1)]],
        ['iv', ['aes-256-gcm', Buffer.alloc(32), held, Buffer.alloc(1)]],
        ['data', ['aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12), held]],
      ];
      for (const [name, args] of calls) {
        assert.throws(
          () => offloop.encrypt(.../** @type {[any, any, any, any]} */ (args)),
          (error) => error.message.includes(`"${name}"`) && !error.message.includes('horse'),
        );
      }
    }
    assert.throws(
      () => offloop.encrypt('aes-256-gcm', /** @type {any} */ (secret), Buffer.alloc(12), ''),
      (error) => error.code === TYPE && !error.message.includes('horse'),
    );
    assert.throws(
      () => offloop.encrypt('aes-256-gcm', Buffer.from(secret), Buffer.alloc(12), Buffer.alloc(1)),
      (error) => error.code === 'ERR_CRYPTO_INVALID_KEYLEN' && !error.message.includes('horse'),
    );
  });
});
