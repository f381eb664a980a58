/// <reference types="node" />

import type { KeyObject } from 'node:crypto';
import type { Readable, Transform, TransformOptions, Writable } from 'node:stream';

// Bytes, text and what every operation's options share.

/** Any view or buffer of bytes. A view's own range is meant, not its whole buffer. */
export type Bytes = NodeJS.ArrayBufferView | ArrayBuffer | SharedArrayBuffer;

/** Bytes, or a string that is taken as UTF-8. */
export type BytesOrText = Bytes | string;

/** Options that every Async form takes besides those of its operation. */
export interface AsyncOptions {
  /**
   * Aborts the job: a queued one leaves the queue, a running one stops soon. The promise rejects
   * with the signal's reason.
   */
  signal?: AbortSignal | undefined;
  /**
   * `'auto'`, the default, runs a job that is cheaper than a hop to another thread on this one,
   * within a small budget per turn of the event loop. `'always'` sends each to the pool.
   */
  offload?: 'auto' | 'always' | undefined;
}

// Digests.

/** What `hash` and `hmac` return: a Buffer unless an option says otherwise. */
export interface DigestOptions {
  target?: undefined;
  outputEncoding?: undefined;
}

/** The digest is written to the start of `target`. */
export interface DigestTargetOptions<T extends Uint8Array> {
  /** What holds the digest; `target.subarray(0, n)`, of its own type, is returned. */
  target: T;
  outputEncoding?: undefined;
}

/** The digest is returned as a string. */
export interface DigestEncodingOptions {
  target?: undefined;
  /** How the digest is spelled. */
  outputEncoding: BufferEncoding;
}

/** The part of `hash`'s options that concerns the digest's length. */
export interface HashLength {
  /**
   * Bytes of output, for functions of extendable output: 16 unless given for `shake128`, 32 for
   * `shake256`. For others it must be the digest's own length.
   */
  outputLength?: number | undefined;
}

/**
 * The digest of `data`.
 *
 * @param algorithm - one of {@link hashes}
 * @param data - bytes, or a string that is taken as UTF-8
 * @throws ERR_OFFLOOP_UNKNOWN_ALGORITHM for a digest that this Node does not offer
 */
export function hash(
  algorithm: string,
  data: BytesOrText,
  options?: HashLength & DigestOptions,
): Buffer;
/** The digest of `data` as a string. */
export function hash(
  algorithm: string,
  data: BytesOrText,
  options: HashLength & DigestEncodingOptions,
): string;
/** The digest of `data`, written to `options.target`. */
export function hash<T extends Uint8Array>(
  algorithm: string,
  data: BytesOrText,
  options: HashLength & DigestTargetOptions<T>,
): T;

/** {@link hash} on the pool. */
export function hashAsync(
  algorithm: string,
  data: BytesOrText,
  options?: HashLength & DigestOptions & AsyncOptions,
): Promise<Buffer>;
/** {@link hash} on the pool, as a string. */
export function hashAsync(
  algorithm: string,
  data: BytesOrText,
  options: HashLength & DigestEncodingOptions & AsyncOptions,
): Promise<string>;
/** {@link hash} on the pool, written to `options.target`. */
export function hashAsync<T extends Uint8Array>(
  algorithm: string,
  data: BytesOrText,
  options: HashLength & DigestTargetOptions<T> & AsyncOptions,
): Promise<T>;

/**
 * The HMAC of `data` under `key`.
 *
 * @param algorithm - a digest of fixed length, one of {@link hashes}
 * @param key - bytes, a string that is taken as UTF-8, or a secret KeyObject
 * @param data - bytes, or a string that is taken as UTF-8
 */
export function hmac(
  algorithm: string,
  key: BytesOrText | KeyObject,
  data: BytesOrText,
  options?: DigestOptions,
): Buffer;
/** The HMAC of `data` as a string. */
export function hmac(
  algorithm: string,
  key: BytesOrText | KeyObject,
  data: BytesOrText,
  options: DigestEncodingOptions,
): string;
/** The HMAC of `data`, written to `options.target`. */
export function hmac<T extends Uint8Array>(
  algorithm: string,
  key: BytesOrText | KeyObject,
  data: BytesOrText,
  options: DigestTargetOptions<T>,
): T;

/** {@link hmac} on the pool. */
export function hmacAsync(
  algorithm: string,
  key: BytesOrText | KeyObject,
  data: BytesOrText,
  options?: DigestOptions & AsyncOptions,
): Promise<Buffer>;
/** {@link hmac} on the pool, as a string. */
export function hmacAsync(
  algorithm: string,
  key: BytesOrText | KeyObject,
  data: BytesOrText,
  options: DigestEncodingOptions & AsyncOptions,
): Promise<string>;
/** {@link hmac} on the pool, written to `options.target`. */
export function hmacAsync<T extends Uint8Array>(
  algorithm: string,
  key: BytesOrText | KeyObject,
  data: BytesOrText,
  options: DigestTargetOptions<T> & AsyncOptions,
): Promise<T>;

/** Names that {@link hash} takes on this Node. */
export const hashes: readonly string[];

// Ciphers.

/** What `encrypt` and `decrypt` take besides key, IV and data. */
export interface CipherOptions {
  /** Data that is authenticated but not encrypted. AEAD ciphers only. */
  aad?: Bytes | undefined;
  /**
   * Bytes of tag, 16 unless given, and never inferred. GCM takes 12 to 16, and 4 and 8 where they
   * are asked for; Poly1305 takes 16.
   */
  tagLength?: number | undefined;
  /**
   * Keeps the tag apart from the data: filled by `encrypt`, verified by `decrypt`. Without it the
   * tag stands at the end of the ciphertext.
   */
  tag?: Uint8Array | undefined;
  target?: undefined;
}

/** The result is written to the start of `target`. */
export interface CipherTargetOptions<T extends Uint8Array> extends Omit<CipherOptions, 'target'> {
  /**
   * What holds the result; `target.subarray(0, n)`, of its own type, is returned. It may start
   * where `data` starts; any other overlap is an error.
   */
  target: T;
}

/**
 * Encrypts `data`. AEAD ciphers return ciphertext ‖ tag, as WebCrypto does, unless `options.tag`
 * takes the tag.
 *
 * @param algorithm - one of {@link ciphers}
 * @param key - bytes of just the cipher's length, or a secret KeyObject
 * @param iv - 12 bytes for GCM and ChaCha20-Poly1305; 16 for CTR, and for ChaCha20, whose IV is
 * counter ‖ nonce. Never use one twice under the same key.
 */
export function encrypt(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options?: CipherOptions,
): Buffer;
/** Encrypts `data` into `options.target`. */
export function encrypt<T extends Uint8Array>(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options: CipherTargetOptions<T>,
): T;

/** {@link encrypt} on the pool. */
export function encryptAsync(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options?: CipherOptions & AsyncOptions,
): Promise<Buffer>;
/** {@link encrypt} on the pool, into `options.target`. */
export function encryptAsync<T extends Uint8Array>(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options: CipherTargetOptions<T> & AsyncOptions,
): Promise<T>;

/**
 * Decrypts what {@link encrypt} returned, with the same options. A tag that does not verify is
 * ERR_OFFLOOP_AUTHENTICATION, and no plaintext is left behind.
 */
export function decrypt(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options?: CipherOptions,
): Buffer;
/** Decrypts `data` into `options.target`. */
export function decrypt<T extends Uint8Array>(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options: CipherTargetOptions<T>,
): T;

/** {@link decrypt} on the pool. */
export function decryptAsync(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options?: CipherOptions & AsyncOptions,
): Promise<Buffer>;
/** {@link decrypt} on the pool, into `options.target`. */
export function decryptAsync<T extends Uint8Array>(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options: CipherTargetOptions<T> & AsyncOptions,
): Promise<T>;

/** Names that {@link encrypt} and {@link decrypt} take on this Node. */
export const ciphers: readonly string[];

// Checksums. Each takes the value of the data that came before, 0 if there was none, and returns
// that of all the data: a stream is summed by handing on the value. They find accidents, not
// forgeries.

/** CRC-32 (IEEE), the checksum of ZIP, gzip and PNG. */
export function crc32(data: BytesOrText, value?: number): number;
/** {@link crc32} on the pool; data of several MiB is split over its threads. */
export function crc32Async(
  data: BytesOrText,
  value?: number,
  options?: AsyncOptions,
): Promise<number>;
/** {@link crc32} on the pool, of data with nothing before it. */
export function crc32Async(data: BytesOrText, options?: AsyncOptions): Promise<number>;

/** CRC-32C (Castagnoli), the checksum of iSCSI, ext4 and S3. */
export function crc32c(data: BytesOrText, value?: number): number;
/** {@link crc32c} on the pool; data of several MiB is split over its threads. */
export function crc32cAsync(
  data: BytesOrText,
  value?: number,
  options?: AsyncOptions,
): Promise<number>;
/** {@link crc32c} on the pool, of data with nothing before it. */
export function crc32cAsync(data: BytesOrText, options?: AsyncOptions): Promise<number>;

/** CRC-32K (Koopman), as Go's hash/crc32 defines it. */
export function crc32k(data: BytesOrText, value?: number): number;
/** {@link crc32k} on the pool; data of several MiB is split over its threads. */
export function crc32kAsync(
  data: BytesOrText,
  value?: number,
  options?: AsyncOptions,
): Promise<number>;
/** {@link crc32k} on the pool, of data with nothing before it. */
export function crc32kAsync(data: BytesOrText, options?: AsyncOptions): Promise<number>;

/** CRC-64/NVME, S3's default checksum. */
export function crc64nvme(data: BytesOrText, value?: bigint): bigint;
/** {@link crc64nvme} on the pool; data of several MiB is split over its threads. */
export function crc64nvmeAsync(
  data: BytesOrText,
  value?: bigint,
  options?: AsyncOptions,
): Promise<bigint>;
/** {@link crc64nvme} on the pool, of data with nothing before it. */
export function crc64nvmeAsync(data: BytesOrText, options?: AsyncOptions): Promise<bigint>;

/** The checksums that {@link crcCombine} takes. */
export type ChecksumName = 'crc32' | 'crc32c' | 'crc32k' | 'crc64nvme';

/**
 * The checksum of two pieces of data one after the other, from those of the pieces.
 *
 * @param first - of the first piece
 * @param second - of the second, summed by itself
 * @param secondLength - bytes in the second piece, below 2^64
 */
export function crcCombine(
  name: 'crc64nvme',
  first: bigint,
  second: bigint,
  secondLength: number | bigint,
): bigint;
/** The same for the checksums of 32 bits. */
export function crcCombine(
  name: Exclude<ChecksumName, 'crc64nvme'>,
  first: number,
  second: number,
  secondLength: number | bigint,
): number;

/** A checksum's value: a bigint for `'crc64nvme'`, a number for the others. */
export type ChecksumValue<N extends ChecksumName> = N extends 'crc64nvme' ? bigint : number;

/** Which checksum, and what it goes on from. */
export interface ChecksumOptions<N extends ChecksumName> {
  /** `'crc32'` unless given. */
  checksum?: N | undefined;
  /** That of the data that came before; 0 if there was none. */
  value?: ChecksumValue<N> | undefined;
}

// Files. A file is read and hashed in one job; its contents never pass through the event loop.

/**
 * The digest of a file's contents, as long as it is when it is opened. Takes regular files and block
 * devices; pipes, sockets and character devices are refused at once, for they may have no end:
 * pipe those through {@link createHash}.
 *
 * @param path - made absolute at the time of the call
 * @throws system errors as `fs` gives them: ENOENT, EISDIR, EACCES …
 */
export function hashFile(
  path: string | URL,
  algorithm: string,
  options?: HashLength & DigestOptions,
): Buffer;
/** The digest of a file's contents as a string. */
export function hashFile(
  path: string | URL,
  algorithm: string,
  options: HashLength & DigestEncodingOptions,
): string;
/** The digest of a file's contents, written to `options.target`. */
export function hashFile<T extends Uint8Array>(
  path: string | URL,
  algorithm: string,
  options: HashLength & DigestTargetOptions<T>,
): T;

/** {@link hashFile} on the pool; several files at a time. */
export function hashFileAsync(
  path: string | URL,
  algorithm: string,
  options?: HashLength & DigestOptions & AsyncOptions,
): Promise<Buffer>;
/** {@link hashFile} on the pool, as a string. */
export function hashFileAsync(
  path: string | URL,
  algorithm: string,
  options: HashLength & DigestEncodingOptions & AsyncOptions,
): Promise<string>;
/** {@link hashFile} on the pool, written to `options.target`. */
export function hashFileAsync<T extends Uint8Array>(
  path: string | URL,
  algorithm: string,
  options: HashLength & DigestTargetOptions<T> & AsyncOptions,
): Promise<T>;

/**
 * The checksum of a file's contents. Takes the files that {@link hashFile} takes.
 *
 * @param path - made absolute at the time of the call
 * @param name - `'crc32'` unless given
 */
export function crcFile<N extends ChecksumName = 'crc32'>(
  path: string | URL,
  name?: N,
  options?: Pick<ChecksumOptions<N>, 'value'>,
): ChecksumValue<N>;

/** {@link crcFile} on the pool. */
export function crcFileAsync<N extends ChecksumName = 'crc32'>(
  path: string | URL,
  name?: N,
  options?: Pick<ChecksumOptions<N>, 'value'> & AsyncOptions,
): Promise<ChecksumValue<N>>;

// Two steps in one job.

/** What {@link checksumAndWrite} takes besides the data. */
export interface WriteOptions<N extends ChecksumName> extends ChecksumOptions<N> {
  /** Where in the file; null, or left out, where the descriptor stands. */
  position?: number | null | undefined;
}

/** What {@link checksumAndWrite} did. */
export interface Written<N extends ChecksumName> {
  /** That of the data. */
  checksum: ChecksumValue<N>;
  /** How much data there was. */
  bytesWritten: number;
}

/**
 * Writes all of `data` to a file, pipe or socket, and sums it on the way. Short writes are gone on
 * with; a descriptor that takes nothing for the moment (EAGAIN) is waited for.
 *
 * @param fd - as `fs.open` gives it
 * @throws system errors as `fs` gives them, with `bytesWritten`: how much was written before
 */
export function checksumAndWrite<N extends ChecksumName = 'crc32'>(
  fd: number,
  data: Bytes,
  options?: WriteOptions<N>,
): Written<N>;

/**
 * {@link checksumAndWrite} on the pool. As with `fs.write`, of several at a time each needs its own
 * `position`, for they may run in any order. An aborted one may have written part of its data.
 */
export function checksumAndWriteAsync<N extends ChecksumName = 'crc32'>(
  fd: number,
  data: Bytes,
  options?: WriteOptions<N> & AsyncOptions,
): Promise<Written<N>>;

/** What {@link encryptAndChecksum} returns. */
export interface EncryptedAndSummed<T extends Uint8Array, N extends ChecksumName> {
  /** What {@link encrypt} would return. */
  data: T;
  /** That of `data`: with a tag at its end, but without one that is kept apart. */
  checksum: ChecksumValue<N>;
}

/**
 * Encrypts as {@link encrypt} does and sums the result block by block, while it is still in the
 * processor's caches, so that the checksum costs next to nothing.
 */
export function encryptAndChecksum<N extends ChecksumName = 'crc32'>(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options?: CipherOptions & ChecksumOptions<N>,
): EncryptedAndSummed<Buffer, N>;
/** Encrypts into `options.target` and sums the result. */
export function encryptAndChecksum<T extends Uint8Array, N extends ChecksumName = 'crc32'>(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options: CipherTargetOptions<T> & ChecksumOptions<N>,
): EncryptedAndSummed<T, N>;

/** {@link encryptAndChecksum} on the pool. */
export function encryptAndChecksumAsync<N extends ChecksumName = 'crc32'>(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options?: CipherOptions & ChecksumOptions<N> & AsyncOptions,
): Promise<EncryptedAndSummed<Buffer, N>>;
/** {@link encryptAndChecksum} on the pool, into `options.target`. */
export function encryptAndChecksumAsync<T extends Uint8Array, N extends ChecksumName = 'crc32'>(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  data: Bytes,
  options: CipherTargetOptions<T> & ChecksumOptions<N> & AsyncOptions,
): Promise<EncryptedAndSummed<T, N>>;

// Streams. Node's Transforms, whose work is done on the pool: in order, one job at a time for each
// stream, with as much of what was written meanwhile in it as there is.

/**
 * What a stream takes of Node's own options. Its writable side's `highWaterMark` is 4 MiB unless
 * given, so that its source goes on while a job runs. Large chunks cost the loop least: read files with
 * a `highWaterMark` of 1 to 4 MiB.
 */
export type StreamOptions = Pick<
  TransformOptions,
  | 'highWaterMark'
  | 'readableHighWaterMark'
  | 'writableHighWaterMark'
  | 'encoding'
  | 'defaultEncoding'
  | 'emitClose'
  | 'signal'
>;

/** A stream that takes data and, at its end, emits the digest, as Node's own `createHash` does. */
export function createHash(algorithm: string, options?: HashLength & StreamOptions): Transform;

/** A stream that takes data and, at its end, emits the HMAC. */
export function createHmac(
  algorithm: string,
  key: BytesOrText | KeyObject,
  options?: StreamOptions,
): Transform;

/** What the streams of ciphers take. */
export type CipherStreamOptions = Omit<CipherOptions, 'target'> & StreamOptions;

/**
 * A stream that emits the ciphertext, then an AEAD's tag, unless `options.tag` takes that.
 *
 * @param key - see {@link encrypt}
 * @param iv - see {@link encrypt}
 */
export function createEncrypt(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  options?: CipherStreamOptions,
): Transform;

/**
 * A stream that decrypts what {@link createEncrypt} emits, or {@link encrypt} returns.
 *
 * **What it emits is not authenticated until it has ended.** The tag comes last, so plaintext is
 * handed on before anyone can tell whether it was forged. A tag that does not verify destroys the
 * stream with ERR_OFFLOOP_AUTHENTICATION; whatever was read from it until then must be thrown away.
 * Write it where no one uses it before `'end'`, as to a temporary file; or use {@link decrypt},
 * which gives out nothing unverified, and seal large data in segments.
 *
 * @param key - see {@link encrypt}
 * @param iv - see {@link encrypt}
 */
export function createDecrypt(
  algorithm: string,
  key: Bytes | KeyObject,
  iv: Bytes,
  options?: CipherStreamOptions,
): Transform;

/** A stream that lets data pass unchanged and sums it. */
export interface CrcStream<N extends ChecksumName> extends Transform {
  /** The checksum of what has passed so far; once the stream has ended, of all. */
  readonly value: ChecksumValue<N>;
}

/**
 * A stream that lets data pass unchanged and sums it.
 *
 * @param name - `'crc32'` unless given
 */
export function createCrc<N extends ChecksumName = 'crc32'>(
  name?: N,
  options?: Pick<ChecksumOptions<N>, 'value'> & StreamOptions,
): CrcStream<N>;

// PDF.

/** Where a document comes from: its path, its file URL or its bytes. */
export type PdfSource = string | URL | Bytes;

/** A password: text, or bytes that are used as they are. */
export type PdfPassword = string | Bytes;

/** The encryptions that {@link recrypt} writes. */
export type PdfEncryptionName = 'aes-256' | 'aes-128' | 'rc4-128' | 'rc4-40';

/** MuhammaraJS's version numbers; 0 means not given. */
export type PdfVersion = 0 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 20;

/** What a reader lets those do who opened the document with the user password. */
export interface PdfPermissions {
  /** `'low'` allows printing as a picture of low resolution. */
  print?: 'full' | 'low' | 'none' | undefined;
  /** Change the document's contents. */
  modify?: boolean | undefined;
  /** Copy text and graphics. */
  copy?: boolean | undefined;
  /** Add annotations. */
  annotate?: boolean | undefined;
  /** Fill in form fields. */
  fillForms?: boolean | undefined;
  /** Extract text for accessibility. Always granted by AES encryption. */
  accessibility?: boolean | undefined;
  /** Insert, delete and rotate pages. */
  assemble?: boolean | undefined;
}

/** What opens the source, encrypted or not. */
export interface PdfOpenOptions {
  /** The source's user or owner password. */
  password?: PdfPassword | undefined;
}

/** How the source is read and the output written, whatever its encryption. */
export interface RecryptCommonOptions extends PdfOpenOptions {
  /** Whether the output is arranged for viewing page by page while it loads: false unless given. */
  linearize?: boolean | undefined;
  /** Whether objects are kept together in compressed streams: as they are unless given. */
  objectStreams?: 'preserve' | 'generate' | 'disable' | undefined;
  /** Whether damage is an error, even where it could be repaired: false unless given. */
  strict?: boolean | undefined;
  /**
   * Called once for each warning when the work is done, on the calling thread. What it throws passes
   * through; the target is written by then.
   */
  onWarning?: ((message: string) => void) | undefined;
}

/** What {@link recryptAsync} takes besides. */
export interface RecryptAsyncOptions extends AsyncOptions {
  /** Called with the fraction done, from time to time; it never falls, and ends at 1. */
  onProgress?: ((fraction: number) => void) | undefined;
}

/** Without a new password the output is not encrypted, and nothing about encryption may be said. */
export interface RecryptPlainOptions extends RecryptCommonOptions {
  userPassword?: undefined;
  ownerPassword?: undefined;
  encryption?: undefined;
  version?: undefined;
  userProtectionFlag?: undefined;
  permissions?: undefined;
  encryptMetadata?: undefined;
}

/** How the output is encrypted. */
export interface PdfProtection extends RecryptCommonOptions {
  /** `'aes-256'` unless `version` says otherwise. */
  encryption?: PdfEncryptionName | undefined;
  /**
   * For those who come from MuhammaraJS: 10–13 rc4-40, 14 and 15 rc4-128, 16 and 17 aes-128,
   * 20 aes-256, where `encryption` is not given. Also the least PDF version that is written.
   */
  version?: PdfVersion | undefined;
  /** Whether XMP metadata is encrypted too: true unless given. */
  encryptMetadata?: boolean | undefined;
}

/** At least one new password; without an owner password the user's serves as both. */
export type PdfNewPasswords =
  | {
      /** Opens the output, with the permissions given. `''` lets it open without a password. */
      userPassword: PdfPassword;
      /** Opens the output with all permissions. */
      ownerPassword?: PdfPassword | undefined;
    }
  | {
      /** Left out, the output opens without a password. */
      userPassword?: PdfPassword | undefined;
      /** Opens the output with all permissions. */
      ownerPassword: PdfPassword;
    };

/** Permissions as a number or by name, not both. */
export type PdfPermissionOptions =
  | {
      /**
       * Permission bits: 4 print, 8 modify, 16 copy, 32 annotate, 256 fill forms, 512
       * accessibility, 1024 assemble, 2048 print in high resolution; or a whole, signed /P.
       * 4 unless given.
       */
      userProtectionFlag?: number | undefined;
      permissions?: undefined;
    }
  | {
      /** Permissions by name; what is left out is denied. */
      permissions: PdfPermissions;
      userProtectionFlag?: undefined;
    };

/** Options with a new password: the output is encrypted. */
export type RecryptEncryptOptions = PdfProtection & PdfNewPasswords & PdfPermissionOptions;

/** What {@link recrypt} takes. */
export type RecryptOptions = RecryptPlainOptions | RecryptEncryptOptions;

/** What {@link recrypt} tells of a document that it wrote. */
export interface RecryptReport {
  /** The output's size. */
  bytesWritten: number;
  /** Whether the source was damaged and has been repaired. */
  repaired: boolean;
  /** What was found odd in the source. */
  warnings: string[];
}

/**
 * Writes a PDF document anew: encrypted with new passwords, or, with neither, decrypted. Contents
 * pass through unchanged. A file appears under `target` whole or not at all; the source's own path
 * may be given.
 *
 * @throws ERR_OFFLOOP_PDF_PASSWORD where `options.password` does not open the source,
 * ERR_OFFLOOP_PDF_DAMAGED where it cannot be read, ERR_OFFLOOP_PDF_UNSUPPORTED where it is
 * protected by other means than passwords, and system errors as `fs` gives them
 */
export function recrypt(
  source: PdfSource,
  target: string | URL,
  options?: RecryptOptions,
): RecryptReport;
/** Writes a PDF document anew, without encryption, and returns it. */
export function recrypt(source: PdfSource): Buffer;
/** Writes a PDF document anew and returns it. */
export function recrypt(source: PdfSource, options: RecryptOptions): Buffer;

/**
 * {@link recrypt} on the pool; several documents at a time. Source and target may be streams: the
 * source is read to its end first, the target ended on success and destroyed on failure.
 */
export function recryptAsync(
  source: PdfSource | Readable,
  target: string | URL | Writable,
  options?: RecryptOptions & RecryptAsyncOptions,
): Promise<RecryptReport>;
/** {@link recrypt} on the pool, without encryption, returning the document. */
export function recryptAsync(source: PdfSource | Readable): Promise<Buffer>;
/** {@link recrypt} on the pool, returning the document. */
export function recryptAsync(
  source: PdfSource | Readable,
  options: RecryptOptions & RecryptAsyncOptions,
): Promise<Buffer>;

/** A document that is not encrypted. */
export interface PdfNotEncrypted {
  encrypted: false;
  encryption: null;
  version: null;
  revision: null;
  keyBits: null;
  p: null;
  userProtectionFlag: null;
  permissions: null;
  encryptMetadata: null;
  opensAs: null;
}

/** A document that is encrypted with passwords. */
export interface PdfEncrypted {
  /** Whether the document is encrypted. */
  encrypted: true;
  /** What streams and strings are encrypted with; `'mixed'` where they differ. */
  encryption: 'aes-256' | 'aes-128' | 'rc4' | 'mixed' | null;
  /** The encryption dictionary's /V. */
  version: number;
  /** The encryption dictionary's /R. */
  revision: number;
  /** The key's length. */
  keyBits: number;
  /** The encryption dictionary's /P, signed. */
  p: number;
  /** The eight bits of `p` that mean something, as {@link recrypt} takes them. */
  userProtectionFlag: number;
  /** The same by name. */
  permissions: Required<PdfPermissions>;
  /** Whether XMP metadata is encrypted too. */
  encryptMetadata: boolean;
  /** What the password given is; null where it opens nothing. */
  opensAs: 'user' | 'owner' | 'both' | null;
}

/** How a document is protected. */
export type PdfEncryption = PdfNotEncrypted | PdfEncrypted;

/**
 * Tells how a document is protected and what `options.password` opens it as. A wrong password is no
 * error here: what the file itself says is told all the same.
 */
export function pdfEncryption(source: PdfSource, options?: PdfOpenOptions): PdfEncryption;

/** {@link pdfEncryption} on the pool. */
export function pdfEncryptionAsync(
  source: PdfSource,
  options?: PdfOpenOptions & AsyncOptions,
): Promise<PdfEncryption>;

// The pool.

/** What the queue of this environment is doing. */
export interface PoolStats {
  /** Jobs that wait. */
  queued: number;
  /** Jobs that a thread has taken and whose results are not delivered yet. */
  running: number;
  /** Jobs that ended, well or not. */
  completed: number;
  /** Jobs that were aborted. */
  cancelled: number;
  /** How many of the pool’s threads jobs may use at once, in the whole process. */
  threads: number;
}

/** The share of libuv's thread pool that offloop takes. */
export interface Pool {
  /**
   * How many threads long jobs may take at once in the whole process, at most one fewer than
   * libuv's pool has, so that `fs` and `dns` always find one.
   */
  concurrency: number;
  /** How many jobs may wait; one more is ERR_OFFLOOP_QUEUE_FULL. Infinity unless set. */
  maxQueued: number;
  /** Resolves once no job waits or runs. */
  drain(): Promise<void>;
  /** The queue's figures now. */
  stats(): PoolStats;
}

/** The pool that every Async form shares. */
export const pool: Pool;

// Errors.

/** The codes of errors that only offloop raises; others are Node's own. */
export type OffloopErrorCode =
  | 'ERR_OFFLOOP_AUTHENTICATION'
  | 'ERR_OFFLOOP_CRYPTO'
  | 'ERR_OFFLOOP_DETACHED'
  | 'ERR_OFFLOOP_PDF_DAMAGED'
  | 'ERR_OFFLOOP_PDF_PASSWORD'
  | 'ERR_OFFLOOP_PDF_UNSUPPORTED'
  | 'ERR_OFFLOOP_QUEUE_FULL'
  | 'ERR_OFFLOOP_UNKNOWN_ALGORITHM';

/** What offloop throws and rejects with: a TypeError, RangeError or Error with a code. */
export interface OffloopError extends Error {
  /** Node's own codes, `ERR_…` and system errors', and {@link OffloopErrorCode}. */
  code: OffloopErrorCode | (string & {});
}
