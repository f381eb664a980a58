'use strict';

const assert = require('node:assert');
const { describe, it } = require('node:test');

const { pdfEncryption, recrypt, recryptAsync } = require('..');
const { PAGES, buildPdf, deriveLegacy, encryptLegacy, stream } = require('./helpers/pdf-builder');
require('./helpers/pdf-engine');

const id = Buffer.from('0123456789abcdef');
const hex = (/** @type {Buffer} */ bytes) => `<${bytes.toString('hex')}>`;

/**
 * A document with one string and one stream, encrypted as no writer does it any more.
 * @param {{ version: number, revision: number, keyBytes: number, method: 'rc4' | 'aes', dictionary?: string, encryptMetadata?: boolean, plainStreams?: boolean, plainStrings?: boolean }} options
 */
function buildEncrypted(options) {
  const { version, revision, keyBytes, method, dictionary = '', encryptMetadata = true } = options;
  const p = -3904;
  const derived = deriveLegacy({ ...options, p, id, user: 'user', owner: 'owner' });
  const hide = (/** @type {number} */ number, /** @type {string} */ text) =>
    encryptLegacy(derived.key, number, method, Buffer.from(text));
  const string = options.plainStrings ? Buffer.from('a secret') : hide(10, 'a secret');
  const data = options.plainStreams ? Buffer.from('more secrets') : hide(11, 'more secrets');
  return buildPdf(
    {
      ...PAGES,
      10: `<</Text${hex(string)}/Data 11 0 R>>`,
      11: stream('', data),
    },
    `/ID[${hex(id)}${hex(id)}]/Encrypt<</Filter/Standard/V ${version}/R ${revision}` +
      `/Length ${keyBytes * 8}/P ${p}/O${hex(derived.o)}/U${hex(derived.u)}` +
      `${encryptMetadata ? '' : '/EncryptMetadata false'}${dictionary}>>`,
  );
}

/** @param {string} method @param {number} bytes */
const filters = (method, bytes) =>
  `/CF<</StdCF<</CFM/${method}/AuthEvent/DocOpen/Length ${bytes}>>>>/StmF/StdCF/StrF/StdCF`;

const documents = /** @type {[string, Parameters<typeof buildEncrypted>[0], string][]} */ ([
  ['V1, R2', { version: 1, revision: 2, keyBytes: 5, method: 'rc4' }, 'rc4'],
  ['V1, R3', { version: 1, revision: 3, keyBytes: 5, method: 'rc4' }, 'rc4'],
  ['V2, R3, 40 bits', { version: 2, revision: 3, keyBytes: 5, method: 'rc4' }, 'rc4'],
  ['V2, R3, 64 bits', { version: 2, revision: 3, keyBytes: 8, method: 'rc4' }, 'rc4'],
  ['V2, R3, 128 bits', { version: 2, revision: 3, keyBytes: 16, method: 'rc4' }, 'rc4'],
  [
    'V4, R4, RC4',
    { version: 4, revision: 4, keyBytes: 16, method: 'rc4', dictionary: filters('V2', 16) },
    'rc4',
  ],
  [
    'V4, R4, RC4 with 40 bits',
    { version: 4, revision: 4, keyBytes: 5, method: 'rc4', dictionary: filters('V2', 5) },
    'rc4',
  ],
  [
    'V4, R4, AES',
    { version: 4, revision: 4, keyBytes: 16, method: 'aes', dictionary: filters('AESV2', 16) },
    'aes-128',
  ],
  [
    'V4, R4, AES, cleartext metadata',
    {
      version: 4,
      revision: 4,
      keyBytes: 16,
      method: 'aes',
      dictionary: filters('AESV2', 16),
      encryptMetadata: false,
    },
    'aes-128',
  ],
  [
    'V4, R4, streams in clear',
    {
      version: 4,
      revision: 4,
      keyBytes: 16,
      method: 'aes',
      dictionary: filters('AESV2', 16).replace('/StmF/StdCF', '/StmF/Identity'),
      plainStreams: true,
    },
    'mixed',
  ],
  [
    'V4, R4, strings in clear',
    {
      version: 4,
      revision: 4,
      keyBytes: 16,
      method: 'rc4',
      dictionary: filters('V2', 16).replace('/StrF/StdCF', ''),
      plainStrings: true,
    },
    'mixed',
  ],
]);

describe('recrypt: what other writers made', () => {
  for (const [name, options, encryption] of documents) {
    it(name, async () => {
      const locked = buildEncrypted(options);
      for (const password of ['user', 'owner']) {
        const info = pdfEncryption(locked, { password });
        assert.deepStrictEqual(
          [info.version, info.revision, info.keyBits, info.opensAs, info.encryption, info.p],
          [options.version, options.revision, options.keyBytes * 8, password, encryption, -3904],
        );
        for (const more of [{}, { linearize: true }, { objectStreams: 'disable' }]) {
          const plain = recrypt(locked, /** @type {any} */ ({ password, ...more }));
          assert.match(plain.toString('latin1'), /\(a secret\)|<6120736563726574>/);
          assert.match(plain.toString('latin1'), /stream\nmore secrets\n?endstream/);
        }
      }
      await assert.rejects(recryptAsync(locked, { password: 'wrong' }), {
        code: 'ERR_OFFLOOP_PDF_PASSWORD',
      });
      assert.strictEqual(pdfEncryption(locked).opensAs, null);
    });
  }

  it('what is not known is named', async () => {
    const standard = { o: Buffer.alloc(48, 1), u: Buffer.alloc(48, 2), key: Buffer.alloc(32, 3) };
    const entries = `/O${hex(standard.o)}/U${hex(standard.u)}/P -4`;
    for (const [dictionary, named] of /** @type {[string, RegExp][]} */ ([
      ['/Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s5/V 4/CF<<>>/Recipients[]', /Adobe\.PubSec/],
      ['/Filter/Foxit.Secret/V 1/R 2', /Foxit\.Secret/],
      [`/Filter/Standard/V 6/R 7${entries}`, /V 6.*R 7/],
      [`/Filter/Standard/V 3/R 3${entries}`, /V 3.*R 3/],
    ])) {
      const bytes = buildPdf({ ...PAGES, 10: '(x)' }, `/ID[(a)(a)]/Encrypt<<${dictionary}>>`);
      const expected = { code: 'ERR_OFFLOOP_PDF_UNSUPPORTED', message: named };
      assert.throws(() => recrypt(bytes, { password: 'x' }), expected);
      assert.throws(() => pdfEncryption(bytes), expected);
      await assert.rejects(recryptAsync(bytes, { userPassword: 'u' }), expected);
    }
  });

  it('a broken encryption dictionary is damage, or a password that never fits', () => {
    for (const dictionary of [
      '',
      '/Filter/Standard',
      '/Filter/Standard/V 2/R 3',
      '/Filter/Standard/V 2/R 3/O(x)/U(y)/P -4',
      '/Filter/Standard/V 5/R 6/O(x)/U(y)/P -4',
      '/Filter/Standard/V 5/R 6/O(x)/U(y)/OE()/UE()/Perms()/P -4',
      '/Filter/Standard/V 5/R 2/O(x)/U(y)/OE()/UE()/Perms()/P -4',
      '/Filter/Standard/V 4/R 4/O(x)/U(y)/P 4294967292/CF 5/StmF 3/StrF[]',
    ]) {
      const bytes = buildPdf({ ...PAGES, 10: '(x)' }, `/Encrypt<<${dictionary}>>`);
      assert.throws(() => recrypt(bytes), {
        code: /^ERR_OFFLOOP_PDF_(DAMAGED|PASSWORD|UNSUPPORTED)$/,
      });
    }
  });
});
