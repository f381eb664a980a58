'use strict';

const checksum = require('./checksum');
const { decrypt, decryptAsync, encrypt, encryptAsync, listCiphers } = require('./cipher');
const { hash, hashAsync, hmac, hmacAsync, listHashes } = require('./hash');
const file = require('./file');
const fused = require('./fused');
const pool = require('./pool');
const { pdfEncryption, pdfEncryptionAsync, recrypt, recryptAsync } = require('./recrypt');
const stream = require('./stream');

module.exports = {
  ...checksum,
  ...file,
  ...fused,
  ...stream,
  ciphers: Object.freeze(listCiphers()),
  decrypt,
  decryptAsync,
  encrypt,
  encryptAsync,
  hash,
  hashAsync,
  hashes: Object.freeze(listHashes()),
  hmac,
  hmacAsync,
  pdfEncryption,
  pdfEncryptionAsync,
  pool,
  recrypt,
  recryptAsync,
};
