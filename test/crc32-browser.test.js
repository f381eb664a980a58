'use strict';

/** `offloop/crc32` as a browser gets it: bundled, then run in a real one. */

const assert = require('node:assert');
const { randomBytes } = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { builtinModules } = require('node:module');
const { test } = require('node:test');

const esbuild = require('esbuild');
const { chromium } = require('playwright-core');

const { crc32 } = require('..');

const root = path.join(__dirname, '..');

const PAGE = `
  import { crc32, crc32Backend, portableCrc32 } from 'offloop/crc32';
  const data = await (await fetch('/data')).arrayBuffer();
  const half = new Uint8Array(data, 0, 50000);
  const errors = [];
  for (const wrong of [() => crc32(1), () => crc32('', -1)]) {
    try { wrong(); } catch (error) { errors.push(error.code); }
  }
  document.title = JSON.stringify({
    backend: crc32Backend,
    size: data.byteLength,
    whole: crc32(data),
    continued: portableCrc32(new DataView(data, 50000), crc32(half)),
    text: crc32('häß€𝄞'),
    errors,
  });
`;

async function bundle() {
  const result = await esbuild.build({
    stdin: { contents: PAGE, resolveDir: root },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return { code: result.outputFiles[0].text, inputs: Object.keys(result.metafile.inputs) };
}

/** Loopback only; gone with the test. */
async function serve(t, routes) {
  const server = http.createServer((request, response) => {
    const route = routes[request.url];
    if (route === undefined) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': route.type }).end(route.body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

const browser = [
  process.env.CHROMIUM_PATH,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((file) => file && fs.existsSync(file));

test('a bundle for browsers asks for nothing of Node', async () => {
  const { code, inputs } = await bundle();
  assert.doesNotMatch(code, /\bnode:/);
  for (const name of builtinModules) {
    assert.ok(!code.includes(`require("${name}")`) && !code.includes(`from "${name}"`), name);
  }
  assert.deepStrictEqual(inputs.filter((input) => input !== '<stdin>').sort(), [
    'lib/crc32-browser.js',
    'lib/crc32-portable.js',
    'lib/errors.js',
    'lib/options.js',
    'lib/signals.js',
  ]);
});

const skip = browser === undefined && 'no Chromium found (Debian: apt-get install chromium)';

test('it sums in Chromium what it sums here', { skip, timeout: 120_000 }, async (t) => {
  const data = randomBytes(1_000_003);
  const { code } = await bundle();
  const url = await serve(t, {
    '/': {
      type: 'text/html',
      body: '<!doctype html><title></title><script type="module" src="/page.js"></script>',
    },
    '/page.js': { type: 'text/javascript', body: code },
    '/data': { type: 'application/octet-stream', body: data },
    '/favicon.ico': { type: 'image/x-icon', body: '' },
  });
  // Its own sandbox needs privileges that containers lack; the page is ours alone.
  const chrome = await chromium.launch({ executablePath: browser, args: ['--no-sandbox'] });
  t.after(() => chrome.close());
  const page = await chrome.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  await page.waitForFunction(() => globalThis.document.title !== '', null, { timeout: 30_000 });
  assert.deepStrictEqual(complaints, []);
  assert.deepStrictEqual(JSON.parse(await page.title()), {
    backend: 'portable',
    size: data.length,
    whole: crc32(data),
    continued: crc32(data),
    text: crc32('häß€𝄞'),
    errors: ['ERR_INVALID_ARG_TYPE', 'ERR_OUT_OF_RANGE'],
  });
});
