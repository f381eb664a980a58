'use strict';

/** What the drop-in's methods say to wrong arguments, in which order, and that they throw it. */

const assert = require('node:assert');
const { describe, it } = require('node:test');

const cryptoAsync = require('../lib/crypto-async');

const { cipher, hash, hmac } = cryptoAsync;
/** @type {Record<string, any>} */
const messages = cryptoAsync;

const SIZE = 40;
const view = () => Buffer.alloc(SIZE + 8);
/** More than INT_MAX bytes, none of which is ever touched. */
const huge = Buffer.alloc(2 ** 31);

/**
 * One fault in one argument, and what is said of it.
 * @typedef {{ at: number, value: any, error: string }} Fault
 */

/** @type {(at: number, name: string) => Fault[]} */
const bufferFaults = (at, name) => [
  { at, value: {}, error: `E_${name}` },
  { at, value: huge, error: 'E_BUFFER_LENGTH' },
];

/** @type {(at: number, name: string) => Fault[]} */
const rangeFaults = (at, name) => [
  ...bufferFaults(at, name),
  { at: at + 1, value: -1, error: `E_${name}_OFFSET` },
  { at: at + 2, value: 0.5, error: `E_${name}_SIZE` },
];

/** @type {(at: number) => Fault[]} */
const targetFaults = (at) => [
  ...bufferFaults(at, 'TARGET'),
  { at: at + 1, value: '0', error: 'E_TARGET_OFFSET' },
];

const cipherName = [
  { at: 0, value: 7, error: 'E_ALGORITHM' },
  { at: 0, value: 'no-such-cipher', error: 'E_ALGORITHM_UNKNOWN' },
  { at: 0, value: 'aes-256-cbc', error: 'E_ALGORITHM_DISABLED' },
  { at: 1, value: 2, error: 'E_ENCRYPT' },
];
const digestName = cipherName.slice(0, 2);

/** @type {(at: number) => Fault} */
const callbackFault = (at) => ({ at, value: {}, error: 'E_CALLBACK' });

/**
 * Each form: arguments that are right, and their faults in the order in which they are looked for.
 * @type {{ form: string, method: (...args: any[]) => any, args: () => any[], faults: Fault[] }[]}
 */
const simpleForms = [
  {
    form: 'cipher/5',
    method: cipher,
    args: () => ['aes-256-ctr', 1, Buffer.alloc(32), Buffer.alloc(16), view()],
    faults: [
      { at: 2, value: new Uint8Array(32), error: 'E_KEY' },
      { at: 3, value: null, error: 'E_IV' },
      { at: 4, value: 'text', error: 'E_SOURCE' },
      { at: 5, value: {}, error: 'E_CALLBACK' },
      ...cipherName,
      { at: 2, value: huge, error: 'E_BUFFER_LENGTH' },
      { at: 3, value: huge, error: 'E_BUFFER_LENGTH' },
      { at: 4, value: huge, error: 'E_BUFFER_LENGTH' },
      { at: 2, value: Buffer.alloc(31), error: 'E_KEY_INVALID' },
      { at: 3, value: Buffer.alloc(12), error: 'E_IV_INVALID' },
    ],
  },
  {
    form: 'cipher/7',
    method: cipher,
    args: () => ['id-aes256-GCM', 1, ...[32, 12, SIZE, 9, 16].map((size) => Buffer.alloc(size))],
    faults: [
      { at: 2, value: 'key', error: 'E_KEY' },
      { at: 3, value: [], error: 'E_IV' },
      { at: 4, value: new DataView(new ArrayBuffer(4)), error: 'E_SOURCE' },
      { at: 5, value: undefined, error: 'E_AAD' },
      { at: 6, value: 16, error: 'E_TAG' },
      { at: 7, value: 'callback', error: 'E_CALLBACK' },
      ...cipherName,
      ...[2, 3, 4, 5, 6].map((at) => ({ at, value: huge, error: 'E_BUFFER_LENGTH' })),
      { at: 2, value: Buffer.alloc(16), error: 'E_KEY_INVALID' },
      { at: 3, value: Buffer.alloc(16), error: 'E_IV_INVALID' },
      { at: 6, value: Buffer.alloc(0), error: 'E_TAG_INVALID' },
    ],
  },
  {
    form: 'hash/2',
    method: hash,
    args: () => ['sha256', view()],
    faults: [
      { at: 1, value: 'text', error: 'E_SOURCE' },
      { at: 2, value: 0, error: 'E_CALLBACK' },
      ...digestName,
      { at: 1, value: huge, error: 'E_BUFFER_LENGTH' },
    ],
  },
  {
    form: 'hmac/3',
    method: hmac,
    args: () => ['sha256', view(), view()],
    faults: [
      { at: 1, value: 'key', error: 'E_KEY' },
      { at: 2, value: new ArrayBuffer(8), error: 'E_SOURCE' },
      { at: 3, value: null, error: 'E_CALLBACK' },
      ...digestName,
      { at: 1, value: huge, error: 'E_BUFFER_LENGTH' },
      { at: 2, value: huge, error: 'E_BUFFER_LENGTH' },
    ],
  },
];

const past = SIZE + 9;
const keyIvSource = [2, 5, 8].flatMap((at, i) => rangeFaults(at, ['KEY', 'IV', 'SOURCE'][i]));

/** @type {typeof simpleForms} */
const zeroCopyForms = [
  {
    form: 'cipher/13',
    method: cipher,
    args: () => ['aes-256-ctr', 1, view(), 1, 32, view(), 2, 16, view(), 3, SIZE, view(), 4],
    faults: [
      callbackFault(13),
      ...cipherName,
      ...keyIvSource,
      ...targetFaults(11),
      { at: 3, value: past, error: 'E_KEY_RANGE' },
      { at: 7, value: past, error: 'E_IV_RANGE' },
      { at: 9, value: 2 ** 31 - 1, error: 'E_SOURCE_RANGE' },
      { at: 12, value: 9, error: 'E_TARGET_RANGE' },
      { at: 4, value: 16, error: 'E_KEY_INVALID' },
      { at: 7, value: 12, error: 'E_IV_INVALID' },
    ],
  },
  {
    form: 'cipher/19',
    method: cipher,
    args: () => [
      ...['aes-256-gcm', 1, view(), 1, 32, view(), 2, 12, view(), 3, SIZE, view(), 4],
      ...[view(), 5, 9, view(), 6, 16],
    ],
    faults: [
      ...cipherName,
      ...keyIvSource,
      ...targetFaults(11),
      ...rangeFaults(13, 'AAD'),
      ...rangeFaults(16, 'TAG'),
      { at: 4, value: past, error: 'E_KEY_RANGE' },
      { at: 6, value: past, error: 'E_IV_RANGE' },
      { at: 10, value: past, error: 'E_SOURCE_RANGE' },
      { at: 12, value: past, error: 'E_TARGET_RANGE' },
      { at: 15, value: past, error: 'E_AAD_RANGE' },
      { at: 18, value: past, error: 'E_TAG_RANGE' },
      { at: 4, value: 31, error: 'E_KEY_INVALID' },
      { at: 7, value: 16, error: 'E_IV_INVALID' },
      { at: 18, value: 11, error: 'E_TAG_INVALID' },
      callbackFault(19),
    ],
  },
  {
    form: 'cipher/19 without authentication',
    method: cipher,
    args: () => [
      ...['chacha20', 0, view(), 1, 32, view(), 2, 16, view(), 3, SIZE, view(), 4],
      ...[view(), 5, 0, view(), 6, 0],
    ],
    faults: [
      { at: 4, value: 16, error: 'E_KEY_INVALID' },
      { at: 7, value: 12, error: 'E_IV_INVALID' },
      { at: 15, value: 1, error: 'E_AAD_INVALID' },
      { at: 18, value: 1, error: 'E_TAG_INVALID' },
      callbackFault(19),
    ],
  },
  {
    form: 'hash/6',
    method: hash,
    args: () => ['sha256', view(), 1, SIZE, view(), 2],
    faults: [
      ...digestName,
      ...rangeFaults(1, 'SOURCE'),
      ...targetFaults(4),
      { at: 3, value: past, error: 'E_SOURCE_RANGE' },
      { at: 5, value: SIZE + 8 - 31, error: 'E_TARGET_RANGE' },
      callbackFault(6),
    ],
  },
  {
    form: 'hmac/9',
    method: hmac,
    args: () => ['sha256', view(), 1, SIZE, view(), 2, SIZE, view(), 3],
    faults: [
      ...digestName,
      ...rangeFaults(1, 'KEY'),
      ...rangeFaults(4, 'SOURCE'),
      ...targetFaults(7),
      { at: 2, value: past, error: 'E_KEY_RANGE' },
      { at: 6, value: past, error: 'E_SOURCE_RANGE' },
      { at: 8, value: 2 ** 31 - 1, error: 'E_TARGET_RANGE' },
      callbackFault(9),
    ],
  },
];

const forms = [...simpleForms, ...zeroCopyForms];

function neverCalled() {
  assert.fail('a callback was called although the call threw');
}

/**
 * @param {any[]} args
 * @param {Fault[]} faults
 */
function withFaults(args, ...faults) {
  for (const { at, value } of faults) args[at] = value;
  return args;
}

/**
 * @param {(...args: any[]) => any} method
 * @param {any[]} args
 * @param {string} error
 * @param {string} about
 */
function throwsMessage(method, args, error, about) {
  assert.throws(
    () => method(...args),
    (/** @type {any} */ thrown) => {
      assert.strictEqual(thrown.message, messages[error], about);
      assert.strictEqual(thrown.constructor, Error, about);
      assert.strictEqual('code' in thrown, false, about);
      return true;
    },
    about,
  );
}

describe('crypto-async: arguments', () => {
  for (const { form, method, args, faults } of forms) {
    const count = args().length;
    const synchronous = faults.filter(({ at }) => at < count);

    it(`${form}: takes what is right`, async () => {
      assert.ok(method(...args()) !== undefined);
      await new Promise((resolve) => {
        assert.strictEqual(method(...args(), resolve), undefined);
      });
    });

    it(`${form}: says what is wrong, also where a callback is given`, () => {
      for (const fault of synchronous) {
        const about = `${form} ${fault.at} ${fault.error}`;
        throwsMessage(method, withFaults(args(), fault), fault.error, about);
        const called = withFaults([...args(), neverCalled], fault);
        throwsMessage(method, called, fault.error, `${about} with a callback`);
      }
      for (const value of [undefined, null, 0, 'f', {}, []]) {
        throwsMessage(method, [...args(), value], 'E_CALLBACK', `${form} callback`);
      }
    });

    it(`${form}: of two faults it tells the first`, () => {
      for (const [i, first] of faults.entries()) {
        for (const second of faults.slice(i + 1)) {
          if (first.at === second.at) continue;
          const wrong = withFaults([...args(), neverCalled], first, second);
          throwsMessage(method, wrong, first.error, `${form} ${first.error} then ${second.error}`);
        }
      }
    });
  }

  it('are counted', () => {
    const counts = {
      cipher: [5, 6, 7, 8, 13, 14, 19, 20],
      hash: [2, 3, 6, 7],
      hmac: [3, 4, 9, 10],
    };
    for (const [name, allowed] of Object.entries(counts)) {
      for (let count = 0; count < 30; count++) {
        if (allowed.includes(count)) continue;
        const args = new Array(count).fill(undefined);
        throwsMessage(messages[name], args, 'E_ARGUMENTS', `${name} with ${count}`);
      }
    }
  });

  it('integers are numbers, whole, and no larger than INT_MAX', () => {
    const good = () => ['sha256', view(), 0, SIZE, view(), 0];
    const values = [
      ...[-1, -Infinity, Infinity, NaN, 0.5, 1.0000001, 2 ** 31, 2 ** 53],
      ...['', '0', null, undefined, true, {}, [], [0], 0n, Symbol('0'), Buffer.alloc(0)],
      ...[new Number(0), { valueOf: () => 0 }],
    ];
    for (const value of values) {
      const at = typeof value === 'symbol' ? 'symbol' : typeof value;
      for (const [index, error] of /** @type {[number, string][]} */ ([
        [2, 'E_SOURCE_OFFSET'],
        [3, 'E_SOURCE_SIZE'],
        [5, 'E_TARGET_OFFSET'],
      ])) {
        throwsMessage(hash, withFaults(good(), { at: index, value, error }), error, at);
      }
    }
    assert.strictEqual(hash('sha256', view(), -0, SIZE, view(), -0), 32);
  });

  it('encrypt is 0 or 1', () => {
    const good = simpleForms[0].args();
    for (const value of [-1, 2, 0.5, NaN, true, false, '1', '', null, undefined, {}, 1n]) {
      throwsMessage(cipher, withFaults([...good], { at: 1, value, error: '' }), 'E_ENCRYPT', '');
    }
    assert.deepStrictEqual(
      cipher(...withFaults([...good], { at: 1, value: -0, error: '' })),
      cipher(...withFaults([...good], { at: 1, value: 0, error: '' })),
    );
  });

  it('an algorithm is a string; names are cut to 31 characters', () => {
    for (const value of [undefined, null, 0, true, {}, [], new String('sha256'), Symbol('s'), 1n]) {
      throwsMessage(hash, [value, view()], 'E_ALGORITHM', typeof value);
      throwsMessage(hmac, [value, view(), view()], 'E_ALGORITHM', typeof value);
      const args = withFaults(simpleForms[0].args(), { at: 0, value, error: '' });
      throwsMessage(cipher, args, 'E_ALGORITHM', typeof value);
    }
    for (const value of [
      '',
      'sha',
      'x'.repeat(1000),
      'sha256x',
      '\u{1f600}',
      '__proto__',
      'null',
    ]) {
      throwsMessage(hash, [value, view()], 'E_ALGORITHM_UNKNOWN', value);
    }
    // 34 characters: its first 31 are no name.
    const long = 'id-rsassa-pkcs1-v1_5-with-sha3-224';
    throwsMessage(hash, [long, view()], 'E_ALGORITHM_UNKNOWN', long);
    const padded = `sha256\0${'x'.repeat(100)}`;
    assert.deepStrictEqual(hash(padded, view()), hash('sha256', view()));
  });

  it('tags: the lengths of GCM, 1 to 16 bytes of Poly1305', () => {
    /** @type {[string, number[]][]} */
    const rows = [
      ['aes-128-gcm', [4, 8, 12, 13, 14, 15, 16]],
      ['aes-192-gcm', [4, 8, 12, 13, 14, 15, 16]],
      ['chacha20-poly1305', Array.from({ length: 16 }, (_, i) => i + 1)],
    ];
    for (const [name, allowed] of rows) {
      const keySize = { 'aes-128-gcm': 16, 'aes-192-gcm': 24 }[name] ?? 32;
      for (let size = 0; size <= 20; size++) {
        const buffers = [keySize, 12, SIZE, 9, size].map((bytes) => Buffer.alloc(bytes));
        if (allowed.includes(size)) {
          assert.strictEqual(cipher(name, 1, ...buffers).length, SIZE);
        } else {
          throwsMessage(cipher, [name, 1, ...buffers], 'E_TAG_INVALID', `${name} ${size}`);
        }
      }
      const [key, iv, source] = [keySize, 12, SIZE].map((bytes) => Buffer.alloc(bytes));
      throwsMessage(cipher, [name, 1, key, iv, source], 'E_TAG_INVALID', `${name} without a tag`);
      const ranges = [name, 1, key, 0, keySize, iv, 0, 12, source, 0, SIZE, view(), 0];
      throwsMessage(cipher, ranges, 'E_TAG_INVALID', `${name} without a tag, zero-copy`);
    }
  });

  it('every message is raised by some argument here, or by an outcome', () => {
    const raised = new Set(forms.flatMap(({ faults }) => faults.map(({ error }) => error)));
    const outcomes = ['E_ARGUMENTS', 'E_CANCELLED', 'E_CORRUPT', 'E_OOM'];
    const named = Object.keys(messages).filter((name) => name.startsWith('E_'));
    assert.deepStrictEqual([...raised, ...outcomes].sort(), named.sort());
  });
});
