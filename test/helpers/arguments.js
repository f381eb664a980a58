'use strict';

/**
 * Bad input, by table: each argument of an operation in turn is replaced by each of a list of odd
 * values, and the table says what becomes of the call.
 *
 * A row of the table:
 *
 *   operation   its name; its Async form, if there is one, is `${operation}Async`
 *   call        if it is not a function of offloop: what calls it with the arguments
 *   forms       'both' unless given; 'sync' or 'async' where there is but one
 *   base        makes arguments of a call that is legal
 *   argument    which of them is replaced: a number, or a number and a property, as '4.target'
 *   outcomes    by value: LEGAL; OWN, the error that the value's own getters throw; or an error's
 *               code. `rest` stands for all that are not named
 *   sync        outcomes of the synchronous form where they are others
 */

const assert = require('node:assert');

const offloop = require('../..');

const LEGAL = 'legal';
const OWN = 'its own error';

/** What the getters and traps below throw. */
class OwnError extends Error {}

const throwOwn = () => {
  throw new OwnError('of a getter');
};

/** An object whose every property that anyone might ask for is a getter that throws. */
function withThrowingGetters() {
  const object = {};
  const names = [
    ...Object.getOwnPropertyNames(Object.prototype).filter((name) => !name.startsWith('__')),
    ...['length', 'byteLength', 'byteOffset', 'buffer', 'then', 'code', 'type', 'export', 'toJSON'],
    ...['aborted', 'reason', 'addEventListener', 'removeEventListener', 'onabort'],
    ...['href', 'protocol', 'pathname', 'path', 'fd', 'pipe', 'read', 'write', 'on', 'end'],
    ...['target', 'outputEncoding', 'outputLength', 'signal', 'offload'],
    ...['aad', 'tag', 'tagLength', 'checksum', 'value', 'position'],
    ...['password', 'userPassword', 'ownerPassword', 'encryption', 'version', 'userProtectionFlag'],
    ...['permissions', 'encryptMetadata', 'linearize', 'objectStreams', 'strict', 'onWarning'],
    ...['print', 'modify', 'copy', 'annotate', 'fillForms', 'accessibility', 'assemble'],
    ...['onProgress'],
    ...[Symbol.toPrimitive, Symbol.toStringTag, Symbol.iterator, Symbol.asyncIterator],
  ];
  for (const name of names) Object.defineProperty(object, name, { get: throwOwn });
  return object;
}

/** A Proxy whose every trap throws. */
function throwingProxy() {
  const traps = Object.getOwnPropertyNames(Reflect);
  return new Proxy({}, Object.fromEntries(traps.map((trap) => [trap, throwOwn])));
}

/**
 * The odd values by name, each made anew from the legal value that it replaces.
 * @type {Record<string, (legal: any) => any>}
 */
const values = {
  undefined: () => undefined,
  null: () => null,
  NaN: () => NaN,
  '-1': () => -1,
  '2**31': () => 2 ** 31,
  '2**53': () => 2 ** 53,
  "''": () => '',
  symbol: () => Symbol('odd'),
  array: () => [],
  'object with throwing getters': withThrowingGetters,
  'Proxy that throws': throwingProxy,
  'Proxy of a legal value': (legal) =>
    new Proxy(legal !== null && typeof legal === 'object' ? legal : Object(legal ?? {}), {}),
};

/** Outcomes of an argument that must not be of any of these types. */
const NONE = {
  rest: 'ERR_INVALID_ARG_TYPE',
  'object with throwing getters': OWN,
  'Proxy that throws': OWN,
};

/**
 * @typedef {object} Row
 * @property {string} operation
 * @property {(...args: any[]) => any} [call]
 * @property {'both' | 'sync' | 'async'} [forms]
 * @property {() => any[]} base
 * @property {number | string} argument
 * @property {Record<string, string>} outcomes
 * @property {Record<string, string>} [sync]
 */

/**
 * @param {any[]} args
 * @param {number | string} argument
 * @param {(legal: any) => any} change
 */
function replace(args, argument, change) {
  const [index, property] = String(argument).split('.');
  if (property === undefined) {
    args[Number(index)] = change(args[Number(index)]);
  } else {
    const options = args[Number(index)];
    options[property] = change(options[property]);
  }
  return args;
}

/**
 * @param {Record<string, string>} outcomes
 * @param {string} name
 */
function expected(outcomes, name) {
  for (const known of Object.keys(outcomes)) {
    assert.ok(known === 'rest' || known in values, `the table names no such value: ${known}`);
  }
  const outcome = outcomes[name] ?? outcomes.rest;
  assert.ok(outcome !== undefined, `the table has no outcome for ${name}`);
  return outcome;
}

/**
 * What became of a call: LEGAL, OWN, or the error's code, which an error of the library always has.
 * @param {() => any} call
 */
async function outcomeOf(call) {
  try {
    await call();
    return LEGAL;
  } catch (error) {
    if (error instanceof OwnError) return OWN;
    return error?.code ?? String(error?.stack ?? error);
  }
}

/**
 * @param {Row} row
 * @param {string} name
 */
async function checkSync({ operation, call, base, argument, outcomes, sync }, name) {
  const run = call ?? offloop[operation];
  const outcome = await outcomeOf(() => run(...replace(base(), argument, values[name])));
  const place = `${operation}, argument ${argument}: ${name}`;
  assert.strictEqual(outcome, expected(sync ?? outcomes, name), place);
}

/**
 * @param {Row} row
 * @param {string} name
 */
async function checkAsync({ operation, call, base, argument, outcomes }, name) {
  const run = call ?? offloop[`${operation}Async`];
  const place = `${operation}Async, argument ${argument}: ${name}`;
  const wanted = expected(outcomes, name);
  for (const offload of [undefined, 'always']) {
    const args = base();
    const last = args.at(-1);
    if (offload !== undefined && last?.constructor === Object) last.offload = offload;
    replace(args, argument, values[name]);
    let promise;
    assert.doesNotThrow(() => (promise = run(...args)), place);
    assert.ok(promise instanceof Promise, place);
    assert.strictEqual(await outcomeOf(() => promise), wanted, place);
  }
}

/**
 * Tries one row with every value, in each form.
 * @param {Row} row
 */
async function checkRow(row) {
  const { forms = 'both', base, call, operation } = row;
  // The base is legal, else the table would say nothing.
  if (forms !== 'async') await (call ?? offloop[operation])(...base());
  if (forms !== 'sync') await (call ?? offloop[`${operation}Async`])(...base());
  for (const name of Object.keys(values)) {
    if (forms !== 'async') await checkSync(row, name);
    if (forms !== 'sync') await checkAsync(row, name);
  }
}

/**
 * Getters of options that throw: the error is passed on, from whichever form.
 * @param {string} operation
 * @param {() => any[]} base whose last argument is an object of options
 * @param {string[]} names of all options that the operation reads
 * @param {string[]} [asyncNames] and of those that only the Async form reads
 */
async function checkGetters(operation, base, names, asyncNames = []) {
  /** @param {string} name */
  const throwing = (name) => {
    const args = base();
    Object.defineProperty(args.at(-1), name, { get: throwOwn });
    return args;
  };
  for (const name of names) {
    assert.strictEqual(await outcomeOf(() => offloop[operation](...throwing(name))), OWN, name);
  }
  for (const name of [...names, ...asyncNames]) {
    const promise = offloop[`${operation}Async`](...throwing(name));
    assert.strictEqual(await outcomeOf(() => promise), OWN, name);
  }
}

module.exports = { LEGAL, NONE, OWN, checkGetters, checkRow, values };
