'use strict';

/**
 * Passwords of PDF documents, from text to the bytes that the encryption wants: PDFDocEncoding up to
 * revision 4, UTF-8 after SASLprep (RFC 4013) from revision 5 on.
 */

const saslprep = require('@mongodb-js/saslprep');

const { byteLengthOf, partOf, toBytesOrText } = require('./bytes');
const { invalidArgValue } = require('./errors');

const LEGACY_BYTES = 32;
const MODERN_BYTES = 127;

/** More characters than any password that a document can hold. */
const MOST_CHARACTERS = 1024;

/** PDFDocEncoding (ISO 32000-2, table D.2) where it is not Latin-1, by code. */
const PDF_DOC_CODES = {
  0x18: '\u02d8\u02c7\u02c6\u02d9\u02dd\u02db\u02da\u02dc',
  0x80: '\u2022\u2020\u2021\u2026\u2014\u2013\u0192\u2044\u2039\u203a\u2212\u2030\u201e\u201c\u201d',
  0x8f: '\u2018\u2019\u201a\u2122\ufb01\ufb02\u0141\u0152\u0160\u0178\u017d\u0131\u0142\u0153\u0161\u017e',
  0xa0: '\u20ac',
};

/** Codes by character. @type {Map<string, number>} */
const pdfDocCodes = new Map();
for (let code = 0x20; code <= 0xff; code++) {
  const undefinedCode = (code >= 0x7f && code <= 0xa0) || code === 0xad;
  if (!undefinedCode) pdfDocCodes.set(String.fromCharCode(code), code);
}
for (const code of [0x09, 0x0a, 0x0d]) pdfDocCodes.set(String.fromCharCode(code), code);
for (const [first, characters] of Object.entries(PDF_DOC_CODES)) {
  for (const [i, character] of [...characters].entries()) {
    pdfDocCodes.set(character, Number(first) + i);
  }
}

/** @param {string} character */
function nameOf(character) {
  const code = /** @type {number} */ (character.codePointAt(0));
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * @param {string} text
 * @returns {Buffer | undefined} undefined where a character has no code
 */
function encodePdfDoc(text) {
  const codes = Array.from(text, (character) => pdfDocCodes.get(character));
  return codes.includes(undefined) ? undefined : Buffer.from(/** @type {number[]} */ (codes));
}

/**
 * Composed characters have codes where decomposed ones have not.
 * @param {string} text
 */
const toPdfDoc = (text) => encodePdfDoc(text) ?? encodePdfDoc(text.normalize('NFC'));

/**
 * @param {string} text
 * @param {boolean} stored what is stored must not hold characters that Unicode may define later
 * @returns {string | undefined} undefined where the standard forbids the text
 */
function prepare(text, stored) {
  try {
    return saslprep(text, { allowUnassigned: !stored });
  } catch {
    return undefined;
  }
}

/**
 * A character that vanishes fails alone, and one written from right to left fails beside another
 * that is not; what is forbidden fails in both places.
 * @param {string} character
 */
const isForbidden = (character) =>
  prepare(character, true) === undefined && prepare(`${character}a`, true) === undefined;

/**
 * @param {string} text
 * @param {string} name
 */
function encodeModern(text, name) {
  const prepared = prepare(text, true);
  // Nothing must not pass for a password: the document would open without one.
  if (prepared !== undefined && prepared !== '') return Buffer.from(prepared);
  const forbidden = Array.from(text).find(isForbidden);
  throw invalidArgValue(
    name,
    forbidden === undefined
      ? 'mixes directions of writing, or vanishes, in SASLprep (RFC 4013)'
      : `holds ${nameOf(forbidden)}, which SASLprep (RFC 4013) forbids`,
  );
}

/**
 * @param {string} text
 * @param {string} name
 */
function encodeLegacy(text, name) {
  const bytes = toPdfDoc(text);
  if (bytes !== undefined) return bytes;
  const composed = Array.from(text.normalize('NFC'));
  const missing = /** @type {string} */ (composed.find((each) => !pdfDocCodes.has(each)));
  throw invalidArgValue(
    name,
    `holds ${nameOf(missing)}, which this encryption cannot express; 'aes-256' can`,
  );
}

/**
 * @param {any} value
 * @param {string} name
 * @returns {string | Buffer} text, or a copy of bytes
 */
function toPassword(value, name) {
  if (typeof value === 'string') {
    if (value.length <= MOST_CHARACTERS) return value;
    throw invalidArgValue(name, `must have at most ${MOST_CHARACTERS} characters`);
  }
  const bytes = toBytesOrText(value, name);
  const size = byteLengthOf(bytes);
  if (size <= MOST_CHARACTERS) return Buffer.from(partOf(bytes, 0, size));
  throw invalidArgValue(name, `must have at most ${MOST_CHARACTERS} bytes`);
}

/**
 * A new password as the bytes that a document will hold, never more than it can.
 * @param {string | Buffer | undefined} password
 * @param {string} name
 * @param {boolean} modern revision 5 or later
 * @returns {Uint8Array}
 */
function encodeNewPassword(password, name, modern) {
  if (password === undefined || password.length === 0) return Buffer.alloc(0);
  const encode = modern ? encodeModern : encodeLegacy;
  const bytes = typeof password === 'string' ? encode(password, name) : password;
  const most = modern ? MODERN_BYTES : LEGACY_BYTES;
  if (bytes.length <= most) return bytes;
  throw invalidArgValue(name, `has ${bytes.length} bytes; this encryption holds ${most}`);
}

/**
 * Every encoding in which a password may have been given to what wrote the document.
 * @param {string | Buffer | undefined} password
 * @returns {Uint8Array[]}
 */
function passwordCandidates(password) {
  if (password === undefined) return [];
  if (typeof password !== 'string') return [password];
  const utf8 = Buffer.from(password);
  const prepared = prepare(password, false);
  const latin1 = Buffer.from(password, 'latin1');
  const candidates = [
    utf8,
    toPdfDoc(password),
    prepared === undefined || prepared === '' ? undefined : Buffer.from(prepared),
    latin1.toString('latin1') === password ? latin1 : undefined,
  ];
  /** @type {Buffer[]} */
  const distinct = [];
  for (const each of candidates) {
    if (each !== undefined && !distinct.some((other) => other.equals(each))) distinct.push(each);
  }
  return distinct;
}

module.exports = { encodeNewPassword, passwordCandidates, toPassword };
