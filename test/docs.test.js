'use strict';

/**
 * Every JavaScript example in the documents runs as it stands, in a folder where `offloop` is
 * installed and `report.pdf` is there. What follows `// →` is what it prints, in order. Blocks
 * marked `js no-run` are left out.
 */

const assert = require('node:assert');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, describe, it } = require('node:test');

const { writePdf } = require('../fixtures/pdf.js');

const root = path.join(__dirname, '..');
const docs = path.join(root, 'docs');
const documents = [
  path.join(root, 'README.md'),
  ...fs
    .readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(docs, name)),
];

/** @param {string} text */
function examplesIn(text) {
  return [...text.matchAll(/^```js([^\n]*)\n([\s\S]*?)^```$/gm)]
    .filter(([, info]) => !info.includes('no-run'))
    .map((match) => ({
      code: match[2],
      line: text.slice(0, match.index).split('\n').length,
    }));
}

/**
 * @param {string} file
 * @param {string} cwd
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
function run(file, cwd) {
  const child = spawn(process.execPath, [file], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

describe('documents', () => {
  /** @type {string} */
  let folder;
  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-docs-'));
    fs.mkdirSync(path.join(folder, 'node_modules'));
    fs.symlinkSync(root, path.join(folder, 'node_modules', 'offloop'), 'junction');
  });
  after(() => fs.rmSync(folder, { recursive: true, force: true }));

  for (const document of documents) {
    const name = path.relative(root, document);
    const text = fs.readFileSync(document, 'utf8');

    for (const { code, line } of examplesIn(text)) {
      it(`${name}:${line} runs and prints what it says`, async () => {
        const cwd = fs.mkdtempSync(path.join(folder, 'example-'));
        writePdf('features', path.join(cwd, 'report.pdf'));
        const file = path.join(cwd, /^import /m.test(code) ? 'example.mjs' : 'example.cjs');
        fs.writeFileSync(file, code);
        const result = await run(file, cwd);
        assert.strictEqual(result.code, 0, result.stderr);
        const promised = [...code.matchAll(/\/\/ → (.*)$/gm)].map((match) => match[1]);
        if (promised.length > 0) assert.strictEqual(result.stdout.trim(), promised.join('\n'));
      });
    }

    it(`${name} links to what is there`, () => {
      for (const [, target] of text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)) {
        assert.ok(fs.existsSync(path.join(path.dirname(document), target)), target);
      }
    });
  }

  it('the README has examples', () => {
    assert.ok(examplesIn(fs.readFileSync(documents[0], 'utf8')).length >= 4);
  });
});
