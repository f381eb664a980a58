'use strict';

/**
 * One trial of benchmarks/pdf.js, in a process to itself. Over the channel of child_process.fork:
 *
 *   { do: 'measure', contender, task, inFlight, time } → { ms, docsPerSecond, peakBytes } or
 *                                                        { unable: true }
 *   { do: 'abort', contender, task, after }            → { delayMs }, null if it was done before
 */

const { performance } = require('node:perf_hooks');

const { contenders } = require('./pdf-contenders.js');
const { median } = require('./stats.js');

const LEAST = 3;

/** @param {any} message */
async function measure({ contender, task, inFlight, time }) {
  const before = process.memoryUsage().rss;
  const run = contenders[contender](task);
  if (run === undefined) return { unable: true };
  await run();
  /** @type {number[]} */
  const samples = [];
  const start = performance.now();
  const lane = async () => {
    while (samples.length < LEAST || performance.now() - start < time) {
      const began = performance.now();
      await run();
      samples.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const seconds = (performance.now() - start) / 1000;
  return {
    ms: median(samples),
    docsPerSecond: inFlight === 1 ? 1000 / median(samples) : samples.length / seconds,
    peakBytes: process.resourceUsage().maxRSS * 1024 - before,
  };
}

/** @param {any} message */
async function abort({ contender, task, after }) {
  const { recryptAsync } = require('../..');
  require('../../lib/binding').pdfEngine(contender === 'offloop' ? 'auto' : 'qpdf');
  const controller = new AbortController();
  let at = 0;
  setTimeout(() => {
    at = performance.now();
    controller.abort();
  }, after);
  const options = { userPassword: 'u', signal: controller.signal };
  return recryptAsync(task.source, task.target, options).then(
    () => ({ delayMs: null }),
    (/** @type {Error} */ error) => {
      if (error.name !== 'AbortError') throw error;
      return { delayMs: performance.now() - at };
    },
  );
}

/** @type {Record<string, (message: any) => Promise<object>>} */
const commands = { measure, abort };

process.on('disconnect', () => process.exit());
process.on('message', async (/** @type {{ do: string }} */ message) => {
  const answer = await commands[message.do](message).catch((error) => ({ error: error.message }));
  if (process.connected) process.send?.(answer);
});
