'use strict';

/** Odd documents, made object by object, and encryption that no writer produces any more. */

const crypto = require('node:crypto');
const zlib = require('node:zlib');

/** @typedef {Record<number, string | Buffer>} Objects by number */

const PAGES = {
  1: '<</Type/Catalog/Pages 2 0 R/Extra 10 0 R>>',
  2: '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  3: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>',
};

/** @param {string | Buffer} text */
const bytesOf = (text) => (typeof text === 'string' ? Buffer.from(text, 'latin1') : text);

/**
 * @param {Objects} objects
 * @param {string} [trailer] more of its keys
 * @returns {Buffer}
 */
function buildPdf(objects, trailer = '') {
  const parts = [Buffer.from('%PDF-1.5\n')];
  let at = parts[0].length;
  /** @type {Map<number, number>} */
  const places = new Map();
  for (const [number, body] of Object.entries(objects)) {
    places.set(Number(number), at);
    for (const part of [`${number} 0 obj\n`, body, '\nendobj\n']) {
      parts.push(bytesOf(part));
      at += part.length;
    }
  }
  const size = Math.max(...places.keys()) + 1;
  const rows = Array.from({ length: size }, (_, number) => {
    const place = places.get(number);
    if (place === undefined) return '0000000000 65535 f \n';
    return `${`${place}`.padStart(10, '0')} 00000 n \n`;
  });
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n${rows.join('')}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\n` +
        `startxref\n${at}\n%%EOF\n`,
      'latin1',
    ),
  );
  return Buffer.concat(parts);
}

/**
 * @param {string} dictionary
 * @param {Buffer} data
 */
const stream = (dictionary, data) =>
  Buffer.concat([
    Buffer.from(`<<${dictionary}/Length ${data.length}>>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ]);

/**
 * A document whose object 20 lies in object stream 10, as given.
 * @param {Buffer} objectStream object 10
 * @param {(rows: Buffer) => { dictionary: string, data: Buffer }} [pack] the cross-reference stream
 * @returns {Buffer}
 */
function buildPacked(objectStream, pack = packPlain) {
  const objects = { ...PAGES, 1: '<</Type/Catalog/Pages 2 0 R/Extra 20 0 R>>', 10: objectStream };
  const parts = [Buffer.from('%PDF-1.5\n')];
  let at = parts[0].length;
  const rows = Buffer.alloc(22 * 6);
  for (const [number, body] of Object.entries(objects)) {
    rows[Number(number) * 6] = 1;
    rows.writeUInt32BE(at, Number(number) * 6 + 1);
    for (const part of [`${number} 0 obj\n`, body, '\nendobj\n']) {
      parts.push(bytesOf(part));
      at += part.length;
    }
  }
  rows[20 * 6] = 2;
  rows.writeUInt32BE(10, 20 * 6 + 1);
  rows[21 * 6] = 1;
  rows.writeUInt32BE(at, 21 * 6 + 1);
  const { dictionary, data } = pack(rows);
  parts.push(
    Buffer.from('21 0 obj\n'),
    stream(`/Type/XRef/W[1 4 1]/Root 1 0 R${dictionary}`, data),
    Buffer.from(`\nendobj\nstartxref\n${at}\n%%EOF\n`),
  );
  return Buffer.concat(parts);
}

/** @param {Buffer} rows */
const packPlain = (rows) => ({
  dictionary: '/Size 22/Filter/FlateDecode',
  data: zlib.deflateSync(rows),
});

/**
 * RC4, which OpenSSL 3 keeps in a provider that Node does not load.
 * @param {Uint8Array} key
 * @param {Uint8Array} data
 */
function rc4(key, data) {
  const s = Uint8Array.from({ length: 256 }, (_, i) => i);
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + s[i] + key[i % key.length]) & 255;
    [s[i], s[j]] = [s[j], s[i]];
  }
  const out = Buffer.alloc(data.length);
  for (let n = 0, i = 0, j = 0; n < data.length; n++) {
    i = (i + 1) & 255;
    j = (j + s[i]) & 255;
    [s[i], s[j]] = [s[j], s[i]];
    out[n] = data[n] ^ s[(s[i] + s[j]) & 255];
  }
  return out;
}

/** @param {Uint8Array[]} parts */
const md5 = (...parts) => crypto.createHash('md5').update(Buffer.concat(parts)).digest();

const PADDING = Buffer.from(
  '28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a',
  'hex',
);

/** @param {string} password */
const pad = (password) => Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32);

/** @param {Buffer} key @param {Buffer} data @param {number} turns */
function turn(key, data, turns) {
  let result = data;
  for (let i = 0; i < turns; i++)
    result = rc4(
      key.map((byte) => byte ^ i),
      result,
    );
  return result;
}

/**
 * The entries of an encryption dictionary of revision 2 to 4, and the file key (ISO 32000-2, 7.6.4,
 * Algorithms 2 to 5), written down a second time so that the library does not test itself.
 * @param {{ revision: number, keyBytes: number, p: number, id: Buffer, user: string, owner: string, encryptMetadata?: boolean }} options
 */
function deriveLegacy({ revision, keyBytes, p, id, user, owner, encryptMetadata = true }) {
  const more = revision >= 3;
  let ownerKey = md5(pad(owner));
  for (let i = 0; more && i < 50; i++) ownerKey = md5(ownerKey);
  const o = turn(ownerKey.subarray(0, keyBytes), pad(user), more ? 20 : 1);
  const pBytes = Buffer.alloc(4);
  pBytes.writeInt32LE(p);
  const clear = revision >= 4 && !encryptMetadata ? Buffer.alloc(4, 0xff) : Buffer.alloc(0);
  let key = md5(pad(user), o, pBytes, id, clear);
  for (let i = 0; more && i < 50; i++) key = md5(key.subarray(0, keyBytes));
  key = key.subarray(0, keyBytes);
  const check = more ? turn(key, md5(PADDING, id), 20) : rc4(key, PADDING);
  return { o, u: Buffer.concat([check, Buffer.alloc(32)]).subarray(0, 32), key };
}

/**
 * @param {Buffer} key the file's
 * @param {number} number of an object of generation 0
 * @param {'rc4' | 'aes'} method
 * @param {Buffer} data
 */
function encryptLegacy(key, number, method, data) {
  const salt = Buffer.from([number & 255, (number >> 8) & 255, (number >> 16) & 255, 0, 0]);
  const length = Math.min(16, key.length + 5);
  if (method === 'rc4') return rc4(md5(key, salt).subarray(0, length), data);
  const iv = crypto.randomBytes(16);
  const objectKey = md5(key, salt, Buffer.from('sAlT')).subarray(0, length);
  const cipher = crypto.createCipheriv('aes-128-cbc', objectKey, iv);
  return Buffer.concat([iv, cipher.update(data), cipher.final()]);
}

module.exports = { PAGES, buildPacked, buildPdf, deriveLegacy, encryptLegacy, stream };
