'use strict';

const assert = require('node:assert');
const { spawn } = require('node:child_process');
const crypto = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, describe, it } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');

const offloop = require('..');
const { runScript } = require('./helpers/child');
const { forms } = require('./helpers/forms');
const { watchedKey } = require('./helpers/keys');
const { printSeed, randomFor } = require('./helpers/random');
const { reference, sizes } = require('./helpers/reference');

const { checksumAndWrite, checksumAndWriteAsync, ciphers, encryptAndChecksum, pool } = offloop;
const { encryptAndChecksumAsync } = offloop;

const MIB = 2 ** 20;
const CHECKSUMS = ['crc32', 'crc32c', 'crc32k', 'crc64nvme'];
const linux = process.platform === 'linux';

/** @type {string} */
let folder;
before(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-fused-'));
});
after(() => fs.rmSync(folder, { recursive: true, force: true }));

/** @param {() => any} call */
function thrownBy(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  return assert.fail('nothing thrown');
}

/**
 * Opens a file for something, and closes it.
 * @param {string} flags
 * @param {(fd: number, file: string) => any} use
 */
async function withFile(flags, use) {
  const file = path.join(folder, 'file');
  const fd = fs.openSync(file, flags);
  try {
    return await use(fd, file);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * A child whose standard input is a pipe that never blocks us, and what it does with it.
 * @param {string} source
 */
function startReader(source) {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['pipe', 'pipe', 'inherit'] });
  // Errors of the writes below are those of checksumAndWrite, not of this stream.
  child.stdin.on('error', () => {});
  const { fd } = /** @type {any} */ (child.stdin)._handle;
  const closed = new Promise((resolve) => child.once('close', resolve));
  const output = new Promise((resolve) => {
    let text = '';
    child.stdout.on('data', (chunk) => (text += chunk));
    child.stdout.once('end', () => resolve(text));
  });
  return { child, fd, closed, output };
}

const READY = 'process.stdout.write("ready\\n");';
const NEVER_READS = `${READY} setInterval(() => {}, 1000);`;

describe('checksumAndWrite', () => {
  for (const { form, call } of forms) {
    it(`data of every size, with every checksum, ${form}`, async () => {
      for (const size of [0, 1, 100, 2 ** 18 - 1, 2 ** 18, 2 ** 18 + 1, 3 * MIB + 5]) {
        const data = crypto.randomBytes(size);
        for (const checksum of CHECKSUMS) {
          await withFile('w', async (fd, file) => {
            const result = await call('checksumAndWrite', [fd, data], { checksum });
            const expected = { checksum: offloop[checksum](data), bytesWritten: size };
            assert.deepStrictEqual(result, expected);
            assert.ok(fs.readFileSync(file).equals(data));
          });
        }
      }
    });

    it(`goes on from a value and from where the descriptor stands, ${form}`, async () => {
      await withFile('w+', async (fd, file) => {
        const first = await call('checksumAndWrite', [fd, Buffer.from('abc')]);
        assert.deepStrictEqual(first, { checksum: offloop.crc32('abc'), bytesWritten: 3 });
        const options = { value: first.checksum, position: null };
        const second = await call('checksumAndWrite', [fd, Buffer.from('def')], options);
        assert.strictEqual(second.checksum, offloop.crc32('abcdef'));
        assert.strictEqual(fs.readFileSync(file, 'utf8'), 'abcdef');
      });
    });

    it(`writes at a position, and leaves the descriptor where it stands, ${form}`, async () => {
      await withFile('w+', async (fd, file) => {
        const large = Buffer.alloc(MIB, 'x');
        await call('checksumAndWrite', [fd, Buffer.from('0123456789')]);
        await call('checksumAndWrite', [fd, Buffer.from('AB')], { position: 0 });
        await call('checksumAndWrite', [fd, large], { position: 2 ** 32 + 5 });
        await call('checksumAndWrite', [fd, Buffer.from('!')]);
        assert.strictEqual(fs.statSync(file).size, 2 ** 32 + 5 + MIB);
        const start = Buffer.alloc(13);
        fs.readSync(fd, start, 0, 13, 0);
        assert.strictEqual(start.toString(), 'AB23456789!\0\0');
        const end = Buffer.alloc(MIB);
        fs.readSync(fd, end, 0, MIB, 2 ** 32 + 5);
        assert.ok(end.equals(large));
      });
    });

    it(`any kind of bytes, ${form}`, async () => {
      const words = new Uint16Array([0x3130, 0x3332]);
      const shared = new SharedArrayBuffer(2);
      for (const data of [words, words.buffer, new DataView(words.buffer, 1, 2), shared]) {
        const bytes = ArrayBuffer.isView(data)
          ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
          : Buffer.from(data);
        await withFile('w', async (fd, file) => {
          const { checksum } = await call('checksumAndWrite', [fd, data]);
          assert.strictEqual(checksum, offloop.crc32(bytes));
          assert.deepStrictEqual(fs.readFileSync(file), bytes);
        });
      }
    });

    it(`errors as fs gives them, with bytesWritten, ${form}`, async () => {
      await withFile('w', () => {});
      await withFile('r', async (fd) => {
        for (const [each, options] of /** @type {[number, object][]} */ ([
          [fd, {}],
          [fd, { position: 5 }],
          [999_999, {}],
        ])) {
          for (const data of [Buffer.from('abc'), Buffer.alloc(0), Buffer.alloc(MIB)]) {
            const theirs = thrownBy(() => fs.writeSync(each, data));
            const error = await call('checksumAndWrite', [each, data], options).catch(
              (/** @type {any} */ caught) => caught,
            );
            assert.strictEqual(error.message, theirs.message);
            assert.deepStrictEqual({ ...error }, { ...theirs, bytesWritten: 0 });
          }
        }
      });
      if (!linux) return;
      const full = fs.openSync('/dev/full', 'w');
      await assert.rejects(call('checksumAndWrite', [full, Buffer.from('abc')]), {
        code: 'ENOSPC',
        bytesWritten: 0,
      });
      fs.closeSync(full);
    });

    it(`descriptors and positions as fs takes them, ${form}`, async () => {
      const odd = ['1', -1, 1.5, NaN, Infinity, 2 ** 31, null, undefined, 1n, {}, []];
      for (const fd of odd) {
        const { code, name } = thrownBy(() => fs.writeSync(/** @type {any} */ (fd), 'abc'));
        await assert.rejects(call('checksumAndWrite', [fd, Buffer.from('abc')]), { code, name });
      }
      const TYPE = 'ERR_INVALID_ARG_TYPE';
      const RANGE = 'ERR_OUT_OF_RANGE';
      const positions = [
        ['0', TYPE],
        [1n, TYPE],
        [-1, RANGE],
        [0.5, RANGE],
        [2 ** 53, RANGE],
      ];
      for (const [position, code] of positions) {
        const data = Buffer.from('abc');
        await assert.rejects(call('checksumAndWrite', [1, data], { position }), { code });
      }
      await assert.rejects(call('checksumAndWrite', [1, 'abc']), { code: TYPE });
      await assert.rejects(call('checksumAndWrite', [1, Buffer.alloc(1)], { checksum: 'crc16' }), {
        code: 'ERR_OFFLOOP_UNKNOWN_ALGORITHM',
      });
      await assert.rejects(call('checksumAndWrite', [1, Buffer.alloc(1)], { value: 2 ** 32 }), {
        code: RANGE,
      });
    });
  }

  it('data that is transferred while it is written is written all the same', async () => {
    await withFile('w', async (fd, file) => {
      const data = new Uint8Array(16 * MIB).fill(9);
      const expected = offloop.crc32(data);
      const promise = checksumAndWriteAsync(fd, data);
      structuredClone(data.buffer, { transfer: [data.buffer] });
      assert.deepStrictEqual(await promise, { checksum: expected, bytesWritten: 16 * MIB });
      assert.strictEqual(offloop.crcFile(file), expected);
    });
  });

  it('many at once, each at its position', async () => {
    await withFile('w', async (fd, file) => {
      const parts = Array.from({ length: 100 }, (_, i) => Buffer.alloc(10_000, i));
      const results = await Promise.all(
        parts.map((part, i) => checksumAndWriteAsync(fd, part, { position: 10_000 * i })),
      );
      results.forEach(({ checksum }, i) => assert.strictEqual(checksum, offloop.crc32(parts[i])));
      assert.ok(fs.readFileSync(file).equals(Buffer.concat(parts)));
    });
  });
});

describe('checksumAndWrite: a descriptor that is not ready', { skip: !linux }, () => {
  it('is waited for, and short writes are gone on with', async () => {
    const data = crypto.randomBytes(3 * MIB);
    const { fd, child, output } = startReader(`
      const hash = require('node:crypto').createHash('sha256');
      let size = 0;
      process.stdin.on('data', (chunk) => {
        hash.update(chunk);
        size += chunk.length;
        process.stdin.pause();
        setTimeout(() => process.stdin.resume(), 1);
        if (size === ${data.length}) process.exit(console.log(hash.digest('hex')));
      });`);
    const half = data.length / 2;
    const first = await checksumAndWriteAsync(fd, data.subarray(0, half));
    const second = checksumAndWrite(fd, data.subarray(half), { value: first.checksum });
    assert.deepStrictEqual(second, { checksum: offloop.crc32(data), bytesWritten: half });
    assert.strictEqual(await output, `${offloop.hash('sha256', data).toString('hex')}\n`);
    child.kill();
  });

  it('that takes no more breaks the write, and the error tells how far it came', async () => {
    for (const write of [
      async (/** @type {number} */ fd, /** @type {Buffer} */ data) => checksumAndWrite(fd, data),
      (/** @type {number} */ fd, /** @type {Buffer} */ data) => checksumAndWriteAsync(fd, data),
    ]) {
      const { child, fd, closed } = startReader(`${READY} setTimeout(() => process.exit(), 200);`);
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const error = await write(fd, Buffer.alloc(8 * MIB)).then(
        () => assert.fail('no error'),
        (caught) => caught,
      );
      assert.ok(['EPIPE', 'ECONNRESET'].includes(error.code), error.code);
      assert.strictEqual(error.syscall, 'write');
      assert.ok(error.bytesWritten > 0 && error.bytesWritten < 8 * MIB, `${error.bytesWritten}`);
      await closed;
    }
  });

  it('does not keep an aborted write waiting', async () => {
    const { child, fd, closed } = startReader(NEVER_READS);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const controller = new AbortController();
    const reason = new Error('enough');
    const { signal } = controller;
    const promise = checksumAndWriteAsync(fd, Buffer.alloc(8 * MIB), { signal });
    await sleep(100);
    assert.strictEqual(pool.stats().running, 1);
    controller.abort(reason);
    await assert.rejects(promise, reason);
    assert.deepStrictEqual(Object.keys(reason), []);
    await pool.drain();
    child.kill();
    await closed;
  });

  it('does not keep the process from ending', async () => {
    const { code, milliseconds } = await runScript(`
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 30000)'], {
        stdio: ['pipe', 'ignore', 'ignore'],
      });
      const { fd } = child.stdin._handle;
      offloop.checksumAndWriteAsync(fd, Buffer.alloc(8 << 20)).catch(() => {});
      setTimeout(() => {
        child.kill('SIGKILL');
        process.exit(3);
      }, 200);`);
    assert.strictEqual(code, 3);
    assert.ok(milliseconds < 20_000, `${milliseconds}`);
  });
});

describe('encryptAndChecksum', () => {
  /** @param {string} algorithm */
  const keyAndIv = (algorithm) => [
    Buffer.alloc(sizes[algorithm].key, 'key'),
    Buffer.alloc(sizes[algorithm].iv, 'iv'),
  ];

  for (const { form, call } of forms) {
    it(`is encrypt and the checksum of its result, ${form}`, async () => {
      for (const algorithm of ciphers) {
        const [key, iv] = keyAndIv(algorithm);
        for (const size of [0, 1, 100, 32_767, 32_768, 32_769, 65_536, MIB + 5]) {
          const data = crypto.randomBytes(size);
          const expected = reference(algorithm, key, iv, data);
          for (const checksum of CHECKSUMS) {
            const result = await call('encryptAndChecksum', [algorithm, key, iv, data], {
              checksum,
            });
            assert.ok(Buffer.isBuffer(result.data) && result.data.equals(expected));
            assert.strictEqual(result.checksum, offloop[checksum](expected));
          }
        }
      }
    });

    it(`a tag apart is not summed, ${form}`, async () => {
      const [key, iv] = keyAndIv('aes-256-gcm');
      const data = crypto.randomBytes(100_000);
      const options = { aad: Buffer.from('aad'), tagLength: 12 };
      const whole = reference('aes-256-gcm', key, iv, data, options);
      const tag = Buffer.alloc(12);
      const args = ['aes-256-gcm', key, iv, data];
      const apart = await call('encryptAndChecksum', args, { ...options, tag });
      assert.ok(apart.data.equals(whole.subarray(0, data.length)));
      assert.deepStrictEqual(tag, whole.subarray(data.length));
      assert.strictEqual(apart.checksum, offloop.crc32(apart.data));
      const appended = await call('encryptAndChecksum', args, options);
      assert.strictEqual(appended.checksum, offloop.crc32(whole));
    });

    it(`into a target, in place, from a value, ${form}`, async () => {
      const [key, iv] = keyAndIv('chacha20-poly1305');
      const data = crypto.randomBytes(70_000);
      const expected = reference('chacha20-poly1305', key, iv, data);
      const target = new Uint8Array(data.length + 20).fill(0xee);
      target.set(data);
      const options = { target, checksum: 'crc64nvme', value: 77n };
      const source = target.subarray(0, data.length);
      const args = ['chacha20-poly1305', key, iv, source];
      const result = await call('encryptAndChecksum', args, options);
      assert.strictEqual(result.data.constructor, Uint8Array);
      assert.strictEqual(result.data.buffer, target.buffer);
      assert.ok(Buffer.from(result.data).equals(expected));
      assert.strictEqual(result.checksum, offloop.crc64nvme(expected, 77n));
      assert.deepStrictEqual(target.subarray(-4), new Uint8Array(4).fill(0xee));
    });

    it(`large messages, in parts where the cipher allows it, ${form}`, async () => {
      for (const algorithm of ['aes-256-ctr', 'chacha20', 'aes-256-gcm']) {
        const [key, iv] = keyAndIv(algorithm);
        const data = crypto.randomBytes(9 * MIB + 3);
        const expected = reference(algorithm, key, iv, data);
        for (const options of [{ value: 5 }, { checksum: 'crc64nvme', value: 5n }]) {
          const result = await call('encryptAndChecksum', [algorithm, key, iv, data], options);
          assert.ok(result.data.equals(expected));
          const { checksum = 'crc32', value } = options;
          assert.strictEqual(result.checksum, offloop[checksum](expected, value));
        }
      }
    });

    it(`wrong arguments are those of encrypt and of the checksums, ${form}`, async () => {
      const [key, iv] = keyAndIv('aes-256-gcm');
      const data = Buffer.alloc(5);
      /** @type {[any[], any, string][]} */
      const calls = [
        [['aes-256-cbc', key, iv, data], {}, 'ERR_OFFLOOP_UNKNOWN_ALGORITHM'],
        [['aes-256-gcm', key.subarray(1), iv, data], {}, 'ERR_CRYPTO_INVALID_KEYLEN'],
        [['aes-256-gcm', key, iv, 'text'], {}, 'ERR_INVALID_ARG_TYPE'],
        [['aes-256-gcm', key, iv, data], { target: Buffer.alloc(20) }, 'ERR_OUT_OF_RANGE'],
        [['aes-256-gcm', key, iv, data], { checksum: 'md5' }, 'ERR_OFFLOOP_UNKNOWN_ALGORITHM'],
        [['aes-256-gcm', key, iv, data], { checksum: 5 }, 'ERR_INVALID_ARG_TYPE'],
        [['aes-256-gcm', key, iv, data], { value: 1n }, 'ERR_INVALID_ARG_TYPE'],
        [
          ['aes-256-gcm', key, iv, data],
          { checksum: 'crc64nvme', value: 1 },
          'ERR_INVALID_ARG_TYPE',
        ],
        [['aes-256-gcm', key, iv, data], { checksum: 'crc64nvme', value: -1n }, 'ERR_OUT_OF_RANGE'],
        [['aes-256-gcm', key, iv, data], null, 'ERR_INVALID_ARG_TYPE'],
      ];
      for (const [args, options, code] of calls) {
        const promise =
          options === null && form !== 'at once'
            ? offloop.encryptAndChecksumAsync(
                .../** @type {[any, any, any, any]} */ (args),
                options,
              )
            : call('encryptAndChecksum', args, options);
        await assert.rejects(promise, { code });
      }
    });
  }

  it('at random', async (context) => {
    printSeed(context);
    const random = randomFor('encryptAndChecksum');
    for (let i = 0; i < 400; i++) {
      const algorithm = random.pick(ciphers);
      const { call } = random.pick(forms);
      const key = random.bytes(sizes[algorithm].key);
      const iv = random.bytes(sizes[algorithm].iv);
      const data = random.bytes(random.size(200_000));
      const name = random.pick(CHECKSUMS);
      const value = name === 'crc64nvme' ? BigInt(random.next()) : random.next();
      const args = [algorithm, key, iv, random.shape(data)];
      const result = await call('encryptAndChecksum', args, { checksum: name, value });
      const expected = reference(algorithm, key, iv, data);
      assert.ok(result.data.equals(expected));
      assert.strictEqual(result.checksum, offloop[name](expected, value));
    }
  });

  it('wipes what it takes from a KeyObject', async () => {
    const { key, exported } = watchedKey(32);
    const args = /** @type {const} */ (['aes-256-gcm', key, Buffer.alloc(12), Buffer.alloc(9)]);
    encryptAndChecksum(...args);
    await encryptAndChecksumAsync(...args, { offload: 'always' });
    assert.throws(() => encryptAndChecksum(...args, { value: -1 }));
    assert.strictEqual(exported.length, 2);
    for (const bytes of exported) assert.deepStrictEqual(bytes, Buffer.alloc(32));
  });

  it('a target or data that is transferred meanwhile', async () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    const data = new Uint8Array(8 * MIB).fill(3);
    const expected = reference('aes-256-gcm', key, iv, data);
    const promise = encryptAndChecksumAsync('aes-256-gcm', key, iv, data);
    structuredClone(data.buffer, { transfer: [data.buffer] });
    const result = await promise;
    assert.ok(result.data.equals(expected));
    assert.strictEqual(result.checksum, offloop.crc32(expected));

    const target = new Uint8Array(8 * MIB + 16);
    const other = new Uint8Array(8 * MIB);
    const lost = encryptAndChecksumAsync('aes-256-gcm', key, iv, other, { target });
    structuredClone(target.buffer, { transfer: [target.buffer] });
    await assert.rejects(lost, { code: 'ERR_OFFLOOP_DETACHED' });
    const none = encryptAndChecksumAsync('aes-256-ctr', key, Buffer.alloc(16), Buffer.alloc(0), {
      value: 5,
      offload: 'always',
    });
    assert.deepStrictEqual(await none, { data: Buffer.alloc(0), checksum: 5 });
  });

  it('aborts, queued and running', async () => {
    const [key, iv] = keyAndIv('aes-256-gcm');
    const data = Buffer.alloc(128 * MIB);
    const controller = new AbortController();
    const reason = new Error('enough');
    const { signal } = controller;
    const jobs = [1, 2, 3, 4].map(() =>
      encryptAndChecksumAsync('aes-256-gcm', key, iv, data, { signal }),
    );
    await sleep(5);
    controller.abort(reason);
    for (const outcome of await Promise.allSettled(jobs)) {
      assert.strictEqual(outcome.status === 'rejected' && outcome.reason, reason);
    }
    await pool.drain();
  });
});
