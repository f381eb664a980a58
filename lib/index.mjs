import offloop from './index.js';

export default offloop;
export const {
  ciphers,
  crc32,
  crc32Async,
  crc32c,
  crc32cAsync,
  crc32k,
  crc32kAsync,
  crc64nvme,
  crc64nvmeAsync,
  crcCombine,
  decrypt,
  decryptAsync,
  encrypt,
  encryptAsync,
  hash,
  hashAsync,
  hashes,
  hmac,
  hmacAsync,
  pdfEncryption,
  pdfEncryptionAsync,
  pool,
  recrypt,
  recryptAsync,
} = offloop;
