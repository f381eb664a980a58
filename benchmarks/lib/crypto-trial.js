'use strict';

/**
 * One trial of benchmarks/crypto.js, in a process of its own: its parent sends one
 * { column, algorithm, size, time } over the channel of child_process.fork and gets
 * { measure } or { error }. It ends when the channel closes.
 */

const { algorithms, expectedOutput, makeInputs } = require('./crypto-algorithms.js');
const { columns } = require('./crypto-columns.js');
const { measureAsync, measureSync } = require('./crypto-measure.js');

/**
 * @typedef {{ column: string, algorithm: string, size: number, time: number }} Trial
 *
 * @param {Trial} trial
 * @returns {Promise<import('./crypto-measure.js').Measure>}
 */
async function runTrial({ column: id, algorithm: name, size, time }) {
  const algorithm = algorithms.find((candidate) => candidate.name === name);
  const column = columns.find((candidate) => candidate.id === id);
  if (algorithm === undefined || column === undefined) throw new Error(`no ${id} or ${name}`);
  const { family, inFlight } = column;
  const inputs = makeInputs(algorithm, size);
  const calls = await family.prepare(algorithm, inputs, inFlight);
  const verify = async () => {
    const output = Buffer.from(calls.output(0, await calls.call(0)));
    if (!output.equals(expectedOutput(algorithm, inputs))) throw new Error('the output is wrong');
  };
  await verify();
  const measure = family.asynchronous
    ? await measureAsync(calls, inFlight, time)
    : await measureSync(calls, time);
  await verify();
  return measure;
}

process.on('disconnect', () => process.exit());
process.on('message', async (/** @type {Trial} */ trial) => {
  let answer;
  try {
    answer = { measure: await runTrial(trial) };
  } catch (error) {
    answer = { error: /** @type {Error} */ (error).message };
  }
  if (process.connected) process.send?.(answer);
});
