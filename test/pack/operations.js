'use strict';

/**
 * Uses every export of the package once, as it is found where it was installed, and checks the
 * result against Node's own. Loaded by entry.cjs and entry.mjs in the folder of the installation.
 */

const assert = require('node:assert');
const crypto = require('node:crypto');
const fs = require('node:fs');
const { Readable } = require('node:stream');
const { buffer } = require('node:stream/consumers');

const key = Buffer.alloc(32, 1);
const iv = Buffer.alloc(12, 2);
const data = crypto.createHash('shake128', { outputLength: 300_000 }).update('data').digest();
const half = data.length / 2;

const sha256 = crypto.createHash('sha256').update(data).digest();
const mac = crypto.createHmac('sha256', key).update(data).digest();
const gcm = (() => {
  const cipher = crypto.createCipheriv('aes-256-gcm', key, iv);
  return Buffer.concat([cipher.update(data), cipher.final(), cipher.getAuthTag()]);
})();

/** A checksum's value for "123456789", as its catalogue gives it. */
const checks = {
  crc32: 0xcbf43926,
  crc32c: 0xe3069283,
  crc32k: 0x2d3dd0ae,
  crc64nvme: 0xae8b14860a799888n,
};

/** @typedef {Record<string, any>} Exports */

/**
 * @param {import('node:stream').Transform} stream
 * @param {Buffer} input
 */
function through(stream, input = data) {
  return buffer(Readable.from([input.subarray(0, 1000), input.subarray(1000)]).pipe(stream));
}

/** @type {Record<string, (offloop: Exports, name: string) => void | Promise<void>>} */
const uses = {
  hash: (o) => assert.deepStrictEqual(o.hash('sha256', data), sha256),
  hashAsync: async (o) => assert.deepStrictEqual(await o.hashAsync('sha256', data), sha256),
  hmac: (o) => assert.deepStrictEqual(o.hmac('sha256', key, data), mac),
  hmacAsync: async (o) => assert.deepStrictEqual(await o.hmacAsync('sha256', key, data), mac),
  encrypt: (o) => assert.deepStrictEqual(o.encrypt('aes-256-gcm', key, iv, data), gcm),
  encryptAsync: async (o) =>
    assert.deepStrictEqual(await o.encryptAsync('aes-256-gcm', key, iv, data), gcm),
  decrypt: (o) => assert.deepStrictEqual(o.decrypt('aes-256-gcm', key, iv, gcm), data),
  decryptAsync: async (o) =>
    assert.deepStrictEqual(await o.decryptAsync('aes-256-gcm', key, iv, gcm), data),
  hashes: (o) => assert.ok(o.hashes.includes('sha256')),
  ciphers: (o) => assert.ok(o.ciphers.includes('chacha20-poly1305')),
  crcCombine: (o) => {
    const parts = [o.crc32c(data.subarray(0, half)), o.crc32c(data.subarray(half))];
    assert.strictEqual(o.crcCombine('crc32c', ...parts, half), o.crc32c(data));
  },
  recrypt: (o) => {
    for (const [encryption, name] of [
      ['aes-256', 'aes-256'],
      ['aes-128', 'aes-128'],
      ['rc4-128', 'rc4'],
      ['rc4-40', 'rc4'],
    ]) {
      for (const linearize of [false, true]) {
        const options = { userPassword: 'open', encryption, linearize };
        const report = o.recrypt('plain.pdf', 'locked.pdf', options);
        assert.strictEqual(report.bytesWritten, fs.statSync('locked.pdf').size);
        const told = o.pdfEncryption('locked.pdf', { password: 'open' });
        assert.strictEqual(told.encryption, name);
        assert.ok(told.opensAs !== null);
        const plain = o.recrypt('locked.pdf', { password: 'open', linearize });
        assert.strictEqual(o.pdfEncryption(plain).encrypted, false);
      }
    }
    assert.throws(() => o.recrypt('locked.pdf', { password: 'wrong' }), {
      code: 'ERR_OFFLOOP_PDF_PASSWORD',
    });
    assert.throws(() => o.recrypt(Buffer.from('%PDF-1.7\nnothing')), {
      code: 'ERR_OFFLOOP_PDF_DAMAGED',
    });
  },
  recryptAsync: async (o) => {
    const locked = await o.recryptAsync(fs.readFileSync('plain.pdf'), { ownerPassword: 'own' });
    assert.strictEqual(o.pdfEncryption(locked).revision, 6);
    const report = await o.recryptAsync('damaged.pdf', 'repaired.pdf');
    assert.strictEqual(report.repaired, true);
    assert.ok(report.warnings.length > 0);
  },
  pdfEncryption: (o) => assert.strictEqual(o.pdfEncryption('plain.pdf').encrypted, false),
  pdfEncryptionAsync: async (o) =>
    assert.strictEqual((await o.pdfEncryptionAsync('plain.pdf')).encrypted, false),
  hashFile: (o) => assert.deepStrictEqual(o.hashFile('data', 'sha256'), sha256),
  hashFileAsync: async (o) =>
    assert.deepStrictEqual(await o.hashFileAsync('data', 'sha256'), sha256),
  crcFile: (o) => assert.strictEqual(o.crcFile('data', 'crc64nvme'), o.crc64nvme(data)),
  crcFileAsync: async (o) =>
    assert.strictEqual(await o.crcFileAsync('data', 'crc32k'), o.crc32k(data)),
  checksumAndWrite: (o) => {
    const fd = fs.openSync('written', 'w+');
    const { checksum, bytesWritten } = o.checksumAndWrite(fd, data);
    fs.closeSync(fd);
    assert.deepStrictEqual([checksum, bytesWritten], [o.crc32(data), data.length]);
    assert.deepStrictEqual(fs.readFileSync('written'), data);
  },
  checksumAndWriteAsync: async (o) => {
    const fd = fs.openSync('written', 'w+');
    const { checksum } = await o.checksumAndWriteAsync(fd, data, { checksum: 'crc32c' });
    fs.closeSync(fd);
    assert.strictEqual(checksum, o.crc32c(data));
    assert.deepStrictEqual(fs.readFileSync('written'), data);
  },
  encryptAndChecksum: (o) =>
    assert.deepStrictEqual(o.encryptAndChecksum('aes-256-gcm', key, iv, data), {
      data: gcm,
      checksum: o.crc32(gcm),
    }),
  encryptAndChecksumAsync: async (o) =>
    assert.deepStrictEqual(await o.encryptAndChecksumAsync('aes-256-gcm', key, iv, data), {
      data: gcm,
      checksum: o.crc32(gcm),
    }),
  createHash: async (o) => assert.deepStrictEqual(await through(o.createHash('sha256')), sha256),
  createHmac: async (o) => assert.deepStrictEqual(await through(o.createHmac('sha256', key)), mac),
  createEncrypt: async (o) =>
    assert.deepStrictEqual(await through(o.createEncrypt('aes-256-gcm', key, iv)), gcm),
  createDecrypt: async (o) =>
    assert.deepStrictEqual(await through(o.createDecrypt('aes-256-gcm', key, iv), gcm), data),
  createCrc: async (o) => {
    const stream = o.createCrc('crc32');
    await through(stream);
    assert.strictEqual(stream.value, o.crc32(data));
  },
  pool: async (o) => {
    await o.pool.drain();
    assert.strictEqual(o.pool.stats().running, 0);
  },
};

for (const [name, value] of Object.entries(checks)) {
  uses[name] = (o) => assert.strictEqual(o[name]('123456789'), value);
  uses[`${name}Async`] = async (o) =>
    assert.strictEqual(await o[`${name}Async`](Buffer.from('123456789')), value);
}

/**
 * @param {string[]} names
 * @param {Record<string, unknown>} table
 */
function assertAllUsed(names, table) {
  const unused = names.filter((name) => name !== 'default' && !Object.hasOwn(table, name));
  assert.deepStrictEqual(unused, [], 'test/pack/operations.js must use every export');
}

/** @param {Exports} cryptoAsync */
async function useCryptoAsync(cryptoAsync) {
  assert.deepStrictEqual(cryptoAsync.hash('sha256', data), sha256);
  assert.deepStrictEqual(cryptoAsync.hmac('sha256', key, data), mac);
  const counter = Buffer.alloc(16, 3);
  const encrypted = await new Promise((resolve, reject) =>
    cryptoAsync.cipher('aes-256-ctr', 1, key, counter, data, (/** @type {any[]} */ ...args) =>
      args[0] ? reject(args[0]) : resolve(args[1]),
    ),
  );
  assert.deepStrictEqual(cryptoAsync.cipher('aes-256-ctr', 0, key, counter, encrypted), data);
}

/** No library may have come from outside of the package and Node. */
function assertSelfContained() {
  const mapped = fs.readFileSync('/proc/self/maps', 'utf8');
  assert.match(mapped, /\/prebuilds\/linux-x64\/offloop\.node$/m);
  assert.doesNotMatch(mapped, /libqpdf|libjpeg|libcrypto|libgnutls/);
}

/**
 * @param {Exports} offloop
 * @param {Exports} cryptoAsync
 * @param {Exports} crc32
 */
async function useAll(offloop, cryptoAsync, crc32) {
  assertAllUsed(Object.keys(offloop), uses);
  fs.writeFileSync('data', data);
  for (const name of Object.keys(offloop)) {
    if (Object.hasOwn(uses, name)) await uses[name](offloop, name);
  }
  await useCryptoAsync(cryptoAsync);
  assert.strictEqual(crc32.crc32Backend, 'native');
  assert.strictEqual(crc32.crc32('123456789'), checks.crc32);
  assert.strictEqual(crc32.portableCrc32('123456789'), checks.crc32);
  assertSelfContained();
  const left = fs.readdirSync('.').filter((name) => name.startsWith('.'));
  assert.deepStrictEqual(left, [], 'nothing is left behind');
}

module.exports = { useAll };
