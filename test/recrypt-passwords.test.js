'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');

const { pdfEncryption, recrypt } = require('..');
const { makePdf } = require('../fixtures/pdf');
const { openWithMupdf, run, scratch } = require('./helpers/pdf');

const directory = scratch('passwords');
const plain = makePdf('small');
const encryptions = /** @type {const} */ (['aes-256', 'aes-128', 'rc4-128', 'rc4-40']);

/**
 * Passwords, and what qpdf and mupdf must be told, which take text as it is where the standard prepares it: for revisions up to 4 (`composed`) and for revision 6 (`prepared`).
 */
const passwords = [
  { name: 'ASCII', text: 'secret $-"\\ x', legacy: true },
  { name: 'a leading dash', text: '-secret', legacy: true },
  { name: 'Latin letters', text: 'pässwört', legacy: true },
  {
    name: 'decomposed letters',
    text: 'pa\u0308ssword',
    legacy: true,
    composed: 'p\u00e4ssword',
    prepared: 'p\u00e4ssword',
  },
  { name: 'beyond Latin-1', text: '€ﬁŽ—secret', legacy: true, prepared: '€fiŽ—secret' },
  { name: 'Japanese', text: '日本語パスワード', legacy: false },
  { name: 'what SASLprep maps', text: 'S\u00aaSL\u00ad', legacy: false, prepared: 'SaSL' },
  { name: '32 bytes', text: 'x'.repeat(32), legacy: true },
  { name: '127 bytes', text: 'x'.repeat(127), legacy: false },
  { name: 'empty', text: '', legacy: true },
];

/** qpdf takes raw bytes for the revision. @param {string} file @param {string} password */
function qpdfOpens(file, password) {
  const args = ['--password-mode=unicode', `--password=${password}`, '--check', file];
  return /No syntax or stream encoding errors/.test(run('qpdf', args, [0, 2, 3]));
}

describe('passwords', () => {
  for (const encryption of encryptions) {
    for (const { name, text, legacy, composed, prepared } of passwords) {
      if (!legacy && encryption !== 'aes-256') {
        it(`${encryption}: ${name} is refused`, () => {
          for (const key of ['userPassword', 'ownerPassword']) {
            assert.throws(() => recrypt(plain, /** @type {any} */ ({ [key]: text, encryption })), {
              name: 'TypeError',
              code: 'ERR_INVALID_ARG_VALUE',
            });
          }
        });
        continue;
      }
      it(`${encryption}: ${name} as the user's and as the owner's`, async () => {
        const file = path.join(directory, 'one.pdf');
        for (const role of ['user', 'owner']) {
          const other = `the ${role === 'user' ? 'owner' : 'user'}'s own`;
          const pair =
            role === 'user'
              ? { userPassword: text, ownerPassword: other }
              : { userPassword: other, ownerPassword: text };
          const locked = recrypt(plain, file, { ...pair, encryption }) && fs.readFileSync(file);
          const own = text === '' && role === 'owner' ? other : text;
          const info = pdfEncryption(locked, { password: own });
          assert.strictEqual(info.opensAs, own === other ? 'both' : role);
          const standard = encryption === 'aes-256' ? prepared : composed;
          const told = own === text ? (standard ?? text) : own;
          assert.ok(qpdfOpens(file, told), 'qpdf');
          const opened = await openWithMupdf(locked, told);
          assert.ok(opened, 'mupdf');
          for (const wrong of ['wrong', `${text}!`.slice(-20), text.slice(1)]) {
            if (wrong === text || wrong === other || (wrong === '' && own === '')) continue;
            if (wrong === '' && role === 'owner' && text === '') continue;
            assert.strictEqual(pdfEncryption(locked, { password: wrong }).opensAs, null, wrong);
            assert.strictEqual(await openWithMupdf(locked, wrong), undefined, wrong);
          }
        }
      });
    }
  }

  it('an empty owner password never opens what has a user password', async () => {
    for (const encryption of encryptions) {
      for (const options of [
        { userPassword: 'u' },
        { userPassword: 'u', ownerPassword: '' },
        { userPassword: 'u', ownerPassword: new Uint8Array(0) },
      ]) {
        const locked = recrypt(plain, { ...options, encryption });
        assert.strictEqual(pdfEncryption(locked).opensAs, null);
        assert.strictEqual(pdfEncryption(locked, { password: 'u' }).opensAs, 'both');
        assert.strictEqual(await openWithMupdf(locked, ''), undefined);
      }
    }
  });

  it('bytes are used as they are', () => {
    const latin1 = Buffer.from('pässwört', 'latin1');
    const utf8 = Buffer.from('pässwört');
    for (const encryption of encryptions) {
      for (const bytes of [latin1, utf8]) {
        const locked = recrypt(plain, { userPassword: bytes, encryption });
        assert.strictEqual(pdfEncryption(locked, { password: bytes }).opensAs, 'both');
        const other = bytes === latin1 ? utf8 : latin1;
        assert.strictEqual(pdfEncryption(locked, { password: other }).opensAs, null);
      }
    }
    const view = new DataView(Uint8Array.from(Buffer.from('secret')).buffer);
    const locked = recrypt(plain, { userPassword: view });
    assert.strictEqual(pdfEncryption(locked, { password: 'secret' }).opensAs, 'both');
  });

  it('text opens what other programs wrote in any encoding', () => {
    for (const encryption of encryptions) {
      for (const encoding of /** @type {const} */ (['utf8', 'latin1'])) {
        const bytes = Buffer.from('pässwört', encoding);
        const locked = recrypt(plain, { userPassword: bytes, encryption });
        assert.strictEqual(pdfEncryption(locked, { password: 'pässwört' }).opensAs, 'both');
      }
    }
    const unprepared = recrypt(plain, { userPassword: Buffer.from('S\u00aaSL\u00ad') });
    assert.strictEqual(pdfEncryption(unprepared, { password: 'S\u00aaSL\u00ad' }).opensAs, 'both');
    const prepared = recrypt(plain, { userPassword: 'S\u00aaSL\u00ad' });
    assert.strictEqual(pdfEncryption(prepared, { password: 'SaSL' }).opensAs, 'both');
  });

  it('what lies past the 32nd or 127th byte does not count when a document is opened', () => {
    const short = recrypt(plain, { userPassword: 'x'.repeat(32), version: 14 });
    assert.strictEqual(pdfEncryption(short, { password: `${'x'.repeat(32)}y` }).encrypted, true);
    assert.ok(recrypt(short, { password: `${'x'.repeat(32)}y` }));
    const long = recrypt(plain, { userPassword: 'x'.repeat(127) });
    assert.ok(recrypt(long, { password: `${'x'.repeat(127)}y` }));
    assert.strictEqual(pdfEncryption(long, { password: 'x'.repeat(126) }).opensAs, null);
  });

  it('NULs in passwords cut nothing', () => {
    const password = Buffer.from('a\0b');
    for (const encryption of encryptions) {
      const locked = recrypt(plain, { userPassword: 'u', ownerPassword: password, encryption });
      assert.strictEqual(pdfEncryption(locked, { password }).opensAs, 'owner');
      assert.strictEqual(pdfEncryption(locked, { password: 'a' }).opensAs, null);
    }
    assert.throws(() => recrypt(plain, { userPassword: 'a\0b', version: 16 }), {
      code: 'ERR_INVALID_ARG_VALUE',
      message: /U\+0000/,
    });
  });

  it('errors name the character, and never the password', () => {
    for (const [password, version, message] of /** @type {[string, any, RegExp][]} */ ([
      ['hush\u{1F600}', 20, /U\+1F600/],
      ['hush\u0007', 20, /U\+0007/],
      ['hush\ud800', 20, /U\+D800/],
      ['hush日', 16, /U\+65E5/],
      ['\u00ad\u00ad', 20, /vanishes/],
      ['hush\u0627', 20, /directions/],
      [`hush${'x'.repeat(29)}`, 16, /33 bytes/],
      [`hush${'x'.repeat(124)}`, 20, /128 bytes/],
      ['hush'.repeat(1000), 20, /1024 characters/],
    ])) {
      assert.throws(
        () => recrypt(plain, { userPassword: password, version }),
        (/** @type {any} */ error) => {
          assert.strictEqual(error.code, 'ERR_INVALID_ARG_VALUE');
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /hush/);
          return true;
        },
      );
    }
  });

  it('what is no password is refused', () => {
    for (const password of [null, 1, true, [], {}, Symbol('x'), () => {}]) {
      for (const name of ['password', 'userPassword', 'ownerPassword']) {
        const options = /** @type {any} */ ({ userPassword: 'u', [name]: password });
        assert.throws(() => recrypt(plain, options), {
          name: 'TypeError',
          code: 'ERR_INVALID_ARG_TYPE',
        });
      }
    }
  });
});
