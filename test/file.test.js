'use strict';

const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { after, before, describe, it } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');
const { pathToFileURL } = require('node:url');

const offloop = require('..');
const { runScript } = require('./helpers/child');
const { forms } = require('./helpers/forms');

const { crcFile, crcFileAsync, hashFile, hashFileAsync, pool } = offloop;

const MIB = 2 ** 20;
const GIB = 2 ** 30;
const NOT_A_FILE = { name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' };
const linux = process.platform === 'linux';

/** @type {string} */
let folder;
before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-file-'));
  fs.symlinkSync('loop', path.join(folder, 'loop'));
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

/**
 * @param {string} name
 * @param {string | Uint8Array} data
 */
function make(name, data) {
  const file = path.join(folder, name);
  fs.writeFileSync(file, data);
  return file;
}

/**
 * A file of zeros that takes no room on the disk.
 * @param {string} name
 * @param {number} size
 */
function makeSparse(name, size) {
  const file = make(name, '');
  fs.truncateSync(file, size);
  return file;
}

/** How many descriptors this process has. */
const descriptors = () => fs.readdirSync('/proc/self/fd').length;

/** @param {Promise<any>} promise */
const errorOf = (promise) =>
  promise.then(
    () => assert.fail('no error'),
    (error) => error,
  );

describe('hashFile and crcFile', () => {
  for (const { form, call } of forms) {
    it(`files of every size, ${form}`, async () => {
      for (const size of [0, 1, 63, 4096, MIB - 1, MIB, MIB + 1, 3 * MIB + 7]) {
        const data = crypto.randomBytes(size);
        const file = make('some', data);
        for (const algorithm of ['sha256', 'md5', 'blake2b512']) {
          const expected = crypto.createHash(algorithm).update(data).digest();
          assert.deepStrictEqual(await call('hashFile', [file, algorithm]), expected);
        }
        for (const name of ['crc32', 'crc32c', 'crc32k', 'crc64nvme']) {
          const result = await call('crcFile', [file, name], {});
          assert.strictEqual(result, offloop[name](data));
        }
      }
    });

    it(`options, ${form}`, async () => {
      const file = make('some', 'abc');
      const long = await call('hashFile', [file, 'shake256'], { outputLength: 500 });
      assert.deepStrictEqual(long, offloop.hash('shake256', 'abc', { outputLength: 500 }));
      const text = await call('hashFile', [file, 'sha256'], { outputEncoding: 'base64url' });
      assert.strictEqual(text, offloop.hash('sha256', 'abc').toString('base64url'));
      const target = new Uint8Array(40).fill(0xee);
      const placed = await call('hashFile', [file, 'sha256'], { target });
      assert.strictEqual(placed.buffer, target.buffer);
      assert.deepStrictEqual(Buffer.from(placed), offloop.hash('sha256', 'abc'));
      assert.deepStrictEqual(target.subarray(32), new Uint8Array(8).fill(0xee));
      const sum = await call('crcFile', [file, 'crc32c'], { value: offloop.crc32c('xyz') });
      assert.strictEqual(sum, offloop.crc32c('xyzabc'));
      const wide = await call('crcFile', [file, 'crc64nvme'], { value: 5n });
      assert.strictEqual(wide, offloop.crc64nvme('abc', 5n));
    });

    it(`errors as fs gives them, ${form}`, async () => {
      const loop = path.join(folder, 'loop');
      const file = make('some', '');
      const paths = [path.join(folder, 'nothing'), folder, path.join(file, 'x'), loop, ''];
      if (process.getuid?.() !== 0) {
        paths.push(make('closed', ''));
        fs.chmodSync(path.join(folder, 'closed'), 0);
      }
      for (const each of paths) {
        const theirs = await errorOf(fs.promises.readFile(each));
        for (const [name, args] of /** @type {[string, any[]][]} */ ([
          ['hashFile', [each, 'sha256']],
          ['crcFile', [each, 'crc32']],
        ])) {
          const error = await errorOf(call(name, args));
          const { code, errno, syscall } = /** @type {any} */ (theirs);
          assert.deepStrictEqual(
            { code: error.code, errno: error.errno, syscall: error.syscall, path: error.path },
            { code, errno, syscall, path: each },
          );
          assert.ok(error.message.startsWith(theirs.message.split(' ').slice(0, 3).join(' ')));
          assert.ok(error instanceof Error && !('bytesWritten' in error));
        }
      }
    });

    it(`pipes, sockets and devices are refused at once, ${form}`, { skip: !linux }, async () => {
      const pipe = path.join(folder, 'pipe');
      if (!fs.existsSync(pipe)) assert.strictEqual(spawnSync('mkfifo', [pipe]).status, 0);
      for (const each of [pipe, '/dev/zero', '/dev/null', '/dev/tty']) {
        const error = await errorOf(call('hashFile', [each, 'sha256']));
        // Without a terminal /dev/tty cannot even be opened.
        if (each !== '/dev/tty' || error.code !== 'ENXIO')
          assert.strictEqual(error.code, NOT_A_FILE.code);
        await assert.rejects(call('crcFile', [each]));
      }
      const server = net.createServer();
      const socket = path.join(folder, 'socket');
      await new Promise((resolve) => server.listen(socket, () => resolve(undefined)));
      await assert.rejects(call('hashFile', [socket, 'sha256']), { code: 'ENXIO' });
      await new Promise((resolve) => server.close(resolve));
    });

    it(`a file that tells no size is read to its end, ${form}`, { skip: !linux }, async () => {
      const file = '/proc/self/limits';
      assert.strictEqual(fs.statSync(file).size, 0);
      const expected = crypto.createHash('sha256').update(fs.readFileSync(file)).digest();
      assert.deepStrictEqual(await call('hashFile', [file, 'sha256']), expected);
    });
  }

  it('takes a URL', async () => {
    const name = 'ä ö?#%20.bin';
    const url = pathToFileURL(make(name, 'abc'));
    const expected = offloop.hash('sha256', 'abc');
    assert.deepStrictEqual(hashFile(url, 'sha256'), expected);
    assert.deepStrictEqual(await hashFileAsync(url, 'sha256'), expected);
    assert.strictEqual(await crcFileAsync(url), offloop.crc32('abc'));
    const error = await errorOf(hashFileAsync(new URL('https://example.org/'), 'sha256'));
    assert.strictEqual(error.code, 'ERR_INVALID_URL_SCHEME');
  });

  it('a path is absolute from the moment of the call', async () => {
    make('here', 'abc');
    const cwd = process.cwd();
    process.chdir(folder);
    const promise = hashFileAsync('here', 'sha256');
    process.chdir(cwd);
    assert.deepStrictEqual(await promise, offloop.hash('sha256', 'abc'));
    assert.throws(() => hashFile('here', 'sha256'), { code: 'ENOENT', path: path.resolve('here') });
  });

  it('a path with a NUL is refused', async () => {
    const wrong = path.join(folder, 'some\0thing');
    assert.throws(() => hashFile(wrong, 'sha256'), NOT_A_FILE);
    await assert.rejects(crcFileAsync(wrong), NOT_A_FILE);
  });

  it('never works on the loop’s thread in its Async form', async () => {
    const file = make('some', 'abc');
    const before = pool.stats().completed;
    await Promise.all([hashFileAsync(file, 'sha256'), crcFileAsync(file)]);
    assert.strictEqual(pool.stats().completed, before + 2);
  });

  it('many files at once', async () => {
    const files = Array.from({ length: 40 }, (_, i) =>
      make(`many${i}`, Buffer.alloc(i * 50_000, i)),
    );
    const digests = await Promise.all(files.map((file) => hashFileAsync(file, 'sha1')));
    digests.forEach((digest, i) => {
      assert.deepStrictEqual(digest, offloop.hash('sha1', Buffer.alloc(i * 50_000, i)));
    });
  });

  it('files beyond 4 GiB', { timeout: 300_000 }, async () => {
    const file = makeSparse('large', 4 * GIB + 5);
    let expected = offloop.crc32c(Buffer.alloc(MIB));
    for (let size = MIB; size < 4 * GIB; size *= 2) {
      expected = offloop.crcCombine('crc32c', expected, expected, size);
    }
    expected = offloop.crc32c(Buffer.alloc(5), expected);
    assert.strictEqual(await crcFileAsync(file, 'crc32c'), expected);
    fs.rmSync(file);
  });
});

describe('hashFile: files that change', () => {
  it('one that grows is read to where its end was', async () => {
    const size = 64 * MIB;
    const file = make('grows', Buffer.alloc(size, 7));
    let growing = true;
    const writer = (async () => {
      for (; growing; await sleep(1)) fs.appendFileSync(file, Buffer.alloc(MIB));
    })();
    const sum = await crcFileAsync(file);
    growing = false;
    await writer;
    // It had grown by some steps when it was opened.
    const parts = fs.readFileSync(file);
    let expected = offloop.crc32(parts.subarray(0, size));
    let at = size;
    while (expected !== sum && at < parts.length) {
      expected = offloop.crc32(parts.subarray(at, at + MIB), expected);
      at += MIB;
    }
    assert.strictEqual(sum, expected);
    fs.rmSync(file);
  });

  it('one that shrinks is read to where its end is', async () => {
    const file = makeSparse('shrinks', 256 * MIB);
    const promise = hashFileAsync(file, 'sha256');
    await sleep(10);
    fs.truncateSync(file, 0);
    const digest = await promise;
    assert.strictEqual(digest.length, 32);
    assert.deepStrictEqual(hashFile(file, 'sha256'), offloop.hash('sha256', ''));
  });

  it('one that is removed meanwhile is read all the same', async () => {
    const file = make('goes', Buffer.alloc(64 * MIB));
    const promise = hashFileAsync(file, 'sha256');
    await sleep(15);
    fs.rmSync(file);
    const outcome = await promise.catch((error) => error);
    if (Buffer.isBuffer(outcome)) {
      assert.deepStrictEqual(outcome, offloop.hash('sha256', Buffer.alloc(64 * MIB)));
    } else {
      // The machine was slow to open it.
      assert.strictEqual(outcome.code, 'ENOENT');
    }
  });
});

describe('hashFile: aborts and ends', () => {
  it('a running job stops soon, and all waiting ones are gone', async () => {
    const file = makeSparse('huge', 64 * GIB);
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error('enough');
    const jobs = [1, 2, 3, 4].flatMap(() => [
      hashFileAsync(file, 'sha256', { signal }),
      crcFileAsync(file, 'crc32', { signal }),
    ]);
    await sleep(50);
    const start = performance.now();
    controller.abort(reason);
    for (const outcome of await Promise.allSettled(jobs)) {
      assert.strictEqual(outcome.status === 'rejected' && outcome.reason, reason);
    }
    assert.ok(performance.now() - start < 5000);
    await pool.drain();
    await assert.rejects(hashFileAsync(file, 'sha256', { signal }), reason);
    fs.rmSync(file);
  });

  it('no descriptor is left open', { skip: !linux }, async () => {
    const file = makeSparse('huge', 64 * GIB);
    const small = make('some', 'abc');
    await hashFileAsync(small, 'sha256');
    const before = descriptors();
    for (let i = 0; i < 20; i++) {
      const signal = AbortSignal.timeout(2);
      await Promise.allSettled([
        hashFileAsync(file, 'sha256', { signal }),
        hashFileAsync(small, 'sha256'),
        hashFileAsync(folder, 'sha256'),
        hashFileAsync(path.join(folder, 'pipe'), 'sha256'),
        crcFileAsync('/dev/null'),
      ]);
    }
    await pool.drain();
    assert.strictEqual(descriptors(), before);
    fs.rmSync(file);
  });

  it('process.exit does not wait for a file', async () => {
    const file = makeSparse('huge', 64 * GIB);
    const { code, milliseconds } = await runScript(`
      for (let i = 0; i < 5; i++) offloop.hashFileAsync(${JSON.stringify(file)}, 'sha256').catch(() => {});
      setTimeout(() => process.exit(3), 30);`);
    assert.strictEqual(code, 3);
    assert.ok(milliseconds < 20_000, `${milliseconds}`);
    fs.rmSync(file);
  });

  it('a target that is gone when the digest is there', async () => {
    const file = makeSparse('some', 32 * MIB);
    const target = new Uint8Array(32);
    const promise = hashFileAsync(file, 'sha256', { target });
    structuredClone(target.buffer, { transfer: [target.buffer] });
    await assert.rejects(promise, { code: 'ERR_OFFLOOP_DETACHED' });
  });
});
