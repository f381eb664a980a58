'use strict';

const assert = require('node:assert');
const path = require('node:path');
const { describe, it } = require('node:test');

const { pdfEncryption, recrypt } = require('..');
const { makePdf } = require('../fixtures/pdf');
const { run, scratch } = require('./helpers/pdf');

const directory = scratch('permissions');
const plain = makePdf('small');
const PRINT = 4;
const FULL = 2048;
const BITS = [8, 16, 32, 256, 512, 1024];
const REVISION_2 = 4 | 8 | 16 | 32;
const NAMES = ['modify', 'copy', 'annotate', 'fillForms', 'accessibility', 'assemble'];

/** Every combination of some values of a list, as sums. @param {number[]} bits */
const sums = (bits) =>
  bits.reduce(
    (all, bit) => [...all, ...all.map((sum) => sum + bit)],
    /** @type {number[]} */ ([0]),
  );

/** @param {any} options */
const describeOutput = (options) =>
  pdfEncryption(recrypt(plain, { ownerPassword: 'o', ...options }));

describe('permissions', () => {
  const flags = sums(BITS).flatMap((flag) => [flag, flag | PRINT, flag | PRINT | FULL]);

  for (const encryption of ['rc4-128', 'aes-128', 'aes-256']) {
    // The keys of R6 take time by design: a third of the table, with every bit on and off.
    const table = encryption === 'aes-256' ? flags.filter((_, i) => i % 5 === 0) : flags;
    it(`${encryption}: each combination of bits comes out as it went in`, () => {
      const always = encryption === 'rc4-128' ? 0 : 512;
      for (const flag of table) {
        const info = describeOutput({ encryption, userProtectionFlag: flag });
        assert.strictEqual(info.userProtectionFlag, flag | always);
        assert.strictEqual(info.p, -3904 | flag | always);
      }
    });

    it(`${encryption}: each combination of names, too`, () => {
      for (const flag of table) {
        const print = (flag & PRINT) === 0 ? 'none' : (flag & FULL) === 0 ? 'low' : 'full';
        /** @type {Record<string, any>} */
        const permissions = { print };
        for (const [i, name] of NAMES.entries()) permissions[name] = (flag & BITS[i]) !== 0;
        if (encryption !== 'rc4-128') permissions.accessibility = true;
        const info = describeOutput({ encryption, permissions });
        assert.deepStrictEqual(info.permissions, permissions);
      }
    });
  }

  it('rc4-40 has four of them', () => {
    for (const flag of sums([4, 8, 16, 32])) {
      const info = describeOutput({ encryption: 'rc4-40', userProtectionFlag: flag });
      assert.strictEqual(info.userProtectionFlag, flag);
      assert.strictEqual(info.p, -64 | flag);
      assert.strictEqual(info.permissions?.print, (flag & 4) === 0 ? 'none' : 'full');
    }
    for (const options of [
      { userProtectionFlag: 256 },
      { userProtectionFlag: 4 | FULL },
      { permissions: { fillForms: true } },
      { permissions: { accessibility: true } },
      { permissions: { assemble: true } },
      { permissions: { print: 'low' } },
    ]) {
      const all = { encryption: 'rc4-40', userPassword: 'u', ...options };
      assert.throws(() => recrypt(plain, /** @type {any} */ (all)), {
        code: 'ERR_INVALID_ARG_VALUE',
      });
    }
  });

  it('a whole /P is written as it is', () => {
    for (const encryption of ['rc4-128', 'aes-128', 'aes-256']) {
      for (const p of [-4, -3904 | 512, -3904 | 4 | 512 | 2048]) {
        assert.strictEqual(describeOutput({ encryption, userProtectionFlag: p }).p, p);
      }
    }
    assert.strictEqual(
      describeOutput({ encryption: 'rc4-128', userProtectionFlag: -3904 }).p,
      -3904,
    );
    for (const p of [-64, -64 | REVISION_2, -3904 | 4]) {
      assert.strictEqual(describeOutput({ encryption: 'rc4-40', userProtectionFlag: p }).p, p);
    }
  });

  it('cleartext metadata changes none of them', () => {
    for (const encryption of ['rc4-128', 'aes-128', 'aes-256']) {
      for (const flag of [0, 4, 4 | FULL, 8 | 16, 4 | 32 | 256 | 1024]) {
        const options = { encryption, userProtectionFlag: flag, encryptMetadata: false };
        assert.strictEqual(describeOutput(options).userProtectionFlag, flag | 512);
      }
    }
  });

  it('4 is the default', () => {
    assert.strictEqual(describeOutput({ version: 14 }).userProtectionFlag, 4);
    assert.strictEqual(describeOutput({}).userProtectionFlag, 4 | 512);
    assert.strictEqual(describeOutput({ version: 14, permissions: {} }).userProtectionFlag, 0);
  });

  it('what cannot be is refused', () => {
    const value = { name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' };
    const type = { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' };
    const range = { name: 'RangeError', code: 'ERR_OUT_OF_RANGE' };
    for (const [options, expected] of /** @type {[any, any][]} */ ([
      [{ userProtectionFlag: FULL }, value],
      [{ userProtectionFlag: 1 }, value],
      [{ userProtectionFlag: 64 }, value],
      [{ userProtectionFlag: -1 }, value],
      [{ userProtectionFlag: -2 }, value],
      [{ userProtectionFlag: -100000 }, value],
      [{ userProtectionFlag: 4096 }, range],
      [{ userProtectionFlag: 2 ** 32 - 4 }, range],
      [{ userProtectionFlag: 4.5 }, range],
      [{ userProtectionFlag: '4' }, type],
      [{ userProtectionFlag: 4, permissions: {} }, value],
      [{ permissions: { accessibility: false } }, value],
      [{ permissions: { print: 'high' } }, value],
      [{ permissions: { print: true } }, type],
      [{ permissions: { copy: 1 } }, type],
      [{ permissions: null }, type],
      [{ permissions: [] }, type],
    ])) {
      assert.throws(() => recrypt(plain, { userPassword: 'u', ...options }), expected);
    }
    const allowed = { userPassword: 'u', version: 14, permissions: { accessibility: false } };
    assert.ok(recrypt(plain, /** @type {any} */ (allowed)));
  });

  it('qpdf reads the same', () => {
    const file = path.join(directory, 'permissions.pdf');
    for (const [flag, expected] of /** @type {[number, RegExp][]} */ ([
      [4, /print low resolution: allowed\nprint high resolution: not allowed/],
      [16, /extract for any purpose: allowed\nprint low resolution: not allowed/],
      [256, /modify forms: allowed/],
      [1024, /modify document assembly: allowed/],
    ])) {
      recrypt(plain, file, { userPassword: 'u', ownerPassword: 'o', userProtectionFlag: flag });
      assert.match(run('qpdf', ['--show-encryption', '--password=u', file]), expected);
    }
  });
});
