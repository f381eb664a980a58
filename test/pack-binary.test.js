'use strict';

/** What the prebuilt binary gives and takes. Skipped where `npm run prebuild` has not run. */

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');

const root = path.join(__dirname, '..');
const binary = path.join(root, 'prebuilds', 'linux-x64', 'offloop.node');

/** The newest glibc that the binary may ask for: what Node's own releases need. */
const GLIBC_FLOOR = [2, 28];

/** Its size, so that a library that comes in unnoticed is noticed. */
const SIZE_MAX = 3_000_000;

/**
 * @param {string} command
 * @param {string[]} args
 */
const read = (command, ...args) =>
  execFileSync(command, [...args, binary], { encoding: 'utf8', maxBuffer: 2 ** 26 });

const skip = fs.existsSync(binary)
  ? false
  : 'there is no prebuilt binary; npm run prebuild makes it';

describe('the prebuilt binary', { skip }, () => {
  it('exports the entry point of a module, and nothing else', () => {
    const names = read('nm', '-D', '--defined-only')
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[2]);
    assert.deepStrictEqual(names.sort(), [
      'napi_register_module_v1',
      'node_api_module_get_api_version_v1',
    ]);
  });

  it('needs no library but those of glibc', () => {
    const needed = [...read('readelf', '-d').matchAll(/\(NEEDED\).*\[(.*)\]/g)];
    assert.ok(needed.length > 0);
    for (const [, library] of needed) assert.match(library, /^(lib[cm]\.so\.6|ld-linux-.*)$/);
    assert.doesNotMatch(read('ldd'), /qpdf|jpeg|libz|stdc\+\+|gcc_s|crypto|not found/);
  });

  it('runs with an old glibc', () => {
    const versions = [...read('objdump', '-T').matchAll(/GLIBC_(\d+)\.(\d+)[^ ]* +(\w+)/g)];
    assert.ok(versions.length > 50);
    const newer = versions.filter(
      ([, major, minor]) =>
        Number(major) > GLIBC_FLOOR[0] || (Number(major) === 2 && Number(minor) > GLIBC_FLOOR[1]),
    );
    assert.deepStrictEqual(
      newer.map(([text]) => text),
      [],
    );
  });

  it('finds all its functions when it is loaded, and stays loaded', () => {
    const flags = read('readelf', '-d');
    assert.match(flags, /\bNOW\b/);
    assert.match(flags, /\bNODELETE\b/);
  });

  it('is stripped, small, and tells nothing of where it was built', () => {
    assert.doesNotMatch(read('readelf', '-S'), /\.symtab|\.debug_/);
    assert.ok(fs.statSync(binary).size < SIZE_MAX);
    const text = fs.readFileSync(binary, 'latin1');
    for (const folder of [root, path.join(root, '.cache'), process.env.HOME ?? root]) {
      if (folder.length > 5) assert.ok(!text.includes(folder), folder);
    }
  });

  it('comes with the licences of what is in it', () => {
    const notice = fs.readFileSync(path.join(root, 'NOTICE'), 'utf8');
    assert.match(notice, /Jay Berkenbilt/);
    assert.match(notice, /Apache License\s+Version 2\.0/);
    assert.match(notice, /based in part on the work of the Independent JPEG Group/);
    assert.match(notice, /D\. R\. Commander/);
  });
});
