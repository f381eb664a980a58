'use strict';

/**
 * Many mixed jobs at once, some of them aborted at any moment, whose results can be told apart. Run
 * as a Worker, it reports what `storm` resolves to.
 */

const { isMainThread, parentPort, workerData } = require('node:worker_threads');

const offloop = require('../..');
const { Random } = require('./random');

const { pool } = offloop;
const [key, iv, counter] = [Buffer.alloc(32, 'key'), Buffer.alloc(12), Buffer.alloc(16)];

/**
 * Pairs of a job and of a check of its result, by what distinguishes it.
 * @type {((text: string, options: any) => [Promise<any>, (result: any) => boolean])[]}
 */
const kinds = [
  (text, options) => [
    offloop.hashAsync('sha256', text, options),
    (result) => result.equals(offloop.hash('sha256', text)),
  ],
  (text, options) => [
    offloop.hmacAsync('sha1', key, text, options),
    (result) => result.equals(offloop.hmac('sha1', key, text)),
  ],
  (text, options) => {
    const data = Buffer.from(text);
    return [
      offloop.encryptAsync('aes-256-gcm', key, iv, data, options),
      (result) => offloop.decrypt('aes-256-gcm', key, iv, result).equals(data),
    ];
  },
  (text, options) => {
    const data = Buffer.from(text);
    const sealed = offloop.encrypt('chacha20-poly1305', key, iv, data);
    const target = Buffer.alloc(data.length);
    return [
      offloop.decryptAsync('chacha20-poly1305', key, iv, sealed, { ...options, target }),
      (result) => result === target && result.equals(data),
    ];
  },
  (text, options) => {
    const data = Buffer.from(text);
    const original = Buffer.from(text);
    return [
      offloop.encryptAsync('aes-128-ctr', key.subarray(16), counter, data, {
        ...options,
        target: data,
      }),
      (result) =>
        result.equals(offloop.encrypt('aes-128-ctr', key.subarray(16), counter, original)),
    ];
  },
  (text, options) => [
    offloop.crc32cAsync(text, options),
    (result) => result === offloop.crc32c(text),
  ],
  (text, options) => [
    offloop.decryptAsync('aes-256-gcm', key, iv, Buffer.from(text), options).then(
      () => 'authentic',
      (error) => {
        if (error.code === 'ERR_OFFLOOP_AUTHENTICATION') return 'tampered';
        throw error;
      },
    ),
    (result) => result === 'tampered',
  ],
];

/**
 * @param {number} seed
 * @param {number} rounds of a few hundred jobs each
 */
async function storm(seed, rounds) {
  const random = new Random(seed);
  const totals = { submitted: 0, settled: 0, aborted: 0, wrong: 0, counted: 0 };
  await pool.drain();
  const before = pool.stats();
  for (let round = 0; round < rounds; round++) {
    const controllers = Array.from({ length: 4 }, () => new AbortController());
    const jobs = Array.from({ length: 300 }, (_, i) => {
      // Less than a tag would be refused before it became a job.
      const size = random.chance(2) ? 400_000 : 16 + random.below(3000);
      const text = `${round}:${i}:`.padEnd(size, 'x');
      const { signal } = random.pick(controllers);
      const options = random.chance(60) ? { offload: 'always', signal } : { offload: 'always' };
      const [promise, check] = random.pick(kinds)(text, options);
      totals.submitted++;
      return promise.then(
        (result) => {
          totals.settled++;
          if (!check(result)) totals.wrong++;
        },
        (error) => {
          totals.settled++;
          if (error.name === 'AbortError') totals.aborted++;
          else totals.wrong++;
        },
      );
    });
    for (const controller of controllers) {
      if (random.chance(30)) controller.abort();
      else if (random.chance(50)) setImmediate(() => controller.abort());
      else if (random.chance(50)) setTimeout(() => controller.abort(), random.below(4));
    }
    await Promise.all(jobs);
  }
  await pool.drain();
  const after = pool.stats();
  totals.counted = after.completed + after.cancelled - before.completed - before.cancelled;
  return totals;
}

module.exports = { storm };

if (!isMainThread && workerData?.rounds !== undefined) {
  storm(workerData.seed, workerData.rounds).then((totals) => parentPort?.postMessage(totals));
}
