'use strict';

/** What is in examples/ does what it says. */

const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { Readable, Writable } = require('node:stream');
const { finished } = require('node:stream/promises');
const { after, before, describe, it } = require('node:test');

const { decryptFile, encryptFile } = require('../examples/encrypt-file.js');
const { ZipWriter } = require('../examples/zip.js');
const { hashFile } = require('..');

const MIB = 2 ** 20;
const examples = path.join(__dirname, '..', 'examples');

/** @type {string} */
let folder;
before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-examples-'));
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const at = (/** @type {string} */ name) => path.join(folder, name);

describe('examples/encrypt-file.js', () => {
  const key = crypto.randomBytes(32);

  it('brings back files of every size', async () => {
    for (const size of [0, 1, 999, 1000, 1001, 2000, 12_345]) {
      fs.writeFileSync(at('plain'), crypto.randomBytes(size));
      for (const lanes of [1, 3]) {
        await encryptFile(at('plain'), at('sealed'), key, { segmentBytes: 1000, lanes });
        const segments = Math.max(1, Math.ceil(size / 1000));
        assert.strictEqual(fs.statSync(at('sealed')).size, 15 + size + 16 * segments);
        await decryptFile(at('sealed'), at('back'), key, { lanes });
        assert.ok(fs.readFileSync(at('back')).equals(fs.readFileSync(at('plain'))));
      }
    }
  });

  it('notices what has been changed, moved, cut off or added', async () => {
    fs.writeFileSync(at('plain'), crypto.randomBytes(4500));
    await encryptFile(at('plain'), at('sealed'), key, { segmentBytes: 1000 });
    const sealed = fs.readFileSync(at('sealed'));
    const segment = (/** @type {number} */ i) =>
      sealed.subarray(15 + 1016 * i, Math.min(15 + 1016 * (i + 1), sealed.length));
    const head = sealed.subarray(0, 15);
    const flipped = Array.from({ length: 20 }, () => {
      const copy = Buffer.from(sealed);
      copy[crypto.randomInt(copy.length)] ^= 1 << crypto.randomInt(8);
      return copy;
    });
    const forgeries = [
      ...flipped,
      Buffer.concat([head, segment(1), segment(0), segment(2), segment(3), segment(4)]),
      Buffer.concat([head, segment(0), segment(1), segment(2), segment(3)]),
      Buffer.concat([head, segment(0), segment(1), segment(2), segment(4)]),
      Buffer.concat([sealed, segment(4)]),
      sealed.subarray(0, -1),
      sealed.subarray(0, 15),
      head.subarray(0, 3),
    ];
    fs.writeFileSync(at('back'), 'what was there');
    for (const forgery of forgeries) {
      fs.writeFileSync(at('forged'), forgery);
      await assert.rejects(decryptFile(at('forged'), at('back'), key));
      assert.strictEqual(fs.readFileSync(at('back'), 'utf8'), 'what was there');
    }
    await assert.rejects(decryptFile(at('sealed'), at('back'), crypto.randomBytes(32)), {
      code: 'ERR_OFFLOOP_AUTHENTICATION',
    });
    assert.deepStrictEqual(
      fs.readdirSync(folder).filter((name) => name.endsWith('.part')),
      [],
    );
  });

  it('needs little memory, however large the file', () => {
    fs.writeFileSync(at('large'), '');
    fs.truncateSync(at('large'), 600 * MIB);
    const script = `
      const { encryptFile, decryptFile } = require(${JSON.stringify(path.join(examples, 'encrypt-file.js'))});
      const [, plain, sealed, back] = process.argv;
      const key = Buffer.alloc(32);
      encryptFile(plain, sealed, key)
        .then(() => decryptFile(sealed, back, key))
        .then(() => console.log(process.resourceUsage().maxRSS));`;
    const args = ['-e', script, at('large'), at('large.sealed'), at('large.back')];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.strictEqual(status, 0, stderr);
    assert.ok(Number(stdout) * 1024 < 250 * MIB, `${stdout} KiB`);
    assert.deepStrictEqual(hashFile(at('large.back'), 'sha256'), hashFile(at('large'), 'sha256'));
    for (const name of ['large', 'large.sealed', 'large.back']) fs.rmSync(at(name));
  });

  it('is a command', () => {
    fs.writeFileSync(at('plain'), 'some text');
    const env = { ...process.env, FILE_KEY: key.toString('hex') };
    const script = path.join(examples, 'encrypt-file.js');
    const run = (/** @type {string[]} */ ...args) =>
      spawnSync(process.execPath, [script, ...args], { encoding: 'utf8', env });
    assert.strictEqual(run('encrypt', at('plain'), at('sealed')).status, 0);
    assert.strictEqual(run('decrypt', at('sealed'), at('back')).status, 0);
    assert.strictEqual(fs.readFileSync(at('back'), 'utf8'), 'some text');
    assert.strictEqual(run('decrypt', at('plain'), at('back')).status, 1);
    assert.strictEqual(run('encrypt', at('plain')).status, 2);
    env.FILE_KEY = 'abc';
    assert.strictEqual(run('encrypt', at('plain'), at('sealed')).status, 2);
  });
});

describe('examples/zip.js', () => {
  const hasUnzip = spawnSync('unzip', ['-v']).status === 0;
  const hasPython = spawnSync('python3', ['--version']).status === 0;

  /** @param {string} archive */
  function checkArchive(archive) {
    if (hasUnzip) {
      const { status, stdout } = spawnSync('unzip', ['-t', archive], { encoding: 'utf8' });
      assert.strictEqual(status, 0, stdout);
      assert.match(stdout, /^No errors detected/m);
    }
    if (hasPython) {
      const args = ['-m', 'zipfile', '-t', archive];
      const { status, stdout, stderr } = spawnSync('python3', args, { encoding: 'utf8' });
      assert.strictEqual(status, 0, stderr);
      assert.strictEqual(stdout, 'Done testing\n');
    }
  }

  /** Names, sizes and contents of an archive, by its directory. @param {Buffer} zip */
  function readArchive(zip) {
    const end = zip.length - 22;
    assert.strictEqual(zip.readUInt32LE(end), 0x06054b50);
    let place = zip.readUInt32LE(end + 16);
    return Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
      assert.strictEqual(zip.readUInt32LE(place), 0x02014b50);
      const size = zip.readUInt32LE(place + 24);
      const nameBytes = zip.readUInt16LE(place + 28);
      const local = zip.readUInt32LE(place + 42);
      const name = zip.toString('utf8', place + 46, place + 46 + nameBytes);
      place += 46 + nameBytes;
      const start = local + 30 + nameBytes;
      const data = zip.subarray(start, start + size);
      const descriptor = zip.subarray(start + size, start + size + 16);
      assert.strictEqual(descriptor.readUInt32LE(0), 0x08074b50);
      assert.strictEqual(descriptor.readUInt32LE(8), size);
      return { name, data };
    });
  }

  /** @param {Buffer[]} parts */
  const collector = (parts) =>
    new Writable({
      highWaterMark: 1000,
      write(chunk, _encoding, callback) {
        parts.push(chunk);
        setImmediate(callback);
      },
    });

  it('archives streams, which unzip finds whole', async (context) => {
    if (!hasUnzip) context.diagnostic('unzip is not installed: its check is left out');
    const files = [
      { name: 'empty', data: Buffer.alloc(0) },
      { name: 'folder/ä.txt', data: Buffer.from('text') },
      { name: 'large', data: crypto.randomBytes(3 * MIB + 5) },
    ];
    /** @type {Buffer[]} */
    const parts = [];
    const target = collector(parts);
    const zip = new ZipWriter(target);
    for (const { name, data } of files) {
      const chunks = Array.from({ length: Math.ceil(data.length / 70_000) }, (_, i) =>
        data.subarray(i * 70_000, (i + 1) * 70_000),
      );
      await zip.add(name, Readable.from(chunks), new Date(2021, 2, 3, 4, 5, 6));
    }
    await zip.finish();
    await finished(target.end());
    const archive = Buffer.concat(parts);
    assert.deepStrictEqual(readArchive(archive), files);
    fs.writeFileSync(at('streams.zip'), archive);
    checkArchive(at('streams.zip'));
  });

  it('an empty archive', async () => {
    /** @type {Buffer[]} */
    const parts = [];
    const target = collector(parts);
    await new ZipWriter(target).finish();
    await finished(target.end());
    assert.deepStrictEqual(readArchive(Buffer.concat(parts)), []);
  });

  it('ends with its source’s error, or its target’s', async () => {
    const source = async function* () {
      yield Buffer.alloc(10);
      throw new RangeError('of the source');
    };
    const zip = new ZipWriter(collector([]));
    await assert.rejects(zip.add('x', source()), { message: 'of the source' });
    const broken = new Writable({
      highWaterMark: 1,
      write: (_chunk, _encoding, callback) => callback(new Error('of the target')),
    });
    await assert.rejects(new ZipWriter(broken).add('x', Readable.from([Buffer.alloc(10)])), {
      message: 'of the target',
    });
  });

  it('is a command', () => {
    fs.writeFileSync(at('one'), 'first');
    fs.writeFileSync(at('two'), crypto.randomBytes(2 * MIB));
    const script = path.join(examples, 'zip.js');
    const run = (/** @type {string[]} */ ...args) =>
      spawnSync(process.execPath, [script, ...args], { cwd: folder, maxBuffer: 10 * MIB });
    const { status, stdout, stderr } = run('one', 'two');
    assert.strictEqual(status, 0, String(stderr));
    const files = ['one', 'two'].map((name) => ({ name, data: fs.readFileSync(at(name)) }));
    assert.deepStrictEqual(readArchive(stdout), files);
    fs.writeFileSync(at('command.zip'), stdout);
    checkArchive(at('command.zip'));
    const failed = run('one', 'nothing');
    assert.strictEqual(failed.status, 1);
    assert.match(String(failed.stderr), /^zip: ENOENT[^\n]+\n$/);
  });
});
