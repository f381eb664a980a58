'use strict';

const { fork } = require('node:child_process');

/**
 * A helper process that answers one message at a time, in order. It must end by itself when its
 * channel closes.
 *
 * @typedef {{ ask: (message: object) => Promise<any>, stop: () => Promise<void> }} Helper
 */

/**
 * @param {string} script
 * @param {string[]} args
 * @returns {Helper}
 */
function startHelper(script, args) {
  const child = fork(script, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  /** @type {{ resolve: (answer: any) => void, reject: (error: Error) => void }[]} */
  const waiting = [];
  /** @type {Error | null} */
  let failure = null;

  /** @param {Error} error */
  function fail(error) {
    failure ??= error;
    for (const { reject } of waiting.splice(0)) reject(failure);
  }

  child.on('error', fail);
  child.on('message', (answer) => waiting.shift()?.resolve(answer));
  const ended = new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      fail(new Error(`the helper process ended (${signal ?? `exit code ${code}`})`));
      resolve(undefined);
    });
  });

  return {
    ask(message) {
      return new Promise((resolve, reject) => {
        if (failure) return reject(failure);
        waiting.push({ resolve, reject });
        child.send(message);
      });
    },
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

module.exports = { startHelper };
