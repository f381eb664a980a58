'use strict';

const assert = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { describe, it } = require('node:test');
const { setTimeout: sleep } = require('node:timers/promises');

const { formatTable, runBenchmark } = require('../benchmarks/recrypt-server.js');
const { UsageError, completeOptions, parseCommandLine } = require('../benchmarks/lib/options.js');
const { percentile, summarize } = require('../benchmarks/lib/stats.js');
const { alignColumns } = require('../benchmarks/lib/table.js');
const { pdfPath } = require('../fixtures/pdf.js');

const root = path.join(__dirname, '..');
const script = path.join(root, 'benchmarks', 'recrypt-server.js');

/** @type {import('../benchmarks/lib/options.js').Specs} */
const specs = {
  pingInterval: { type: 'integer', default: 10, min: 0, help: '' },
  encryption: { type: 'choice', default: 'b', choices: ['a', 'b'], help: '' },
  input: { type: 'string', help: '' },
  json: { type: 'flag', help: '' },
};

describe('benchmark options', () => {
  it('are read in every spelling', () => {
    const args = ['--ping-interval', '5', '--encryption=a', '--json', '--input', 'x y'];
    const given = { pingInterval: 5, encryption: 'a', json: true, input: 'x y' };
    assert.deepStrictEqual(parseCommandLine(specs, args), given);
    assert.deepStrictEqual(parseCommandLine(specs, []), {});
  });

  it('have defaults', () => {
    const expected = { pingInterval: 10, encryption: 'b', input: undefined, json: false };
    assert.deepStrictEqual(completeOptions(specs, {}), expected);
    assert.deepStrictEqual(completeOptions(specs, { pingInterval: undefined }), expected);
  });

  const wrong = [
    ['--nothing'],
    ['--pingInterval', '5'],
    ['--ping-interval'],
    ['--ping-interval', '--json'],
    ['--ping-interval', '-1'],
    ['--ping-interval=1.5'],
    ['--ping-interval=1e2'],
    ['--ping-interval=0x10'],
    ['--ping-interval='],
    ['--ping-interval=9007199254740993'],
    ['--encryption', 'c'],
    ['--input='],
    ['--json=yes'],
    ['--no-json'],
    ['-j'],
    ['json'],
    ['--', 'x'],
  ];
  for (const args of wrong) {
    it(`refuse ${args.join(' ')} in one line`, () => {
      assert.throws(
        () => parseCommandLine(specs, args),
        (error) => error instanceof UsageError && !error.message.includes('\n'),
      );
    });
  }

  it('given by a script are refused likewise', async () => {
    for (const given of [{ nothing: 1 }, { pingInterval: '5' }, { json: 1 }, { input: null }]) {
      assert.throws(() => completeOptions(specs, given), UsageError);
    }
    await assert.rejects(runBenchmark({ requests: 0 }), UsageError);
    await assert.rejects(runBenchmark({ input: path.join(root, 'no such file') }), UsageError);
  });
});

describe('benchmark figures', () => {
  it('take percentiles by nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, i) => i + 1);
    assert.strictEqual(percentile(hundred, 0.5), 50);
    assert.strictEqual(percentile(hundred, 0.99), 99);
    assert.strictEqual(percentile([7], 0.5), 7);
    const summary = { count: 4, p50: 2, p95: 10, p99: 10, max: 10 };
    assert.deepStrictEqual(summarize([10, 2, 3, 1]), summary);
    const nothing = { count: 0, p50: null, p95: null, p99: null, max: null };
    assert.deepStrictEqual(summarize([]), nothing);
  });

  it('stand in columns', () => {
    const text = alignColumns([
      ['', 'a'],
      ['row', '10 ms'],
    ]);
    assert.strictEqual(text, '         a\n---  -----\nrow  10 ms');
  });
});

describe('bench:recrypt', () => {
  it('exits with 2 and one line where an option is wrong', () => {
    for (const args of [['--nothing'], ['--requests', 'many'], ['--input', 'no such file']]) {
      const result = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
      assert.strictEqual(result.status, 2);
      assert.strictEqual(result.stdout, '');
      assert.match(result.stderr, /^recrypt-server: [^\n]+\n$/);
    }
  });

  it('exits with 1 and one line where the document cannot be recrypted', () => {
    const args = [script, '--input', __filename, '--requests', '1'];
    const result = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.strictEqual(result.status, 1);
    assert.match(result.stderr, /^recrypt-server: [^\n]+\n$/);
  });

  it('measures each mode, and leaves nothing behind', async () => {
    const folders = () =>
      fs.readdirSync(os.tmpdir()).filter((name) => name.startsWith('offloop-bench-'));
    const before = folders();
    const input = pdfPath('images', { copies: 1 });
    const result = await runBenchmark({ input, requests: 3, concurrency: 2, control: true });
    assert.deepStrictEqual(folders(), before);
    const { results, ...rest } = result;
    assert.deepStrictEqual(rest, {
      input,
      inputBytes: fs.statSync(input).size,
      requests: 3,
      concurrency: 2,
      threadpoolSize: Number(process.env.UV_THREADPOOL_SIZE) || 4,
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
    });
    assert.deepStrictEqual(
      results.map(({ mode }) => mode),
      ['sync', 'async', 'control'],
    );
    for (const { mode, wallMs, throughput, recrypt, ping, loop } of results) {
      const count = mode === 'control' ? 0 : 3;
      assert.strictEqual(recrypt.count, count);
      assert.ok(Math.abs(throughput - (count / wallMs) * 1000) < 1e-6);
      assert.ok(ping.count > 0 && Number(ping.p50) > 0 && Number(ping.max) >= Number(ping.p99));
      assert.ok(loop.delayMax >= loop.delayMean && loop.delayMean > 0);
      assert.ok(loop.utilization >= 0 && loop.utilization <= 1);
    }
    const table = formatTable(result);
    for (const label of ['wall time', 'recrypts per second', 'ping p99', 'loop utilization']) {
      assert.match(table, new RegExp(`^${label}( +\\S+( ms| %)?){3}$`, 'm'));
    }
  });

  it('prints JSON', { timeout: 120_000 }, () => {
    const args = [script, '--json', '--input', pdfPath('small'), '--requests', '2'];
    const result = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.strictEqual(result.status, 0, result.stderr);
    assert.strictEqual(JSON.parse(result.stdout).results.length, 2);
  });

  it('has a server that ends with its parent', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-orphan-'));
    const work = { input: pdfPath('small'), folder, options: { userPassword: 'u' } };
    const code = `
      const { startHelper } = require('./benchmarks/lib/child.js');
      const server = startHelper('benchmarks/lib/recrypt-service.js', []);
      server.ask({ do: 'listen', work: ${JSON.stringify(work)} })
        .then(({ port }) => console.log(port));`;
    const parent = spawn(process.execPath, ['-e', code], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const port = await new Promise((resolve) => {
      parent.stdout.once('data', (chunk) => resolve(Number(chunk)));
    });
    assert.ok(await answers(port));
    parent.kill('SIGKILL');
    for (let tries = 0; await answers(port); tries++) {
      assert.ok(tries < 200, 'the server still listens');
      await sleep(50);
    }
    fs.rmSync(folder, { recursive: true, force: true });
  });
});

/**
 * @param {number} port
 * @returns {Promise<boolean>}
 */
function answers(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
