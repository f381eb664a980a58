#!/usr/bin/env node
'use strict';

/**
 * What recrypting documents does to a server's event loop. A server in a child process recrypts on
 * request, synchronously and asynchronously in turn, while this process keeps it busy at a fixed
 * concurrency and pings it all along.
 */

const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { performance } = require('node:perf_hooks');
const { setTimeout: sleep } = require('node:timers/promises');

const { pdfEncryption } = require('..');
const { pdfPath } = require('../fixtures/pdf.js');
const { startHelper } = require('./lib/child.js');
const { describeMachine } = require('./lib/machine.js');
const { UsageError, completeOptions, parseCommandLine, usage } = require('./lib/options.js');
const { summarize } = require('./lib/stats.js');
const { alignColumns, formatBytes, formatMs } = require('./lib/table.js');

/**
 * @typedef {import('./lib/stats.js').Summary} Summary
 * @typedef {import('./lib/recrypt-service.js').LoopReport} LoopReport
 * @typedef {{
 *   input?: string, copies: number, requests: number, concurrency: number, pingInterval: number,
 *   encryption: import('..').PdfEncryptionName, control: boolean,
 *   peer: 'none' | 'muhammara',
 * }} BenchmarkOptions
 * @typedef {{
 *   mode: 'sync' | 'async' | 'muhammara' | 'control', wallMs: number, throughput: number, recrypt: Summary,
 *   ping: Summary, loop: LoopReport,
 * }} ModeResult times in milliseconds, utilization 0 to 1
 * @typedef {{
 *   input: string, inputBytes: number, requests: number, concurrency: number,
 *   threadpoolSize: number, node: string, platform: string, results: ModeResult[],
 * }} BenchmarkResult
 */

/** @type {import('./lib/options.js').Specs} */
const specs = {
  input: { type: 'string', help: 'the document; without it one is generated' },
  copies: {
    type: 'integer',
    default: 2,
    min: 1,
    help: 'size of the generated document, in parts of 8 MB',
  },
  requests: { type: 'integer', default: 16, min: 1, help: 'recrypt requests per mode' },
  concurrency: { type: 'integer', default: 4, min: 1, help: 'recrypt requests at a time' },
  pingInterval: {
    type: 'integer',
    default: 10,
    min: 0,
    help: 'milliseconds between one answer and the next ping',
  },
  encryption: {
    type: 'choice',
    default: 'aes-256',
    choices: ['aes-256', 'aes-128', 'rc4-128', 'rc4-40'],
    help: 'what the outputs are encrypted with',
  },
  control: { type: 'flag', help: 'also ping while threads only spin' },
  peer: {
    type: 'choice',
    default: 'none',
    choices: ['none', 'muhammara'],
    help: 'whose recrypt is measured too; muhammara writes aes-128 for aes-256',
  },
};

/** @type {import('./lib/options.js').Specs} */
const commandLineSpecs = {
  ...specs,
  json: { type: 'flag', help: 'print the result as JSON' },
  help: { type: 'flag', help: 'print this' },
};

const USER_PASSWORD = 'benchmark user';
const OWNER_PASSWORD = 'benchmark owner';

/** A client of the measured server. */
class Client {
  /**
   * @param {number} port
   * @param {number} concurrency
   */
  constructor(port, concurrency) {
    this.port = port;
    this.agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
    // Pings have a connection to themselves: they never wait for a recrypt in the client.
    this.pingAgent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  }

  /**
   * @param {http.Agent} agent
   * @param {string} url
   * @returns {Promise<{ body: string, ms: number }>}
   */
  get(agent, url) {
    const start = performance.now();
    return new Promise((resolve, reject) => {
      const request = http.get({ agent, host: '127.0.0.1', port: this.port, path: url });
      request.on('error', reject);
      request.on('response', (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('error', reject);
        response.on('data', (chunk) => (body += chunk));
        response.on('end', () => {
          const ms = performance.now() - start;
          if (response.statusCode === 200) resolve({ body, ms });
          else reject(new Error(`${url} answered ${response.statusCode}: ${body}`));
        });
      });
    });
  }

  async ping() {
    const { ms } = await this.get(this.pingAgent, '/ping');
    return ms;
  }

  /** @param {'sync' | 'async' | 'muhammara'} mode */
  async recrypt(mode) {
    const { body, ms } = await this.get(this.agent, `/recrypt?mode=${mode}`);
    return { output: /** @type {string} */ (JSON.parse(body).output), ms };
  }

  close() {
    this.agent.destroy();
    this.pingAgent.destroy();
  }
}

/**
 * Pings, one at a time, until `work` is done.
 *
 * @param {Client} client
 * @param {number} interval
 * @param {Promise<unknown>} work
 * @returns {Promise<number[]>} how long each took
 */
async function pingDuring(client, interval, work) {
  let done = false;
  const finished = work.finally(() => (done = true));
  /** @type {number[]} */
  const samples = [];
  const pinging = (async () => {
    while (!done) {
      samples.push(await client.ping());
      if (interval > 0) await sleep(interval);
    }
  })();
  await Promise.all([finished, pinging]);
  return samples;
}

/**
 * Sends all requests, `concurrency` at a time. Outputs are removed as they come, by this process,
 * for that is no work of the server's; the last one stays.
 *
 * @param {Client} client
 * @param {'sync' | 'async' | 'muhammara'} mode
 * @param {BenchmarkOptions} options
 */
async function sendRequests(client, mode, { requests, concurrency }) {
  const start = performance.now();
  /** @type {number[]} */
  const samples = [];
  let sent = 0;
  let last = '';

  async function sendInTurn() {
    while (sent < requests) {
      sent++;
      const { output, ms } = await client.recrypt(mode);
      samples.push(ms);
      if (last !== '') await fs.promises.unlink(last);
      last = output;
    }
  }

  await Promise.all(Array.from({ length: concurrency }, sendInTurn));
  return { samples, last, wallMs: performance.now() - start };
}

/**
 * That the output opens with its passwords, by offloop's account and, where it is installed, qpdf's.
 *
 * @param {string} file
 */
function verifyOutput(file) {
  for (const [password, expected] of [
    [USER_PASSWORD, 'user'],
    [OWNER_PASSWORD, 'owner'],
    ['neither', null],
  ]) {
    const { opensAs } = pdfEncryption(file, { password: /** @type {string} */ (password) });
    if (opensAs !== expected) throw new Error(`the output opens as ${opensAs}, not ${expected}`);
  }
  const check = spawnSync('qpdf', [`--password=${USER_PASSWORD}`, '--check', file]);
  if (check.error && 'code' in check.error && check.error.code === 'ENOENT') return;
  // 3: warnings only, which the input may have brought along.
  if (check.status !== 0 && check.status !== 3) {
    throw new Error(`qpdf rejects the output: ${String(check.stderr).trim()}`);
  }
  // 3: encrypted, and the password is right.
  const owner = spawnSync('qpdf', [`--password=${OWNER_PASSWORD}`, '--requires-password', file]);
  if (owner.status !== 3) throw new Error('qpdf does not open the output with its owner password');
}

/**
 * @param {import('./lib/child.js').Helper} server
 * @param {Client} client
 * @param {'sync' | 'async' | 'muhammara'} mode
 * @param {BenchmarkOptions} options
 * @returns {Promise<ModeResult>}
 */
async function measureMode(server, client, mode, options) {
  await client.ping();
  const warmUp = await client.recrypt(mode);
  fs.unlinkSync(warmUp.output);
  await server.ask({ do: 'measure' });
  const sending = sendRequests(client, mode, options);
  const pings = await pingDuring(client, options.pingInterval, sending);
  const { samples, last, wallMs } = await sending;
  const loop = await server.ask({ do: 'report' });
  verifyOutput(last);
  fs.unlinkSync(last);
  return {
    mode,
    wallMs,
    throughput: (samples.length / wallMs) * 1000,
    recrypt: summarize(samples),
    ping: summarize(pings),
    loop,
  };
}

/**
 * What as many busy threads cost by themselves.
 *
 * @param {import('./lib/child.js').Helper} server
 * @param {Client} client
 * @param {number} threads
 * @param {number} duration
 * @param {BenchmarkOptions} options
 * @returns {Promise<ModeResult>}
 */
async function measureControl(server, client, threads, duration, { pingInterval }) {
  await client.ping();
  await server.ask({ do: 'spin', threads });
  await server.ask({ do: 'measure' });
  const start = performance.now();
  const pings = await pingDuring(client, pingInterval, sleep(duration));
  const wallMs = performance.now() - start;
  const loop = await server.ask({ do: 'report' });
  await server.ask({ do: 'rest' });
  return {
    mode: 'control',
    wallMs,
    throughput: 0,
    recrypt: summarize([]),
    ping: summarize(pings),
    loop,
  };
}

/**
 * @param {BenchmarkOptions} options
 * @returns {{ input: string, inputBytes: number }}
 */
function findInput({ input, copies }) {
  if (input === undefined) {
    const file = pdfPath('images', { copies });
    return { input: file, inputBytes: fs.statSync(file).size };
  }
  const stats = fs.statSync(input, { throwIfNoEntry: false });
  if (!stats?.isFile()) throw new UsageError(`input is not a file: ${input}`);
  return { input: path.resolve(input), inputBytes: stats.size };
}

/**
 * Runs the benchmark: a mode after the other, against one server.
 *
 * @param {Partial<BenchmarkOptions>} [given]
 * @returns {Promise<BenchmarkResult>}
 */
async function runBenchmark(given = {}) {
  const options = /** @type {BenchmarkOptions} */ (completeOptions(specs, given));
  const { input, inputBytes } = findInput(options);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-bench-'));
  const server = startHelper(path.join(__dirname, 'lib', 'recrypt-service.js'), []);
  /** @type {Client | null} */
  let client = null;
  try {
    /** @type {import('./lib/recrypt-service.js').Work} */
    const work = {
      input,
      folder,
      options: {
        userPassword: USER_PASSWORD,
        ownerPassword: OWNER_PASSWORD,
        userProtectionFlag: 4,
        encryption: options.encryption,
      },
    };
    const { port, threads, threadpoolSize } = await server.ask({ do: 'listen', work });
    client = new Client(port, options.concurrency);
    const results = [
      await measureMode(server, client, 'sync', options),
      await measureMode(server, client, 'async', options),
    ];
    if (options.peer === 'muhammara') {
      results.push(await measureMode(server, client, 'muhammara', options));
    }
    if (options.control) {
      const spinning = Math.min(threads, options.concurrency);
      const duration = results[1].wallMs;
      results.push(await measureControl(server, client, spinning, duration, options));
    }
    return {
      input,
      inputBytes,
      requests: options.requests,
      concurrency: options.concurrency,
      threadpoolSize,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      results,
    };
  } finally {
    client?.close();
    await server.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** @type {[string, (result: ModeResult) => string][]} */
const tableRows = [
  ['wall time', ({ wallMs }) => formatMs(wallMs)],
  [
    'recrypts per second',
    ({ recrypt, throughput }) => (recrypt.count ? throughput.toFixed(2) : '-'),
  ],
  ['recrypt p50', ({ recrypt }) => formatMs(recrypt.p50)],
  ['recrypt p95', ({ recrypt }) => formatMs(recrypt.p95)],
  ['pings answered', ({ ping }) => String(ping.count)],
  ['ping p50', ({ ping }) => formatMs(ping.p50)],
  ['ping p99', ({ ping }) => formatMs(ping.p99)],
  ['ping max', ({ ping }) => formatMs(ping.max)],
  ['loop delay mean', ({ loop }) => formatMs(loop.delayMean)],
  ['loop delay p99', ({ loop }) => formatMs(loop.delayP99)],
  ['loop delay max', ({ loop }) => formatMs(loop.delayMax)],
  ['loop utilization', ({ loop }) => `${(loop.utilization * 100).toFixed(1)} %`],
];

/**
 * @param {BenchmarkResult} result
 * @returns {string}
 */
function formatTable(result) {
  const { inputBytes, requests, concurrency, threadpoolSize, node, platform, results } = result;
  const rows = tableRows.map(([label, cell]) => [label, ...results.map(cell)]);
  return (
    `${path.basename(result.input)}, ${formatBytes(inputBytes)}; ${requests} requests per mode, ` +
    `${concurrency} at a time; pool of ${threadpoolSize}; Node ${node}, ${platform}\n\n` +
    alignColumns([['', ...results.map(({ mode }) => mode)], ...rows])
  );
}

/** @param {string[]} args */
async function main(args) {
  const { json, help, ...given } = parseCommandLine(commandLineSpecs, args);
  if (help) {
    process.stdout.write(usage('benchmarks/recrypt-server.js', commandLineSpecs));
    return;
  }
  const result = await runBenchmark(given);
  if (json) console.log(JSON.stringify(result, null, 2));
  else console.log(`${describeMachine()}\n${formatTable(result)}`);
}

if (require.main === module) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(`recrypt-server: ${error.message.trim().replace(/\s*\n\s*/g, '; ')}`);
    process.exitCode = error instanceof UsageError ? 2 : 1;
  });
}

module.exports = { formatTable, runBenchmark };
