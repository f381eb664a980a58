'use strict';

/** Scripts in processes of their own, for what a process does when it ends. */

const { spawn } = require('node:child_process');
const path = require('node:path');

const root = path.join(__dirname, '..', '..');

/** How many times as long things may take, under a sanitizer for instance. */
const SLOWNESS = Number(process.env.OFFLOOP_SLOWNESS ?? 1);

/**
 * @typedef {object} Outcome
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} milliseconds
 */

/**
 * Runs a script with `offloop` and `root` at hand, and waits for its end. One that does not end is
 * killed, which its outcome's signal then tells.
 * @param {string} source
 * @param {{ flags?: string[], env?: Record<string, string>, timeout?: number }} [options]
 * @returns {Promise<Outcome>}
 */
function runScript(source, { flags = [], env = {}, timeout = 60_000 } = {}) {
  const preamble = `const root = ${JSON.stringify(root)}; const offloop = require(root);\n`;
  return runBare(preamble + source, { flags, env, timeout });
}

/**
 * The same without a preamble.
 * @param {string} source
 * @param {{ flags?: string[], env?: Record<string, string>, timeout?: number }} [options]
 * @returns {Promise<Outcome>}
 */
function runBare(source, { flags = [], env = {}, timeout = 60_000 } = {}) {
  const start = process.hrtime.bigint();
  const child = spawn(process.execPath, [...flags, '-e', source], {
    cwd: root,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), timeout * SLOWNESS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const milliseconds = Number((process.hrtime.bigint() - start) / 1_000_000n);
      resolve({ code, signal, stdout, stderr, milliseconds });
    });
  });
}

module.exports = { SLOWNESS, root, runBare, runScript };
