'use strict';

/**
 * Errors as Node makes them: a class, a message and a `code`. Runs anywhere, browsers included.
 */

/** @typedef {new (message?: string) => Error} ErrorClass */

/**
 * @param {ErrorClass} Class
 * @param {string} code
 * @param {string} message
 * @returns {NodeJS.ErrnoException}
 */
function coded(Class, code, message) {
  const error = /** @type {NodeJS.ErrnoException} */ (new Class(message));
  error.code = code;
  return error;
}

/**
 * What a wrong value is, without ever showing its contents.
 * @param {unknown} value
 */
function describe(value) {
  if (value === null || value === undefined) return `${value}`;
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'object') {
    const name = Object.prototype.toString.call(value).slice(8, -1);
    return name === 'Object' ? 'an object' : `an instance of ${name}`;
  }
  return `type ${typeof value}`;
}

/** @param {string} name */
const subject = (name) =>
  name.includes('.') ? `The "${name}" property` : `The "${name}" argument`;

/**
 * @param {string} name
 * @param {string} expected
 * @param {unknown} value
 */
function invalidArgType(name, expected, value) {
  // An own toString tag may be a getter that throws; its error is the caller's own.
  return coded(
    TypeError,
    'ERR_INVALID_ARG_TYPE',
    `${subject(name)} must be ${expected}. Received ${describe(value)}`,
  );
}

/**
 * @param {string} name
 * @param {string} reason
 */
function invalidArgValue(name, reason) {
  return coded(TypeError, 'ERR_INVALID_ARG_VALUE', `${subject(name)} ${reason}`);
}

/**
 * @param {string} name
 * @param {string} range
 * @param {unknown} value a number or bigint
 */
function outOfRange(name, range, value) {
  return coded(
    RangeError,
    'ERR_OUT_OF_RANGE',
    `The value of "${name}" is out of range. It must be ${range}. Received ${value}`,
  );
}

/** @param {string} name */
function detached(name) {
  return coded(TypeError, 'ERR_OFFLOOP_DETACHED', `The buffer of "${name}" has been detached`);
}

/**
 * @param {string} kind
 * @param {string} name
 * @param {string} [reason]
 */
function unknownAlgorithm(kind, name, reason) {
  const shown = JSON.stringify(name.length > 40 ? `${name.slice(0, 40)}…` : name);
  return coded(
    Error,
    'ERR_OFFLOOP_UNKNOWN_ALGORITHM',
    `Unknown ${kind} ${shown}${reason === undefined ? '' : `: ${reason}`}`,
  );
}

module.exports = {
  coded,
  detached,
  invalidArgType,
  invalidArgValue,
  outOfRange,
  unknownAlgorithm,
};
