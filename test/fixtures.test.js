'use strict';

const assert = require('node:assert');
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, describe, it } = require('node:test');

const { kinds, makePdf, pdfPath, writePdf } = require('../fixtures/pdf.js');

const script = path.join(__dirname, '..', 'fixtures', 'pdf.js');
const installed = (/** @type {string} */ command) => !spawnSync(command, ['--version']).error;
const needs = (/** @type {string} */ command) =>
  installed(command) ? false : `${command} is not installed`;

describe('fixtures', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-fixtures-'));
  });
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  for (const kind of kinds) {
    it(`${kind}: the same bytes in memory, in a file and from the command line`, () => {
      const bytes = makePdf(kind, { copies: 1 });
      const file = path.join(folder, `${kind}.pdf`);
      writePdf(kind, file, { copies: 1 });
      assert.ok(bytes.equals(fs.readFileSync(file)));
      execFileSync(process.execPath, [script, kind, file, '--copies', '1']);
      assert.ok(bytes.equals(fs.readFileSync(file)));
    });

    it(`${kind}: qpdf finds no fault`, { skip: needs('qpdf') }, () => {
      const result = spawnSync('qpdf', ['--check', pdfPath(kind, { copies: 1 })], {
        encoding: 'utf8',
      });
      assert.strictEqual(result.status, 0, result.stderr);
    });
  }

  it('variants of the features document read alike', { skip: needs('pdftotext') }, () => {
    const texts = ['features', 'object-streams', 'hybrid', 'incremental'].map((kind) => {
      const result = spawnSync('pdftotext', [pdfPath(kind), '-'], { encoding: 'utf8' });
      assert.strictEqual(result.stderr, '', kind);
      return result.stdout;
    });
    assert.match(texts[0], /Features page 1\nparens \(escaped\) and \(balanced\)/);
    for (const text of texts) assert.strictEqual(text, texts[0]);
  });

  it('the number of copies is the size', () => {
    const one = makePdf('images', { copies: 1 }).length;
    assert.ok(one > 7.5e6 && one < 8.5e6, String(one));
    assert.ok(Math.abs(makePdf('images', { copies: 3 }).length / one - 3) < 0.01);
  });

  it('bad kinds and numbers are refused', () => {
    assert.throws(() => makePdf('toString'), /unknown kind/);
    assert.throws(() => makePdf('images', { copies: 0 }), RangeError);
    assert.throws(() => makePdf('images', { copies: 1.5 }), RangeError);
    const result = spawnSync(process.execPath, [script, 'images'], { encoding: 'utf8' });
    assert.strictEqual(result.status, 2);
    assert.match(result.stderr, /usage: /);
  });

  it('paths are made once and kept', () => {
    const file = pdfPath('small');
    const { ino } = fs.statSync(file);
    assert.strictEqual(pdfPath('small'), file);
    assert.strictEqual(fs.statSync(file).ino, ino);
    assert.ok(fs.readFileSync(file).equals(makePdf('small')));
  });
});
