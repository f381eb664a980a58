'use strict';

/** The drop-in passes the very test of the module that it stands in for. */

const assert = require('node:assert');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { describe, it } = require('node:test');

const ours = require('../lib/crypto-async');

const root = path.join(__dirname, '..');
const original = path.join(root, 'node_modules', '@ronomon', 'crypto-async');

/** Put in front of a script: whoever asks for the original's module is given ours. */
const redirect = `
  const Module = require('node:module');
  const resolve = Module._resolveFilename;
  Module._resolveFilename = function (...args) {
    const file = resolve.apply(this, args);
    return file === ${JSON.stringify(path.join(original, 'index.js'))}
      ? ${JSON.stringify(path.join(root, 'lib', 'crypto-async.js'))}
      : file;
  };
`;

/**
 * @param {string[]} args
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function run(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code, output }));
  });
}

describe('@ronomon/crypto-async', () => {
  it('has the exports of ours, and its messages', () => {
    const source = fs.readFileSync(path.join(original, 'binding.c'), 'utf8');
    const messages = Object.fromEntries(
      [...source.matchAll(/^#define (E_\w+) "(.*)"$/gm)].map(([, name, text]) => [name, text]),
    );
    const { cipher, hash, hmac, CIPHER_BLOCK_MAX, ...rest } = ours;
    assert.deepStrictEqual({ ...rest }, messages);
    assert.strictEqual(CIPHER_BLOCK_MAX, 32);
    for (const method of [cipher, hash, hmac]) assert.strictEqual(typeof method, 'function');
    assert.strictEqual(Object.keys(ours).length, 41);
  });

  it('has a test.js, which ours passes', { timeout: 300_000 }, async (context) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-original-'));
    try {
      const preload = path.join(folder, 'redirect.js');
      fs.writeFileSync(preload, redirect);
      const start = performance.now();
      const { code, output } = await run(['-r', preload, path.join(original, 'test.js')]);
      const seed = /SEED=\d+/.exec(output)?.[0];
      assert.strictEqual(code, 0, `${seed}\n${output.slice(-4000)}`);
      assert.match(output, /PASSED ALL TESTS/);
      // Each of its random cases is reported under a number; the last of them must have been seen.
      assert.match(output, /^008000 /m);
      assert.ok((output.match(/^PASS: Exception/gm) ?? []).length > 6000);
      context.diagnostic(`${Math.round(performance.now() - start)} ms, ${seed}`);
    } finally {
      fs.rmSync(folder, { recursive: true, force: true });
    }
  });
});
