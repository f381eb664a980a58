'use strict';

/**
 * Readers of option objects. Each option is read once; what its getter throws passes through.
 */

const { invalidArgType, invalidArgValue, outOfRange } = require('./errors');
const { validateSignal } = require('./signals');

/**
 * @param {any} options
 * @returns {Record<string, any>}
 */
function toOptions(options) {
  if (options === undefined) return {};
  if (options === null || typeof options !== 'object' || Array.isArray(options)) {
    throw invalidArgType('options', 'of type object', options);
  }
  return options;
}

/**
 * @param {any} value
 * @param {string} name
 * @param {number} min
 * @param {number} max
 * @returns {number}
 */
function toInteger(value, name, min, max) {
  if (typeof value !== 'number') throw invalidArgType(name, 'of type number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < min || value > max) throw outOfRange(name, `>= ${min} && <= ${max}`, value);
  return value;
}

/**
 * @param {any} value
 * @param {string} name
 * @returns {string}
 */
function toText(value, name) {
  if (typeof value !== 'string') throw invalidArgType(name, 'of type string', value);
  return value;
}

/**
 * @param {any} value
 * @param {string} name
 * @returns {boolean}
 */
function toBoolean(value, name) {
  if (typeof value !== 'boolean') throw invalidArgType(name, 'of type boolean', value);
  return value;
}

/**
 * @template {string} T
 * @param {any} value
 * @param {string} name
 * @param {readonly T[]} choices
 * @returns {T}
 */
function toChoice(value, name, choices) {
  const text = /** @type {T} */ (toText(value, name));
  if (choices.includes(text)) return text;
  const listed = choices.map((choice) => `'${choice}'`).join(', ');
  throw invalidArgValue(name, `must be one of: ${listed}`);
}

/**
 * The options that every Async form takes.
 * @param {boolean} asynchronous
 * @param {Record<string, any>} options
 * @returns {{ signal: AbortSignal | undefined, always: boolean }}
 */
function toAsyncOptions(asynchronous, options) {
  if (!asynchronous) return { signal: undefined, always: false };
  const signal = validateSignal(options.signal, 'options.signal');
  const { offload } = options;
  const always =
    offload === 'always' ||
    (offload !== undefined &&
      toChoice(offload, 'options.offload', ['auto', 'always']) === 'always');
  return { signal, always };
}

module.exports = { toAsyncOptions, toBoolean, toChoice, toInteger, toOptions, toText };
