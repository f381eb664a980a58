'use strict';

/**
 * Where the addon cannot run, it says so in one sentence, and offloop/crc32 works all the same.
 */

const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, describe, it } = require('node:test');

const root = path.join(__dirname, '..');

/** @type {string} */
let folder;
before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-load-'));
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

/**
 * What loading offloop, then offloop/crc32, comes to in a process of its own.
 *
 * @param {{ node?: string, flags?: string[], prelude?: string, package?: string }} options
 */
function load({ node = process.execPath, flags = [], prelude = '', package: name = root } = {}) {
  const script = `
    ${prelude}
    const outcome = {};
    try {
      require(process.argv[1]);
    } catch (error) {
      outcome.code = error.code;
      outcome.message = error.message;
    }
    const { crc32, crc32Backend } = require(process.argv[1] + '/lib/crc32.js');
    outcome.backend = crc32Backend;
    outcome.sum = crc32('123456789');
    console.log(JSON.stringify(outcome));`;
  const child = spawnSync(node, [...flags, '-e', script, name], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.strictEqual(child.status, 0, `${child.signal} ${child.stderr}`);
  return JSON.parse(child.stdout);
}

/**
 * @param {ReturnType<typeof load>} outcome
 * @param {RegExp} message
 */
function assertRefused(outcome, message) {
  assert.strictEqual(outcome.code, 'ERR_OFFLOOP_LOAD');
  assert.match(outcome.message, message);
  assert.notStrictEqual(outcome.backend, 'native');
  assert.strictEqual(outcome.sum, 0xcbf43926);
}

/**
 * A copy of the package's JavaScript, whose only binary is what `binary` says.
 *
 * @param {string | undefined} binary
 */
function packageWith(binary) {
  const copy = fs.mkdtempSync(path.join(folder, 'package-'));
  fs.cpSync(path.join(root, 'lib'), path.join(copy, 'lib'), { recursive: true });
  fs.copyFileSync(path.join(root, 'package.json'), path.join(copy, 'package.json'));
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'), 'junction');
  if (binary !== undefined) {
    const place = path.join(copy, 'prebuilds', `${process.platform}-${process.arch}`);
    fs.mkdirSync(place, { recursive: true });
    fs.writeFileSync(path.join(place, 'offloop.node'), binary);
  }
  return copy;
}

/**
 * A copy of this Node in whose table of symbols `symbol` bears another name, so that no addon finds
 * it; undefined where this Node has it from a library.
 *
 * @param {string} symbol
 */
function nodeWithout(symbol) {
  const bytes = fs.readFileSync(process.execPath);
  const name = Buffer.from(`\0${symbol}\0`);
  let renamed = 0;
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
    bytes[at + symbol.length] ^= 1;
    renamed++;
  }
  if (renamed === 0) return undefined;
  const copy = path.join(folder, `node-without-${symbol}`);
  fs.writeFileSync(copy, bytes, { mode: 0o755 });
  return copy;
}

describe('loading', () => {
  it('takes the native code where it can', () => {
    const outcome = load();
    assert.deepStrictEqual(outcome, { backend: 'native', sum: 0xcbf43926 });
  });

  for (const [key, name] of Object.entries({ bun: 'Bun', deno: 'Deno', electron: 'Electron' })) {
    it(`refuses ${name}, before it touches the binary`, () => {
      const prelude = `
        Object.defineProperty(process.versions, '${key}', { value: '1.0.0' });
        process.dlopen = () => process.abort();`;
      assertRefused(
        load({ prelude }),
        new RegExp(`^offloop runs on Node.js only: ${name} .*here\\.$`),
      );
    });
  }

  for (const version of ['1.1.1w', '0.0.0', undefined]) {
    it(`refuses a Node with ${version === undefined ? 'no OpenSSL' : `OpenSSL ${version}`}`, () => {
      const prelude = `
        const versions = { ...process.versions, openssl: ${JSON.stringify(version)} };
        Object.defineProperty(process, 'versions', { value: versions });
        process.dlopen = () => process.abort();`;
      assertRefused(load({ prelude }), /^offloop needs a Node\.js with OpenSSL 3; this one has /);
    });
  }

  for (const symbol of ['EVP_CIPHER_fetch', 'uv_queue_work']) {
    it(`refuses a Node that hides ${symbol}`, { skip: process.platform !== 'linux' }, (t) => {
      const node = nodeWithout(symbol);
      if (node === undefined) return t.skip(`this Node has ${symbol} from a library`);
      assertRefused(
        load({ node }),
        new RegExp(`this Node\\.js, which hides "${symbol}" from addons`),
      );
    });
  }

  it('says how to build where there is no binary', () => {
    const outcome = load({ package: packageWith(undefined) });
    assertRefused(outcome, /has no binary for \w+-\w+\. Build one with "npx node-gyp rebuild" in /);
  });

  it('says what is wrong with a binary that does not load', () => {
    const outcome = load({ package: packageWith('nothing like a library') });
    assertRefused(outcome, /offloop\.node does not load: .*Build one with "npx node-gyp rebuild"/s);
  });

  it('passes on what Node says where addons are not allowed', () => {
    const outcome = load({ flags: ['--no-addons'] });
    assert.strictEqual(outcome.code, 'ERR_DLOPEN_DISABLED');
    assert.notStrictEqual(outcome.backend, 'native');
  });
});
