/*
 * Checked by tsc, never run: what must type-check does, and each line after @ts-expect-error must
 * not.
 */

import { createSecretKey } from 'node:crypto';
import * as offloop from 'offloop';
import type { OffloopError, PdfEncryption, RecryptOptions, RecryptReport } from 'offloop';

/** Holds where `Actual` is just `Expected`. */
type Same<Actual, Expected> =
  (<T>() => T extends Actual ? 1 : 2) extends <T>() => T extends Expected ? 1 : 2 ? true : false;
declare function same<Expected>(): <Actual>(
  value: Actual,
  ...wrong: Same<Actual, Expected> extends true ? [] : ['not the type expected']
) => void;

declare const buffer: Buffer;
declare const bytes: Uint8Array;
declare const words: Uint16Array;
declare const view: DataView;
declare const arrayBuffer: ArrayBuffer;
declare const shared: SharedArrayBuffer;
declare const text: string;
declare const maybe: string | undefined;
declare const signal: AbortSignal;
const secret = createSecretKey(buffer);

class Part extends Uint8Array {}
declare const part: Part;

// hash
same<Buffer>()(offloop.hash('sha256', 'text'));
same<Buffer>()(offloop.hash('sha256', view, {}));
same<Buffer>()(offloop.hash('shake256', shared, { outputLength: 64 }));
same<string>()(offloop.hash('sha256', arrayBuffer, { outputEncoding: 'hex' }));
same<Part>()(offloop.hash('sha256', words, { target: part }));
same<Promise<Buffer>>()(offloop.hashAsync('sha256', bytes, { signal, offload: 'always' }));
same<Promise<string>>()(offloop.hashAsync('sha256', bytes, { outputEncoding: 'base64url' }));
same<Promise<Part>>()(offloop.hashAsync('sha256', bytes, { target: part, signal }));
// @ts-expect-error no algorithm
offloop.hash(bytes);
// @ts-expect-error numbers are not data
offloop.hash('sha256', 5);
// @ts-expect-error an array of numbers is not bytes
offloop.hash('sha256', [1, 2, 3]);
// @ts-expect-error no such encoding
offloop.hash('sha256', bytes, { outputEncoding: 'rot13' });
// @ts-expect-error a target and an encoding
offloop.hash('sha256', bytes, { target: buffer, outputEncoding: 'hex' });
// @ts-expect-error a DataView cannot be a target
offloop.hash('sha256', bytes, { target: view });
// @ts-expect-error elements of a target are bytes
offloop.hash('sha256', bytes, { target: words });
// @ts-expect-error a digest cannot be aborted on this thread
offloop.hash('sha256', bytes, { signal });
// @ts-expect-error no such choice
void offloop.hashAsync('sha256', bytes, { offload: 'never' });
// @ts-expect-error misspelled
offloop.hash('shake128', bytes, { outputlength: 5 });

// hmac
same<Buffer>()(offloop.hmac('sha256', 'key', 'text'));
same<Buffer>()(offloop.hmac('sha256', secret, bytes));
same<string>()(offloop.hmac('sha256', bytes, text, { outputEncoding: 'hex' }));
same<Part>()(offloop.hmac('sha256', bytes, text, { target: part }));
same<Promise<Buffer>>()(offloop.hmacAsync('sha256', bytes, text, { signal }));
same<Promise<string>>()(offloop.hmacAsync('sha256', bytes, text, { outputEncoding: 'hex' }));
same<Promise<Part>>()(offloop.hmacAsync('sha256', bytes, text, { target: part }));
// @ts-expect-error no data
offloop.hmac('sha256', bytes);
// @ts-expect-error an HMAC has one length
offloop.hmac('sha256', bytes, text, { outputLength: 16 });
// @ts-expect-error a key must be there
offloop.hmac('sha256', maybe, bytes);

// encrypt and decrypt
same<Buffer>()(offloop.encrypt('aes-256-gcm', bytes, bytes, bytes));
same<Buffer>()(offloop.encrypt('aes-256-gcm', secret, view, bytes, { aad: bytes, tag: bytes }));
same<Part>()(offloop.encrypt('aes-256-ctr', bytes, bytes, bytes, { target: part }));
same<Promise<Buffer>>()(offloop.encryptAsync('chacha20', bytes, bytes, bytes, { signal }));
same<Promise<Part>>()(offloop.encryptAsync('chacha20', bytes, bytes, bytes, { target: part }));
same<Buffer>()(offloop.decrypt('aes-256-gcm', bytes, bytes, bytes, { tagLength: 12 }));
same<Part>()(offloop.decrypt('aes-256-gcm', bytes, bytes, bytes, { target: part, tag: bytes }));
same<Promise<Buffer>>()(offloop.decryptAsync('aes-256-gcm', bytes, bytes, bytes));
same<Promise<Part>>()(
  offloop.decryptAsync('aes-256-gcm', bytes, bytes, bytes, { target: part, signal }),
);
// @ts-expect-error data to encrypt has no implied encoding
offloop.encrypt('aes-256-gcm', bytes, bytes, 'text');
// @ts-expect-error nor has a key
offloop.encrypt('aes-256-gcm', 'key', bytes, bytes);
// @ts-expect-error no data
offloop.encrypt('aes-256-gcm', bytes, bytes);
// @ts-expect-error an IV must be there
offloop.encrypt('aes-256-gcm', bytes, null, bytes);
// @ts-expect-error a tag is filled, so its elements are bytes
offloop.encrypt('aes-256-gcm', bytes, bytes, bytes, { tag: view });
// @ts-expect-error ciphertext is bytes
offloop.encrypt('aes-256-gcm', bytes, bytes, bytes, { outputEncoding: 'hex' });
// @ts-expect-error nothing to abort
offloop.decrypt('aes-256-gcm', bytes, bytes, bytes, { signal });

// recrypt
same<RecryptReport>()(offloop.recrypt('in.pdf', 'out.pdf', { userPassword: 'u' }));
same<RecryptReport>()(offloop.recrypt(bytes, new URL('file:///out.pdf')));
same<Buffer>()(offloop.recrypt('in.pdf'));
same<Buffer>()(offloop.recrypt(new URL('file:///in.pdf'), { password: 'p' }));
same<Promise<RecryptReport>>()(
  offloop.recryptAsync('in.pdf', 'out.pdf', {
    password: bytes,
    userPassword: '',
    ownerPassword: 'o',
    encryption: 'aes-128',
    permissions: { print: 'full', copy: true },
    signal,
  }),
);
same<Promise<Buffer>>()(offloop.recryptAsync(bytes));
same<Promise<Buffer>>()(offloop.recryptAsync(bytes, { ownerPassword: 'o', version: 16, signal }));
const fine: RecryptOptions[] = [
  {},
  { password: maybe },
  { userPassword: 'u', ownerPassword: maybe, userProtectionFlag: 4 },
  { userPassword: maybe, ownerPassword: 'o', encryptMetadata: false },
];
offloop.recrypt('in.pdf', 'out.pdf', fine[0]);
// @ts-expect-error a target that may be missing
offloop.recrypt('in.pdf', maybe);
// @ts-expect-error a missing target is not the form that returns a Buffer
offloop.recrypt('in.pdf', undefined);
// @ts-expect-error nor is this
offloop.recrypt('in.pdf', null, { userPassword: 'u' });
// @ts-expect-error bytes are not a target
offloop.recrypt('in.pdf', buffer);
// @ts-expect-error encryption without a password
offloop.recrypt('in.pdf', 'out.pdf', { encryption: 'aes-256' });
// @ts-expect-error permissions without a password
offloop.recrypt('in.pdf', 'out.pdf', { permissions: { print: 'low' } });
// @ts-expect-error a password that may be missing cannot say that the output is encrypted
offloop.recrypt('in.pdf', 'out.pdf', { userPassword: maybe, encryption: 'aes-256' });
// @ts-expect-error permissions twice
offloop.recrypt('in.pdf', 'out.pdf', { userPassword: 'u', permissions: {}, userProtectionFlag: 4 });
// @ts-expect-error no such encryption
offloop.recrypt('in.pdf', 'out.pdf', { userPassword: 'u', encryption: 'aes-192' });
// @ts-expect-error no such version
offloop.recrypt('in.pdf', 'out.pdf', { userPassword: 'u', version: 18 });
// @ts-expect-error no such permission
offloop.recrypt('in.pdf', 'out.pdf', { userPassword: 'u', permissions: { printing: true } });
// @ts-expect-error printing has degrees
offloop.recrypt('in.pdf', 'out.pdf', { userPassword: 'u', permissions: { print: true } });
// @ts-expect-error nothing to abort
offloop.recrypt('in.pdf', 'out.pdf', { userPassword: 'u', signal });

// pdfEncryption
const found: PdfEncryption = offloop.pdfEncryption('in.pdf', { password: 'p' });
if (found.encrypted) same<number>()(found.p);
else same<null>()(found.p);
same<Promise<PdfEncryption>>()(offloop.pdfEncryptionAsync(bytes, { password: bytes, signal }));
// @ts-expect-error it takes one password, of either kind
offloop.pdfEncryption('in.pdf', { userPassword: 'p' });
// @ts-expect-error no source
offloop.pdfEncryption();

// pool, names and errors
offloop.pool.concurrency = 2;
offloop.pool.maxQueued = Infinity;
same<number>()(offloop.pool.stats().queued);
same<Promise<void>>()(offloop.pool.drain());
same<readonly string[]>()(offloop.ciphers);
// @ts-expect-error the lists are not the caller's
offloop.hashes.push('md4');
// @ts-expect-error nor is the pool
offloop.pool = offloop.pool;
const codeOf = (error: OffloopError) => {
  if (error.code === 'ERR_OFFLOOP_PDF_PASSWORD' || error.code === 'ENOENT') return error.message;
  return error.code;
};
same<string>()(codeOf(Object.assign(new Error('x'), { code: 'EACCES' })));
