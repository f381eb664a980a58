'use strict';

/**
 * The ways in which one and the same call can be made. What holds for an operation must hold in
 * each of them.
 */

const native = require('../../lib/binding');
const offloop = require('../..');

/** @typedef {(name: string, args: any[], options?: Record<string, any>) => Promise<any>} Caller */

/**
 * @param {any[]} args
 * @param {Record<string, any> | undefined} options
 */
const withOptions = (args, options) => (options === undefined ? args : [...args, options]);

/**
 * Each takes an operation's name, its arguments and its options, and gives the result or throws.
 * `leaves`: the work is done on another thread.
 * @type {{ form: string, leaves: boolean, call: Caller }[]}
 */
const forms = [
  {
    form: 'at once',
    leaves: false,
    call: async (name, args, options) => offloop[name](...withOptions(args, options)),
  },
  {
    form: 'Async',
    leaves: false,
    call: (name, args, options) => offloop[`${name}Async`](...withOptions(args, options)),
  },
  {
    form: 'Async on the pool',
    leaves: true,
    call: (name, args, options) =>
      offloop[`${name}Async`](...args, { ...options, offload: 'always' }),
  },
  {
    form: 'Async on private copies',
    leaves: true,
    // Memory is taken at submission, so the switch need not outlast the call.
    call(name, args, options) {
      native.holdStores(false);
      try {
        return offloop[`${name}Async`](...args, { ...options, offload: 'always' });
      } finally {
        native.holdStores(true);
      }
    },
  },
];

module.exports = { forms };
