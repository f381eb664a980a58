/// <reference types="node" />

/*
 * Forms with offsets and sizes take any view, and count its bytes; those without take Buffers only.
 * Wrong arguments are thrown in all forms, a callback gets the errors of the work itself. Messages are
 * the `E_*` below.
 */

/** Receives an error, or the result. */
export type Callback<T> = (error: Error | undefined, result: T) => void;

/** 1 to encrypt, 0 to decrypt. */
export type Direction = 0 | 1;

/** Encrypts or decrypts `source`; the result is a new Buffer. */
export function cipher(
  algorithm: string,
  encrypt: Direction,
  key: Buffer,
  iv: Buffer,
  source: Buffer,
): Buffer;
/** The same without blocking; the callback is called later. */
export function cipher(
  algorithm: string,
  encrypt: Direction,
  key: Buffer,
  iv: Buffer,
  source: Buffer,
  callback: Callback<Buffer>,
): void;
/** Encrypts or decrypts `source` and authenticates it and `aad` by `tag`. */
export function cipher(
  algorithm: string,
  encrypt: Direction,
  key: Buffer,
  iv: Buffer,
  source: Buffer,
  aad: Buffer,
  tag: Buffer,
): Buffer;
/** The same without blocking; the callback is called later. */
export function cipher(
  algorithm: string,
  encrypt: Direction,
  key: Buffer,
  iv: Buffer,
  source: Buffer,
  aad: Buffer,
  tag: Buffer,
  callback: Callback<Buffer>,
): void;
/** Encrypts or decrypts from one buffer into another; the result is the bytes written. */
export function cipher(
  algorithm: string,
  encrypt: Direction,
  key: NodeJS.ArrayBufferView,
  keyOffset: number,
  keySize: number,
  iv: NodeJS.ArrayBufferView,
  ivOffset: number,
  ivSize: number,
  source: NodeJS.ArrayBufferView,
  sourceOffset: number,
  sourceSize: number,
  target: NodeJS.ArrayBufferView,
  targetOffset: number,
): number;
/** The same without blocking; the callback is called later. */
export function cipher(
  algorithm: string,
  encrypt: Direction,
  key: NodeJS.ArrayBufferView,
  keyOffset: number,
  keySize: number,
  iv: NodeJS.ArrayBufferView,
  ivOffset: number,
  ivSize: number,
  source: NodeJS.ArrayBufferView,
  sourceOffset: number,
  sourceSize: number,
  target: NodeJS.ArrayBufferView,
  targetOffset: number,
  callback: Callback<number>,
): void;
/** Encrypts or decrypts from one buffer into another and authenticates; the result is the bytes written. */
export function cipher(
  algorithm: string,
  encrypt: Direction,
  key: NodeJS.ArrayBufferView,
  keyOffset: number,
  keySize: number,
  iv: NodeJS.ArrayBufferView,
  ivOffset: number,
  ivSize: number,
  source: NodeJS.ArrayBufferView,
  sourceOffset: number,
  sourceSize: number,
  target: NodeJS.ArrayBufferView,
  targetOffset: number,
  aad: NodeJS.ArrayBufferView,
  aadOffset: number,
  aadSize: number,
  tag: NodeJS.ArrayBufferView,
  tagOffset: number,
  tagSize: number,
): number;
/** The same without blocking; the callback is called later. */
export function cipher(
  algorithm: string,
  encrypt: Direction,
  key: NodeJS.ArrayBufferView,
  keyOffset: number,
  keySize: number,
  iv: NodeJS.ArrayBufferView,
  ivOffset: number,
  ivSize: number,
  source: NodeJS.ArrayBufferView,
  sourceOffset: number,
  sourceSize: number,
  target: NodeJS.ArrayBufferView,
  targetOffset: number,
  aad: NodeJS.ArrayBufferView,
  aadOffset: number,
  aadSize: number,
  tag: NodeJS.ArrayBufferView,
  tagOffset: number,
  tagSize: number,
  callback: Callback<number>,
): void;

/** The digest of `source`. */
export function hash(algorithm: string, source: Buffer): Buffer;
/** The same without blocking; the callback is called later. */
export function hash(algorithm: string, source: Buffer, callback: Callback<Buffer>): void;
/** The digest of a part of `source`, written to `target`; the result is the bytes written. */
export function hash(
  algorithm: string,
  source: NodeJS.ArrayBufferView,
  sourceOffset: number,
  sourceSize: number,
  target: NodeJS.ArrayBufferView,
  targetOffset: number,
): number;
/** The same without blocking; the callback is called later. */
export function hash(
  algorithm: string,
  source: NodeJS.ArrayBufferView,
  sourceOffset: number,
  sourceSize: number,
  target: NodeJS.ArrayBufferView,
  targetOffset: number,
  callback: Callback<number>,
): void;

/** The HMAC of `source` under `key`. */
export function hmac(algorithm: string, key: Buffer, source: Buffer): Buffer;
/** The same without blocking; the callback is called later. */
export function hmac(
  algorithm: string,
  key: Buffer,
  source: Buffer,
  callback: Callback<Buffer>,
): void;
/** The HMAC of a part of `source`, written to `target`; the result is the bytes written. */
export function hmac(
  algorithm: string,
  key: NodeJS.ArrayBufferView,
  keyOffset: number,
  keySize: number,
  source: NodeJS.ArrayBufferView,
  sourceOffset: number,
  sourceSize: number,
  target: NodeJS.ArrayBufferView,
  targetOffset: number,
): number;
/** The same without blocking; the callback is called later. */
export function hmac(
  algorithm: string,
  key: NodeJS.ArrayBufferView,
  keyOffset: number,
  keySize: number,
  source: NodeJS.ArrayBufferView,
  sourceOffset: number,
  sourceSize: number,
  target: NodeJS.ArrayBufferView,
  targetOffset: number,
  callback: Callback<number>,
): void;

/** The largest block of any cipher, in bytes; none of those offered here makes use of it. */
export const CIPHER_BLOCK_MAX: number;

/** Message: aad must be a buffer. */
export const E_AAD: string;
/** Message: aadSize invalid. */
export const E_AAD_INVALID: string;
/** Message: aadOffset must be an unsigned integer. */
export const E_AAD_OFFSET: string;
/** Message: aadOffset + aadSize > aad.length. */
export const E_AAD_RANGE: string;
/** Message: aadSize must be an unsigned integer. */
export const E_AAD_SIZE: string;
/** Message: algorithm must be a string. */
export const E_ALGORITHM: string;
/** Message: algorithm disabled. */
export const E_ALGORITHM_DISABLED: string;
/** Message: algorithm unknown. */
export const E_ALGORITHM_UNKNOWN: string;
/** Message: wrong number of arguments. */
export const E_ARGUMENTS: string;
/** Message: buffer.length > INT_MAX. */
export const E_BUFFER_LENGTH: string;
/** Message: callback must be a function. */
export const E_CALLBACK: string;
/** Message: asynchronous task was cancelled. */
export const E_CANCELLED: string;
/** Message: corrupt. */
export const E_CORRUPT: string;
/** Message: encrypt must be 0 or 1. */
export const E_ENCRYPT: string;
/** Message: iv must be a buffer. */
export const E_IV: string;
/** Message: ivSize invalid. */
export const E_IV_INVALID: string;
/** Message: ivOffset must be an unsigned integer. */
export const E_IV_OFFSET: string;
/** Message: ivOffset + ivSize > iv.length. */
export const E_IV_RANGE: string;
/** Message: ivSize must be an unsigned integer. */
export const E_IV_SIZE: string;
/** Message: key must be a buffer. */
export const E_KEY: string;
/** Message: keySize invalid. */
export const E_KEY_INVALID: string;
/** Message: keyOffset must be an unsigned integer. */
export const E_KEY_OFFSET: string;
/** Message: keyOffset + keySize > key.length. */
export const E_KEY_RANGE: string;
/** Message: keySize must be an unsigned integer. */
export const E_KEY_SIZE: string;
/** Message: out of memory. */
export const E_OOM: string;
/** Message: source must be a buffer. */
export const E_SOURCE: string;
/** Message: sourceOffset must be an unsigned integer. */
export const E_SOURCE_OFFSET: string;
/** Message: sourceOffset + sourceSize > source.length. */
export const E_SOURCE_RANGE: string;
/** Message: sourceSize must be an unsigned integer. */
export const E_SOURCE_SIZE: string;
/** Message: tag must be a buffer. */
export const E_TAG: string;
/** Message: tagSize invalid. */
export const E_TAG_INVALID: string;
/** Message: tagOffset must be an unsigned integer. */
export const E_TAG_OFFSET: string;
/** Message: tagOffset + tagSize > tag.length. */
export const E_TAG_RANGE: string;
/** Message: tagSize must be an unsigned integer. */
export const E_TAG_SIZE: string;
/** Message: target must be a buffer. */
export const E_TARGET: string;
/** Message: targetOffset must be an unsigned integer. */
export const E_TARGET_OFFSET: string;
/** Message: targetOffset + targetSize > target.length. */
export const E_TARGET_RANGE: string;
