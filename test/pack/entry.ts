import * as offloop from 'offloop';
import {
  crc32Async,
  createCrc,
  createDecrypt,
  createEncrypt,
  crc64nvme,
  crcCombine,
  decryptAsync,
  encrypt,
  encryptAndChecksumAsync,
  hash,
  hashFile,
  hmacAsync,
  pdfEncryption,
  recrypt,
  recryptAsync,
  type PdfEncryption,
  type RecryptReport,
} from 'offloop';
import * as cryptoAsync from 'offloop/crypto-async';
import * as crc32Module from 'offloop/crc32';
import { pipeline } from 'node:stream/promises';

import { useAll } from './operations.js';

const { cipher } = cryptoAsync;
const { crc32, crc32Backend } = crc32Module;

async function main(): Promise<void> {
  const key = new Uint8Array(32);
  const iv = new Uint8Array(12);
  const data = new TextEncoder().encode('typed');

  const sealed: Buffer = encrypt('aes-256-gcm', key, iv, data, { aad: iv });
  const opened: Uint8Array = await decryptAsync('aes-256-gcm', key, iv, sealed, {
    aad: iv,
    target: new Uint8Array(data.length),
  });
  const hex: string = hash('sha256', data, { outputEncoding: 'hex' });
  const mac: Buffer = await hmacAsync('sha256', key, data);
  const sum: number = await crc32Async(data);
  const long: bigint = crcCombine('crc64nvme', crc64nvme(data), 0n, 0);
  const report: RecryptReport = recrypt('plain.pdf', 'typed.pdf', {
    ownerPassword: 'own',
    permissions: { print: 'full' },
  });
  const told: PdfEncryption = pdfEncryption('typed.pdf');
  const plain: Buffer = await recryptAsync('typed.pdf', { password: 'own' });
  const stream: Buffer = cipher('aes-256-ctr', 1, Buffer.from(key), Buffer.alloc(16), sealed);

  const both = await encryptAndChecksumAsync('aes-256-gcm', key, iv, data, {
    checksum: 'crc64nvme',
  });
  const wide: bigint = both.checksum;
  const digest: string = hashFile('plain.pdf', 'sha256', { outputEncoding: 'hex' });
  const crc = createCrc('crc64nvme');
  await pipeline(
    [Buffer.from(data)],
    createEncrypt('aes-256-gcm', key, iv),
    createDecrypt('aes-256-gcm', key, iv),
    crc,
    async (source) => {
      for await (const _ of source);
    },
  );
  const streamed: bigint = crc.value;

  const right =
    wide === crc64nvme(both.data) &&
    digest.length === 64 &&
    streamed === crc64nvme(data) &&
    opened.length === data.length &&
    hex.length === 64 &&
    mac.length === 32 &&
    sum === crc32(data) &&
    long === crc64nvme(data) &&
    report.bytesWritten > 0 &&
    told.encrypted &&
    told.permissions.print === 'full' &&
    plain.length > 0 &&
    stream.length === sealed.length &&
    crc32Backend === 'native';
  if (!right) throw new Error('a wrong result');
  await useAll(offloop, cryptoAsync, crc32Module);
  console.log('used from TypeScript');
}

void main();
