'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');
const { pathToFileURL } = require('node:url');

const { pdfEncryption, pdfEncryptionAsync, recrypt, recryptAsync } = require('..');
const { makePdf, pdfPath } = require('../fixtures/pdf');
const { forms } = require('./helpers/forms');
const { contentsOf, openWithMupdf, qpdfCheck, run, scratch } = require('./helpers/pdf');

const directory = scratch('recrypt');
const encryptions = ['aes-256', 'aes-128', 'rc4-128', 'rc4-40'];
const kinds = ['features', 'object-streams', 'hybrid', 'incremental', 'small'];
/** /V and /R. @type {Record<string, [number, number]>} */
const revisions = { 'aes-256': [5, 6], 'aes-128': [4, 4], 'rc4-128': [2, 3], 'rc4-40': [1, 2] };

/** @param {string} name @param {Uint8Array} bytes */
function save(name, bytes) {
  const file = path.join(directory, name);
  fs.writeFileSync(file, bytes);
  return file;
}

describe('recrypt: every encryption, in every form', () => {
  for (const { form, call } of forms) {
    for (const encryption of encryptions) {
      it(`${form}: ${encryption}, from bytes to bytes, and back`, async () => {
        const plain = makePdf('features');
        const passwords = { userPassword: 'user', ownerPassword: 'owner' };
        const locked = await call('recrypt', [plain], { ...passwords, encryption });
        assert.ok(Buffer.isBuffer(locked));
        for (const opensAs of ['user', 'owner']) {
          const info = await call('pdfEncryption', [locked], { password: opensAs });
          const [version, revision] = revisions[encryption];
          assert.deepStrictEqual(
            [info.encrypted, info.version, info.revision, info.opensAs],
            [true, version, revision, opensAs],
          );
          const opened = await call('recrypt', [locked], { password: opensAs });
          assert.strictEqual((await call('pdfEncryption', [opened])).encrypted, false);
        }
        await assert.rejects(call('recrypt', [locked], { password: 'wrong' }), {
          code: 'ERR_OFFLOOP_PDF_PASSWORD',
        });
        await assert.rejects(call('recrypt', [locked]), { code: 'ERR_OFFLOOP_PDF_PASSWORD' });
      });
    }

    it(`${form}: paths and URLs`, async () => {
      const source = pdfPath('small');
      const target = path.join(directory, 'paths.pdf');
      for (const [from, to] of [
        [source, target],
        [pathToFileURL(source), pathToFileURL(target)],
        [fs.readFileSync(source), target],
      ]) {
        fs.rmSync(target, { force: true });
        const report = await call('recrypt', [from, to], { userPassword: 'u' });
        assert.deepStrictEqual(report, {
          bytesWritten: fs.statSync(target).size,
          repaired: false,
          warnings: [],
        });
        assert.strictEqual(pdfEncryption(target, { password: 'u' }).opensAs, 'both');
      }
      const bytes = await call('recrypt', [pathToFileURL(target)], { password: 'u' });
      assert.ok(Buffer.isBuffer(bytes));
    });
  }
});

describe('recrypt: what other readers find', () => {
  for (const kind of kinds) {
    it(`${kind}: contents survive every encryption, and its removal`, async () => {
      const source = pdfPath(kind);
      const before = withoutExtensions(contentsOf(source));
      const text = run('pdftotext', [source, '-']);
      for (const encryption of encryptions) {
        const target = path.join(directory, `${kind}-${encryption}.pdf`);
        recrypt(source, target, { userPassword: 'user', ownerPassword: 'owner', encryption });
        qpdfCheck(target, 'user');
        qpdfCheck(target, 'owner');
        assert.match(run('pdfinfo', ['-upw', 'user', target]), /Encrypted: +yes/);
        const opened = await openWithMupdf(fs.readFileSync(target), 'owner');
        assert.deepStrictEqual([opened?.owner, opened?.user], [true, false]);
        const opener = withoutExtensions(contentsOf(target, 'user'));
        assert.deepStrictEqual(opener, before);
        const plain = path.join(directory, `${kind}-${encryption}-plain.pdf`);
        recrypt(target, plain, { password: 'user' });
        qpdfCheck(plain);
        assert.deepStrictEqual(withoutExtensions(contentsOf(plain)), before);
        assert.strictEqual(run('pdftotext', [plain, '-']), text);
      }
    });

    it(`${kind}: contents survive a change of encryption`, () => {
      const source = pdfPath(kind);
      const before = withoutExtensions(contentsOf(source));
      for (const from of encryptions) {
        const first = recrypt(source, { userPassword: 'one', encryption: from });
        for (const to of encryptions) {
          const second = recrypt(first, {
            password: 'one',
            userPassword: 'two',
            encryption: to,
          });
          const file = save('changed.pdf', second);
          assert.deepStrictEqual(withoutExtensions(contentsOf(file, 'two')), before);
        }
      }
    });
  }

  /** The catalog names the extension that AES-256 is in PDF 1.7. @param {any[]} contents */
  function withoutExtensions(contents) {
    return contents.map((each) => {
      const value = each?.value;
      if (value?.['/Type'] !== '/Catalog') return each;
      const { '/Extensions': extensions, ...rest } = value;
      return { ...each, value: rest };
    });
  }
});

describe('recrypt: options', () => {
  const plain = makePdf('features');

  it('the PDF version is as high as the cipher needs, and as asked', () => {
    const header = (/** @type {any} */ options) =>
      recrypt(makePdf('small'), { userPassword: 'u', ...options }).toString('latin1', 0, 8);
    assert.strictEqual(header({}), '%PDF-1.7');
    assert.strictEqual(header({ version: 20 }), '%PDF-2.0');
    assert.strictEqual(header({ version: 16 }), '%PDF-1.6');
    assert.strictEqual(header({ version: 10, encryption: 'aes-256' }), '%PDF-1.7');
    assert.strictEqual(header({ version: 20, encryption: 'rc4-40' }), '%PDF-2.0');
  });

  it('version chooses the encryption as MuhammaraJS does', () => {
    const expected = new Map([
      ...[10, 11, 12, 13].map((version) => /** @type {const} */ ([version, 2])),
      ...[14, 15].map((version) => /** @type {const} */ ([version, 3])),
      ...[16, 17].map((version) => /** @type {const} */ ([version, 4])),
      ...[0, 20].map((version) => /** @type {const} */ ([version, 6])),
    ]);
    for (const [version, revision] of expected) {
      const locked = recrypt(plain, { userPassword: 'u', version: /** @type {any} */ (version) });
      assert.strictEqual(pdfEncryption(locked).revision, revision, `${version}`);
    }
  });

  it('encryptMetadata: false leaves XMP, and nothing else, in clear', async () => {
    const title = /XMP|xpacket/;
    for (const encryption of ['aes-256', 'aes-128', 'rc4-128']) {
      const locked = recrypt(plain, {
        userPassword: 'u',
        encryption: /** @type {any} */ (encryption),
        encryptMetadata: false,
      });
      assert.match(locked.toString('latin1'), title);
      const info = pdfEncryption(locked, { password: 'u' });
      assert.strictEqual(info.encryptMetadata, false);
      assert.strictEqual(info.revision, encryption === 'aes-256' ? 6 : 4);
      const file = save('clear.pdf', locked);
      qpdfCheck(file, 'u');
      assert.ok(await openWithMupdf(locked, 'u'));
      assert.doesNotMatch(recrypt(plain, { userPassword: 'u' }).toString('latin1'), title);
      assert.doesNotMatch(locked.toString('latin1'), /Helvetica\)|\(D:2/);
    }
    assert.throws(
      () => recrypt(plain, { userPassword: 'u', encryption: 'rc4-40', encryptMetadata: false }),
      { code: 'ERR_INVALID_ARG_VALUE' },
    );
  });

  it('linearize', () => {
    for (const options of [{}, { userPassword: 'u' }, { userPassword: 'u', version: 14 }]) {
      const file = path.join(directory, 'linear.pdf');
      recrypt(plain, file, /** @type {any} */ ({ ...options, linearize: true }));
      qpdfCheck(file, 'u');
      const told = run('qpdf', ['--check-linearization', '--password=u', file], [0, 3]);
      assert.match(told, /no linearization errors/);
    }
  });

  it('objectStreams', () => {
    const packed = /\/ObjStm/;
    const text = (/** @type {any} */ kind, /** @type {any} */ objectStreams) =>
      recrypt(makePdf(kind), { objectStreams }).toString('latin1');
    assert.match(text('object-streams', 'preserve'), packed);
    assert.match(text('object-streams', undefined), packed);
    assert.doesNotMatch(text('object-streams', 'disable'), packed);
    assert.match(text('features', 'generate'), packed);
    assert.doesNotMatch(text('features', 'preserve'), packed);
  });

  it('what is no target is not taken for options', () => {
    for (const second of [
      new ArrayBuffer(9),
      Buffer.alloc(9),
      Promise.resolve(),
      new WritableStream(),
    ]) {
      assert.throws(() => recrypt(plain, /** @type {any} */ (second)), {
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_TYPE',
      });
    }
  });

  it('nothing about encryption may be said without a new password', () => {
    for (const options of [
      { encryption: 'aes-256' },
      { version: 16 },
      { permissions: {} },
      { userProtectionFlag: 4 },
      { encryptMetadata: false },
      { encryption: 'aes-256', userPassword: undefined, ownerPassword: undefined },
      { userPassword: undefined },
      { password: 'x', ownerPassword: undefined },
    ]) {
      assert.throws(() => recrypt(plain, /** @type {any} */ (options)), {
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_VALUE',
      });
    }
    assert.ok(recrypt(plain, { version: /** @type {any} */ (0) }));
  });

  it('a target that is undefined or null does not mean the form without one', async () => {
    for (const target of [undefined, null, 1, true, [], Symbol('x'), plain]) {
      for (const args of [
        [plain, target],
        [plain, target, { userPassword: 'u' }],
      ]) {
        const expected = { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' };
        assert.throws(() => /** @type {any} */ (recrypt)(...args), expected);
        await assert.rejects(/** @type {any} */ (recryptAsync)(...args), expected);
      }
    }
  });

  it('onProgress never falls and ends at 1, before the promise is fulfilled', async () => {
    /** @type {number[]} */
    const fractions = [];
    const target = path.join(directory, 'progress.pdf');
    await recryptAsync(pdfPath('images'), target, {
      userPassword: 'u',
      onProgress: (/** @type {number} */ fraction) => fractions.push(fraction),
    });
    assert.strictEqual(fractions.at(-1), 1);
    assert.deepStrictEqual(
      fractions,
      [...new Set(fractions)].sort((a, b) => a - b),
    );
  });

  it('what a callback throws reaches the caller', async () => {
    const error = new Error('mine');
    const broken = makePdf('small');
    broken.fill('x', broken.lastIndexOf('startxref'));
    const onWarning = () => {
      throw error;
    };
    assert.throws(() => recrypt(broken, { onWarning }), error);
    await assert.rejects(recryptAsync(broken, { onWarning }), error);
  });
});

describe('pdfEncryption', () => {
  it('tells that a document is not encrypted', async () => {
    const info = pdfEncryption(pdfPath('small'));
    assert.strictEqual(info.encrypted, false);
    for (const [key, value] of Object.entries(info)) {
      if (key !== 'encrypted') assert.strictEqual(value, null, key);
    }
    assert.deepStrictEqual(await pdfEncryptionAsync(pdfPath('small'), { password: 'x' }), info);
  });

  it('wants no password to tell what the document says', async () => {
    const locked = recrypt(pdfPath('small'), {
      userPassword: 'u',
      ownerPassword: 'o',
      version: 16,
    });
    const { opensAs, ...rest } = pdfEncryption(locked, { password: 'u' });
    assert.strictEqual(opensAs, 'user');
    for (const options of [undefined, {}, { password: 'wrong' }, { password: '' }]) {
      const info = await pdfEncryptionAsync(locked, options);
      assert.deepStrictEqual(info, { ...rest, opensAs: null });
    }
  });

  it('a document without user password opens with none', () => {
    const locked = recrypt(pdfPath('small'), { ownerPassword: 'o' });
    assert.strictEqual(pdfEncryption(locked).opensAs, 'user');
    assert.strictEqual(pdfEncryption(locked, { password: 'o' }).opensAs, 'owner');
    const open = recrypt(pdfPath('small'), { userPassword: '', ownerPassword: '' });
    assert.strictEqual(pdfEncryption(open).opensAs, 'both');
  });
});
