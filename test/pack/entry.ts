import {
  crc32Async,
  crc64nvme,
  crcCombine,
  decryptAsync,
  encrypt,
  hash,
  hmacAsync,
  pdfEncryption,
  recrypt,
  recryptAsync,
  type PdfEncryption,
  type RecryptReport,
} from 'offloop';
import { cipher } from 'offloop/crypto-async';
import { crc32, crc32Backend } from 'offloop/crc32';

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

  const right =
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
  console.log('used from TypeScript');
}

void main();
