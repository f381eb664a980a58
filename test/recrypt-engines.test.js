'use strict';

/**
 * Both engines, on the same documents: encrypted in each way and decrypted again, a document holds
 * what it held. Tells which share the fast engine took.
 *
 * OFFLOOP_TEST_VARIED sets how many of the varied documents are tried.
 */

const assert = require('node:assert');
const crypto = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');

const { recrypt, recryptAsync } = require('..');
const { kinds, makePdf } = require('../fixtures/pdf');
const { variedPdf } = require('../fixtures/varied-pdf');
const { readContents, scratch } = require('./helpers/pdf');
const { buildPdf, PAGES } = require('./helpers/pdf-builder');
const { engineCounts, withEngine } = require('./helpers/pdf-engine');

/** @typedef {import('./helpers/pdf-engine').Engine} Engine */

const VARIED = Number(process.env.OFFLOOP_TEST_VARIED ?? 40);
const ENCRYPTIONS = /** @type {const} */ (['aes-256', 'aes-128', 'rc4-128', 'rc4-40']);
const ENGINES = /** @type {const} */ (['fast', 'qpdf']);

/** Of what is larger, each engine reads only its own, and not every encryption: it takes time. */
const LARGE = 1 << 20;

const directory = scratch('engines');
const shared = path.join(__dirname, '..', '..', 'shared', 'pdf');
const manifest = path.join(shared, 'manifest.json');
const skip = !fs.existsSync(manifest) && `no ${manifest}`;

/** The catalog names the extension that AES-256 is in PDF 1.7. @param {any[]} contents */
const withoutExtensions = (contents) =>
  contents.map((each) => {
    const value = each?.value;
    if (value?.['/Type'] !== '/Catalog') return each;
    const { '/Extensions': _extensions, ...rest } = value;
    return { ...each, value: rest };
  });

/**
 * Which streams had a crypt filter of their own is a matter of the encryption, and goes with it.
 * @param {any} each
 */
function withoutCrypt(each) {
  const dict = each?.stream?.dict;
  if (dict === undefined) return each;
  const { '/Filter': given = [], '/DecodeParms': parameters, ...rest } = dict;
  const filters = [given].flat();
  const kept = [...filters.keys()].filter((i) => filters[i] !== '/Crypt');
  const left = kept.map((i) => [parameters].flat()[i] ?? null);
  const names = { ...rest, '/Filter': kept.map((i) => filters[i]), '/DecodeParms': left };
  return { ...each, stream: { ...each.stream, dict: names } };
}

/** Without the half of /ID that is new each time. @param {Buffer} bytes */
const withoutId = (bytes) =>
  bytes.toString('latin1').replace(/(\/ID ?\[ ?<[^>]*> ?)<[0-9a-f]*>/g, '$1');

/**
 * What a document holds, as text. Many results differ in /ID alone: qpdf need read them only once.
 * @param {Buffer} bytes
 * @param {string} password
 * @param {Map<string, Promise<string>>} known
 */
function contentsOnce(bytes, password, known) {
  const digest = crypto.createHash('sha256').update(withoutId(bytes)).digest('hex');
  let contents = known.get(digest);
  if (contents === undefined) {
    const file = path.join(directory, `${digest}.pdf`);
    fs.writeFileSync(file, bytes);
    contents = readContents(file, password)
      .then((each) => JSON.stringify(withoutExtensions(each).map(withoutCrypt)))
      .finally(() => fs.rmSync(file));
    known.set(digest, contents);
  }
  return contents;
}

/**
 * @param {Engine} engine
 * @param {Buffer} source
 * @param {import('..').RecryptOptions} options
 * @returns {Buffer | undefined} undefined where the fast engine steps aside
 */
function recryptWith(engine, source, options) {
  return withEngine(engine, () => {
    try {
      return recrypt(source, options);
    } catch (error) {
      const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code !== 'ERR_OFFLOOP_PDF_UNSUPPORTED' || !/fast engine/.test(message)) throw error;
      return undefined;
    }
  });
}

/**
 * Source to each encryption and back with each engine; for one encryption, whose turn it is, also
 * back with the other engine, and on to the next encryption.
 * @param {Buffer} source
 * @param {string} password
 * @param {number} turn
 * @returns {Promise<boolean>} whether the fast engine took all
 */
async function prove(source, password, turn) {
  /** @type {Map<string, Promise<string>>} */
  const known = new Map();
  const expected = await contentsOnce(source, password, known);
  const results = [];
  let taken = true;
  for (const engine of ENGINES) {
    const opened = { password };
    for (const [i, encryption] of ENCRYPTIONS.entries()) {
      if (source.length > LARGE && i % 2 === 1) continue;
      const secrets = { userPassword: 'user', ownerPassword: 'owner', encryption };
      const encrypted = recryptWith(engine, source, { ...opened, ...secrets });
      taken &&= encrypted !== undefined;
      if (encrypted === undefined) continue;
      // Whatever the fast engine has written is clean.
      const deeply = source.length < LARGE && i === turn % ENCRYPTIONS.length;
      const readers = deeply ? ENGINES : [engine];
      for (const reader of readers) {
        const plain = recryptWith(reader, encrypted, { password: 'user' });
        if (engine === 'fast') assert.ok(plain !== undefined, 'it does not take its own');
        if (plain !== undefined) results.push(plain);
      }
      if (!deeply) continue;
      const next = { password: 'owner', userPassword: 'u', encryption: ENCRYPTIONS[(i + 1) % 4] };
      const changed = recryptWith(engine, encrypted, next);
      if (changed === undefined) assert.notStrictEqual(engine, 'fast');
      else results.push(/** @type {Buffer} */ (recryptWith(engine, changed, { password: 'u' })));
    }
  }
  assert.ok(results.length >= 2);
  const contents = await Promise.all(results.map((each) => contentsOnce(each, '', known)));
  for (const each of new Set(contents)) {
    // Only what differs is worth a comparison that can tell where.
    if (each !== expected) assert.deepStrictEqual(JSON.parse(each), JSON.parse(expected));
  }
  return taken;
}

describe('recrypt: both engines', () => {
  for (const kind of kinds) {
    it(`fixture ${kind}`, async () => {
      const source = makePdf(kind, kind === 'images' ? { copies: 1 } : {});
      assert.ok(await prove(source, '', 0), 'a clean document that the fast engine does not take');
    });
  }

  it(`${VARIED} varied documents`, async (t) => {
    let taken = 0;
    for (let seed = 1; seed <= VARIED; seed++) {
      const took = await prove(variedPdf(seed), '', seed).catch((error) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
      taken += took ? 1 : 0;
    }
    t.diagnostic(`the fast engine took ${taken} of ${VARIED}`);
    assert.strictEqual(taken, VARIED);
  });

  it('documents of the qpdf project', { skip }, async (t) => {
    /** @type {{ file: string, password: string, expect: string }[]} */
    const rows = JSON.parse(fs.readFileSync(manifest, 'utf8'));
    const left = [];
    const clean = rows.filter(({ expect }) => expect === 'ok');
    for (const [i, { file, password }] of clean.entries()) {
      const took = await prove(fs.readFileSync(path.join(shared, file)), password, i).catch(
        (error) => {
          throw new Error(file, { cause: error });
        },
      );
      if (!took) left.push(file);
    }
    t.diagnostic(`the fast engine took ${clean.length - left.length} of ${clean.length}`);
    if (left.length > 0) t.diagnostic(`left to libqpdf: ${left.join(', ')}`);
    for (const { file, password, expect } of rows.filter((row) => row.expect === 'repaired')) {
      const source = fs.readFileSync(path.join(shared, file));
      assert.strictEqual(
        recryptWith('fast', source, { password }),
        undefined,
        `${file}: ${expect}`,
      );
    }
  });
});

describe('recrypt: which engine', () => {
  const plain = buildPdf({ ...PAGES, 10: '(text)' });

  /** @param {() => void} body */
  function counted(body) {
    const before = engineCounts();
    withEngine('auto', body);
    const after = engineCounts();
    return { fast: after.fast - before.fast, qpdf: after.qpdf - before.qpdf };
  }

  it('a clean document goes to the fast one, in every form', async () => {
    const target = path.join(directory, 'clean.pdf');
    assert.deepStrictEqual(
      counted(() => {
        recrypt(plain, { userPassword: 'u' });
        recrypt(plain, target, { userPassword: 'u' });
        recrypt(target, { password: 'u' });
      }),
      { fast: 3, qpdf: 0 },
    );
    const before = engineCounts();
    await withEngine('auto', () => recryptAsync(plain, { userPassword: 'u' }));
    const after = engineCounts();
    assert.strictEqual(after.fast + after.qpdf, before.fast + before.qpdf + 1);
  });

  it('what only libqpdf does goes there', () => {
    const damaged = Buffer.from(plain);
    damaged.write('x', damaged.lastIndexOf('startxref'));
    for (const body of [
      () => recrypt(plain, { linearize: true }),
      () => recrypt(plain, { objectStreams: 'generate' }),
      () => recrypt(plain, { objectStreams: 'disable' }),
      () => recrypt(damaged, {}),
    ]) {
      assert.deepStrictEqual(counted(body), { fast: 0, qpdf: 1 });
      assert.throws(() => withEngine('fast', body), { code: 'ERR_OFFLOOP_PDF_UNSUPPORTED' });
    }
  });

  it('reports are the same', () => {
    const target = path.join(directory, 'report.pdf');
    for (const engine of ENGINES) {
      withEngine(engine, () => {
        const report = recrypt(plain, target, { userPassword: 'u', strict: true });
        assert.deepStrictEqual(report, {
          bytesWritten: fs.statSync(target).size,
          repaired: false,
          warnings: [],
        });
      });
    }
  });

  it('a wrong password is one whoever looks', () => {
    const secret = recrypt(plain, { userPassword: 'u' });
    for (const engine of /** @type {const} */ (['auto', 'qpdf'])) {
      withEngine(engine, () => {
        assert.throws(() => recrypt(secret, { password: 'v' }), {
          code: 'ERR_OFFLOOP_PDF_PASSWORD',
        });
      });
    }
  });

  it('an engine that does not exist is refused', () => {
    assert.throws(() => withEngine(/** @type {any} */ ('other'), () => {}), RangeError);
  });
});
