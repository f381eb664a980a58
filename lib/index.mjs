import offloop from './index.js';

export default offloop;
export const {
  ciphers,
  decrypt,
  decryptAsync,
  encrypt,
  encryptAsync,
  hash,
  hashAsync,
  hashes,
  hmac,
  hmacAsync,
  pool,
} = offloop;
