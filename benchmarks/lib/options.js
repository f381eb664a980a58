'use strict';

const { parseArgs } = require('node:util');

/** A benchmark's options: their types, defaults and meanings in one place. */

/** An option that was given wrongly; its message is one line for the person who typed it. */
class UsageError extends Error {
  name = 'UsageError';
}

/**
 * @typedef {{ type: 'flag', help: string }} FlagSpec
 * @typedef {{ type: 'integer', default: number, min: number, help: string }} IntegerSpec
 * @typedef {{ type: 'string', default?: string, help: string }} StringSpec
 * @typedef {{ type: 'choice', default: string, choices: readonly string[], help: string }} ChoiceSpec
 * @typedef {{ type: 'list', default?: readonly string[], choices: readonly string[], help: string }} ListSpec
 * some of the choices; separated by commas on the command line
 * @typedef {FlagSpec | IntegerSpec | StringSpec | ChoiceSpec | ListSpec} OptionSpec
 * @typedef {Record<string, OptionSpec>} Specs by camelCase name
 */

/**
 * The value of a specified option, checked.
 *
 * @param {string} name as the caller spells it, for the message
 * @param {OptionSpec} spec
 * @param {unknown} value
 */
function checkedValue(name, spec, value) {
  switch (spec.type) {
    case 'flag':
      if (typeof value !== 'boolean') throw new UsageError(`${name} must be true or false`);
      return value;
    case 'integer':
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < spec.min) {
        throw new UsageError(`${name} must be an integer of at least ${spec.min}`);
      }
      return value;
    case 'choice':
      if (typeof value !== 'string' || !spec.choices.includes(value)) {
        throw new UsageError(`${name} must be one of ${spec.choices.join(', ')}`);
      }
      return value;
    case 'list':
      if (!Array.isArray(value) || value.length === 0) {
        throw new UsageError(`${name} must be a list that is not empty`);
      }
      for (const item of value) {
        if (spec.choices.includes(item)) continue;
        throw new UsageError(`${name}: ${item} is none of ${spec.choices.join(', ')}`);
      }
      return value;
    case 'string':
      if (typeof value !== 'string' || value === '') {
        throw new UsageError(`${name} must be a string that is not empty`);
      }
      return value;
  }
}

/**
 * Options given by a script: defaults filled in, unknown and ill-typed ones refused.
 *
 * @param {Specs} specs
 * @param {Record<string, unknown>} given
 * @returns {Record<string, unknown>}
 */
function completeOptions(specs, given) {
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(specs, name)) throw new UsageError(`unknown option ${name}`);
  }
  /** @type {Record<string, unknown>} */
  const options = {};
  for (const [name, spec] of Object.entries(specs)) {
    const value = given[name];
    const fallback = spec.type === 'flag' ? false : spec.default;
    options[name] = value === undefined ? fallback : checkedValue(name, spec, value);
  }
  return options;
}

/** @param {string} name */
function dashed(name) {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/**
 * Options given on a command line, without defaults.
 *
 * @param {Specs} specs
 * @param {string[]} args
 * @returns {Record<string, unknown>}
 */
function parseCommandLine(specs, args) {
  const byFlag = new Map(
    Object.entries(specs).map(([name, spec]) => [dashed(name), { name, spec }]),
  );
  /** @type {Record<string, { type: 'string' | 'boolean' }>} */
  const parserOptions = {};
  for (const [flag, { spec }] of byFlag) {
    parserOptions[flag.slice(2)] = { type: spec.type === 'flag' ? 'boolean' : 'string' };
  }
  const { tokens } = parseArgs({ args, options: parserOptions, strict: false, tokens: true });
  /** @type {Record<string, unknown>} */
  const given = {};
  for (const token of tokens) {
    if (token.kind !== 'option') {
      throw new UsageError(`unexpected argument ${JSON.stringify(args[token.index] ?? '')}`);
    }
    const option = byFlag.get(token.rawName);
    if (!option) throw new UsageError(`unknown option ${token.rawName}`);
    const { name, spec } = option;
    if (spec.type === 'flag') {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
      given[name] = true;
    } else {
      if (token.value === undefined) throw new UsageError(`${token.rawName} needs a value`);
      given[name] = checkedValue(token.rawName, spec, fromText(spec, token.value));
    }
  }
  return given;
}

/**
 * @param {OptionSpec} spec
 * @param {string} text
 */
function fromText(spec, text) {
  if (spec.type === 'list') return text.split(',');
  if (spec.type !== 'integer') return text;
  // Decimal digits only: Number alone also takes '', '0x10' and '1e3'.
  return /^-?\d+$/.test(text) ? Number(text) : NaN;
}

/** @param {OptionSpec} spec */
function fallbackHelp(spec) {
  if (spec.type === 'flag' || spec.default === undefined) return '';
  if (spec.type !== 'list') return ` (default ${spec.default})`;
  const all = spec.choices.length === spec.default.length;
  return all
    ? `; all of ${spec.choices.join(', ')}`
    : `; one or more of ${spec.choices.join(', ')}`;
}

/**
 * @param {string} script
 * @param {Specs} specs
 */
function usage(script, specs) {
  const rows = Object.entries(specs).map(([name, spec]) => {
    const value = { flag: '', integer: ' N', string: ' VALUE', choice: ' NAME', list: ' A,B' }[
      spec.type
    ];
    return [`${dashed(name)}${value}`, `${spec.help}${fallbackHelp(spec)}`];
  });
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
  return `usage: node ${script} [options]\n\n${lines.join('\n')}\n`;
}

module.exports = { UsageError, completeOptions, parseCommandLine, usage };
