'use strict';

/** What recrypt's options say about the output's encryption, and what a document's bits say. */

const { invalidArgType, invalidArgValue, outOfRange } = require('./errors');
const { toBoolean, toChoice, toInteger } = require('./options');

/**
 * @typedef {object} Scheme
 * @property {string} name
 * @property {number} id as ol_pdf_cipher in src/pdf/recrypt.h
 * @property {boolean} modern passwords in UTF-8
 */

/** @type {Scheme[]} */
const schemes = [
  { name: 'aes-256', id: 1, modern: true },
  { name: 'aes-128', id: 2, modern: false },
  { name: 'rc4-128', id: 3, modern: false },
  { name: 'rc4-40', id: 4, modern: false },
];
const schemeNames = schemes.map(({ name }) => name);

/** MuhammaraJS's version numbers. */
const versions = new Map([
  [10, 'rc4-40'],
  [11, 'rc4-40'],
  [12, 'rc4-40'],
  [13, 'rc4-40'],
  [14, 'rc4-128'],
  [15, 'rc4-128'],
  [16, 'aes-128'],
  [17, 'aes-128'],
  [20, 'aes-256'],
]);

const PRINT = 4;
const ACCESSIBILITY = 512;
const PRINT_FULL = 2048;

/** Permission bits by name (ISO 32000-2, table 22), but for printing, which has two. */
const bits = Object.entries({
  modify: 8,
  copy: 16,
  annotate: 32,
  fillForms: 256,
  accessibility: ACCESSIBILITY,
  assemble: 1024,
});

const KNOWN = 4 | 8 | 16 | 32 | 256 | 512 | 1024 | 2048;
/** Those that revision 2 has. */
const KNOWN_REVISION_2 = 4 | 8 | 16 | 32;
const DEFAULT_FLAG = PRINT;

/**
 * @param {any} encryption
 * @param {number} version
 * @returns {Scheme}
 */
function toScheme(encryption, version) {
  const name = encryption === undefined ? (versions.get(version) ?? 'aes-256') : encryption;
  const choice = toChoice(name, 'options.encryption', schemeNames);
  return /** @type {Scheme} */ (schemes.find((scheme) => scheme.name === choice));
}

/**
 * @param {any} version
 * @returns {number} 0 where none is given
 */
function toVersion(version) {
  if (version === undefined) return 0;
  if (typeof version !== 'number')
    throw invalidArgType('options.version', 'of type number', version);
  if (version === 0 || versions.has(version)) return version;
  const listed = [...versions.keys()].join(', ');
  throw outOfRange('options.version', `0 or one of: ${listed}`, version);
}

/**
 * @param {any} permissions
 * @returns {{ flag: number, noAccessibility: boolean }}
 */
function readPermissions(permissions) {
  if (permissions === null || typeof permissions !== 'object' || Array.isArray(permissions)) {
    throw invalidArgType('options.permissions', 'of type object', permissions);
  }
  const { print } = permissions;
  let flag = 0;
  let noAccessibility = false;
  if (print !== undefined) {
    const level = toChoice(print, 'options.permissions.print', ['full', 'low', 'none']);
    flag = level === 'none' ? 0 : level === 'low' ? PRINT : PRINT | PRINT_FULL;
  }
  for (const [name, bit] of bits) {
    const value = permissions[name];
    if (value === undefined) continue;
    if (toBoolean(value, `options.permissions.${name}`)) {
      flag |= bit;
    } else if (bit === ACCESSIBILITY) {
      noAccessibility = true;
    }
  }
  return { flag, noAccessibility };
}

/**
 * Bits, or a whole /P, whose other bits are fixed.
 * @param {any} [value]
 * @returns {number}
 */
function readFlag(value = DEFAULT_FLAG) {
  const flag = toInteger(value, 'options.userProtectionFlag', -(2 ** 31), 4095);
  const reserved = flag < 0 ? ~(flag | KNOWN) !== 3 : (flag & ~KNOWN) !== 0;
  if (!reserved) return flag;
  throw invalidArgValue('options.userProtectionFlag', 'has bits that mean nothing');
}

/**
 * Revision 2 has four permissions, and no printing of low quality alone.
 * @param {{ userProtectionFlag: any, permissions: any }} options
 * @returns {number}
 */
function toRevision2(options) {
  if (options.permissions !== undefined) {
    const { flag } = readPermissions(options.permissions);
    if ((flag & (PRINT | PRINT_FULL)) === PRINT) {
      throw invalidArgValue('options.permissions.print', "cannot be 'low' with rc4-40");
    }
    const beyond = bits.find(([, bit]) => (flag & bit & ~KNOWN_REVISION_2) !== 0);
    if (beyond !== undefined) {
      throw invalidArgValue(`options.permissions.${beyond[0]}`, 'is unknown to rc4-40');
    }
    return ~0x3f | (flag & KNOWN_REVISION_2);
  }
  const flag = readFlag(options.userProtectionFlag);
  // In a whole /P these bits are reserved, and 1.
  const beyond = flag & KNOWN & ~KNOWN_REVISION_2;
  if (beyond !== 0 && !(flag < 0 && beyond === (KNOWN & ~KNOWN_REVISION_2))) {
    throw invalidArgValue('options.userProtectionFlag', 'has bits from 256 on, which rc4-40 lacks');
  }
  return flag < 0 ? flag : ~0x3f | flag;
}

/**
 * The signed /P that is written. From revision 4 on accessibility is always granted.
 * @param {{ userProtectionFlag: any, permissions: any }} options
 * @param {Scheme} scheme
 * @param {boolean} encryptMetadata
 * @returns {number}
 */
function toP(options, scheme, encryptMetadata) {
  if (options.permissions !== undefined && options.userProtectionFlag !== undefined) {
    throw invalidArgValue('options.permissions', 'and userProtectionFlag exclude each other');
  }
  if (scheme.name === 'rc4-40') return toRevision2(options);
  const { flag, noAccessibility } =
    options.permissions === undefined
      ? { flag: readFlag(options.userProtectionFlag), noAccessibility: false }
      : readPermissions(options.permissions);
  if ((flag & PRINT_FULL) !== 0 && (flag & PRINT) === 0) {
    throw invalidArgValue('options.userProtectionFlag', 'has 2048 (full printing) without 4');
  }
  const granted = scheme.name !== 'rc4-128' || !encryptMetadata;
  if (granted && noAccessibility) {
    throw invalidArgValue(
      'options.permissions.accessibility',
      'cannot be denied with this encryption',
    );
  }
  return ~(KNOWN | 3) | (flag & KNOWN) | (granted ? ACCESSIBILITY : 0);
}

/**
 * @param {number} p
 * @param {number} revision
 */
function describeP(p, revision) {
  const userProtectionFlag = p & (revision === 2 ? KNOWN_REVISION_2 : KNOWN);
  const full = (p & PRINT_FULL) !== 0 || revision === 2;
  /** @type {Record<string, string | boolean>} */
  const permissions = { print: (p & PRINT) === 0 ? 'none' : full ? 'full' : 'low' };
  for (const [name, bit] of bits) permissions[name] = (userProtectionFlag & bit) !== 0;
  return { userProtectionFlag, permissions };
}

module.exports = { describeP, toP, toScheme, toVersion };
