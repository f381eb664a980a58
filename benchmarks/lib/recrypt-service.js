'use strict';

/**
 * The server that benchmarks/recrypt-server.js measures: `/recrypt?mode=sync|async|muhammara` and `/ping` on
 * loopback. Its parent speaks to it over the channel of child_process.fork, one message at a time:
 *
 *   { do: 'listen', work }                      → { port, threads, threadpoolSize }
 *   { do: 'measure' }                           → {}
 *   { do: 'report' }                            → how the loop fared since 'measure'
 *   { do: 'spin', threads } and { do: 'rest' }  → {} once that many threads spin, or none does
 *
 * It ends when the channel closes, so that it never outlives its parent.
 */

const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const { monitorEventLoopDelay, performance } = require('node:perf_hooks');
const { Worker } = require('node:worker_threads');

const { pool, recrypt, recryptAsync } = require('../..');

/**
 * @typedef {{ input: string, folder: string, options: import('../..').RecryptEncryptOptions }} Work
 * @typedef {{ delayMean: number, delayP99: number, delayMax: number, utilization: number }} LoopReport
 */

const SPIN =
  'const flag = new Int32Array(require("node:worker_threads").workerData);' +
  'Atomics.add(flag, 1, 1); Atomics.notify(flag, 1); while (Atomics.load(flag, 0) === 0);';

/** @typedef {'sync' | 'async' | 'muhammara'} Mode */

/** MuhammaraJS's numbers; it writes no AES-256. @type {Record<string, number>} */
const VERSIONS = { best: 16, 'aes-128': 16, 'rc4-128': 14, 'rc4-40': 10 };
/** By a variable, for the types are checked without it too. @type {string} */
const PEER = 'muhammara';
const MODES = ['sync', 'async', 'muhammara'];

/** @type {Work | undefined} */
let work;
let outputs = 0;

/**
 * @param {Mode} mode
 * @returns {Promise<{ output: string, bytesWritten?: number }>}
 */
async function answerRecrypt(mode) {
  if (work === undefined) throw new Error('there is no work yet');
  const output = path.join(work.folder, `${mode}-${outputs++}.pdf`);
  if (mode === 'muhammara') {
    const { encryption, ...options } = work.options;
    const version = VERSIONS[encryption ?? ''] ?? VERSIONS.best;
    require(PEER).recrypt(work.input, output, { ...options, version });
    return { output };
  }
  const { bytesWritten } =
    mode === 'sync'
      ? recrypt(work.input, output, work.options)
      : await recryptAsync(work.input, output, work.options);
  return { output, bytesWritten };
}

const server = http.createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const mode = url.searchParams.get('mode');
  if (url.pathname === '/ping') {
    response.end('pong');
  } else if (url.pathname === '/recrypt' && MODES.includes(mode ?? '')) {
    answerRecrypt(/** @type {Mode} */ (mode)).then(
      (answer) => response.end(JSON.stringify(answer)),
      (error) => response.writeHead(500).end(String(error)),
    );
  } else {
    response.writeHead(404).end('not found');
  }
});
// A stalled loop must not look like an idle client.
server.keepAliveTimeout = 0;
server.requestTimeout = 0;

const delay = monitorEventLoopDelay({ resolution: 1 });
let idleStart = performance.eventLoopUtilization();

/** @returns {LoopReport} */
function report() {
  delay.disable();
  const { utilization } = performance.eventLoopUtilization(idleStart);
  return {
    delayMean: delay.mean / 1e6,
    delayP99: delay.percentile(99) / 1e6,
    delayMax: delay.max / 1e6,
    utilization,
  };
}

/** @type {{ flag: Int32Array<SharedArrayBuffer>, workers: Worker[] }} */
let spinning = { flag: new Int32Array(new SharedArrayBuffer(8)), workers: [] };

/** @param {number} threads */
async function spin(threads) {
  const flag = new Int32Array(new SharedArrayBuffer(8));
  const workers = Array.from(
    { length: threads },
    () => new Worker(SPIN, { eval: true, workerData: flag.buffer }),
  );
  spinning = { flag, workers };
  while (Atomics.load(flag, 1) < threads) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function rest() {
  Atomics.store(spinning.flag, 0, 1);
  await Promise.all(spinning.workers.map((worker) => worker.terminate()));
}

/** @type {Record<string, (message: any) => object | Promise<object>>} */
const commands = {
  async listen(message) {
    work = message.work;
    await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
    return {
      port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
      threads: pool.concurrency,
      threadpoolSize: Number(process.env.UV_THREADPOOL_SIZE) || 4,
    };
  },
  measure() {
    delay.reset();
    delay.enable();
    idleStart = performance.eventLoopUtilization();
    return {};
  },
  report,
  async spin(message) {
    await spin(message.threads);
    return {};
  },
  async rest() {
    await rest();
    return {};
  },
};

// The folder goes too, for a parent that was killed cannot remove it.
process.on('disconnect', () => {
  if (work !== undefined) fs.rmSync(work.folder, { recursive: true, force: true });
  process.exit();
});
process.on('message', async (/** @type {{ do: string }} */ message) => {
  const answer = await commands[message.do](message);
  if (process.connected) process.send?.(answer);
});
