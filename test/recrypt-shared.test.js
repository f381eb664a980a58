'use strict';

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');

const { pdfEncryption, recrypt, recryptAsync } = require('..');
const { qpdfCheck, run, scratch } = require('./helpers/pdf');

const shared = path.join(__dirname, '..', '..', 'shared', 'pdf');
const manifest = path.join(shared, 'manifest.json');
const skip = !fs.existsSync(manifest) && `no ${manifest}`;
const directory = scratch('shared');

/** @typedef {{ file: string, password: string, encrypted: boolean, revision: number | null, opensAs: string | null, expect: string }} Row */

/** @type {Row[]} */
const rows = skip === false ? JSON.parse(fs.readFileSync(manifest, 'utf8')) : [];

/** Streams that do not decode are no matter of ours, and pass through. */
const UNSOUND = new Set(['damaged-stream.pdf']);

/**
 * @param {Row} row
 * @param {any} options
 */
function outcomeOf({ file, password }, options) {
  const target = path.join(directory, 'out.pdf');
  fs.rmSync(target, { force: true });
  try {
    const { repaired, warnings } = recrypt(path.join(shared, file), target, {
      password,
      ...options,
    });
    assert.strictEqual(repaired && warnings.length === 0, false);
    return repaired ? 'repaired' : 'ok';
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    assert.match(`${code}`, /^ERR_OFFLOOP_PDF_(PASSWORD|DAMAGED)$/);
    assert.ok(!fs.existsSync(target));
    return /** @type {string} */ (code).slice('ERR_OFFLOOP_PDF_'.length).toLowerCase();
  }
}

/** @param {string[]} args */
const textOf = (args) => run('pdftotext', [...args, '-'], [0, 1, 3]);

describe('documents of the qpdf project', { skip }, () => {
  for (const row of rows) {
    const { file, password, expect } = row;
    it(`${file} with ${password.length} characters of password`, async () => {
      const source = path.join(shared, file);
      if (expect !== 'damaged') {
        const info = pdfEncryption(source, { password });
        assert.strictEqual(info.encrypted, row.encrypted);
        assert.strictEqual(info.revision, row.revision);
        assert.strictEqual(info.opensAs, row.opensAs);
      }
      const target = path.join(directory, 'out.pdf');
      const plain = path.join(directory, 'plain.pdf');
      assert.strictEqual(outcomeOf(row, {}), expect);
      if (expect === 'ok' || expect === 'repaired') {
        if (!UNSOUND.has(file)) qpdfCheck(target);
        fs.renameSync(target, plain);
      }
      /** @type {string | undefined} */
      let text;
      for (const options of [
        { userPassword: 'u' },
        { userPassword: 'u', version: 14, linearize: true },
        { userPassword: 'u', version: 10, objectStreams: 'generate' },
      ]) {
        const outcome = outcomeOf(row, options);
        assert.strictEqual(outcome, expect);
        if (outcome !== 'ok' && outcome !== 'repaired') continue;
        if (!UNSOUND.has(file)) qpdfCheck(target, 'u');
        text ??= textOf([plain]);
        assert.strictEqual(textOf(['-upw', 'u', target]), text);
      }
      const strict = outcomeOf(row, { strict: true });
      // What must be repaired before its password can be tried is damaged first.
      if (expect === 'password') {
        assert.match(strict, /password|damaged/);
      } else {
        assert.strictEqual(strict, expect === 'repaired' ? 'damaged' : expect);
      }
      const bytes = fs.readFileSync(source);
      const again = await recryptAsync(bytes, { password }).then(
        () => 'ok',
        (/** @type {any} */ error) => error.code,
      );
      assert.strictEqual(again === 'ok', expect === 'ok' || expect === 'repaired');
    });
  }

  it('a signed document: its bytes survive, and a warning tells', () => {
    const source = path.join(shared, 'digitally-signed.pdf');
    /** @type {string[]} */
    const seen = [];
    const { warnings, repaired } = recrypt(source, path.join(directory, 'signed.pdf'), {
      userPassword: 'u',
      onWarning: (/** @type {string} */ warning) => seen.push(warning),
    });
    assert.deepStrictEqual(seen, warnings);
    assert.match(warnings.join(), /signed/);
    assert.strictEqual(repaired, false);
    const contents = /\/Contents\s*<([0-9a-f]{1000,})>/i;
    const before = contents.exec(fs.readFileSync(source, 'latin1'))?.[1];
    const after = contents.exec(fs.readFileSync(path.join(directory, 'signed.pdf'), 'latin1'))?.[1];
    assert.ok(before !== undefined);
    assert.strictEqual(after?.toLowerCase(), before.toLowerCase());
  });
});
