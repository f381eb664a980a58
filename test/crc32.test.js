'use strict';

const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const zlib = require('node:zlib');

const offloop = require('..');
const crc32 = require('offloop/crc32');
const { createTable, sumBytes } = require('../lib/crc32-portable');

const lib = path.join(__dirname, '..', 'lib');
const digits = Buffer.from('123456789');

test('here it is native', () => {
  assert.strictEqual(crc32.crc32Backend, 'native');
  assert.strictEqual(crc32.crc32, offloop.crc32);
  assert.deepStrictEqual(Object.keys(crc32), ['crc32', 'crc32Backend', 'portableCrc32']);
});

test('ESM sees the same names', async () => {
  const { crc32: sum, crc32Backend, portableCrc32 } = await import('offloop/crc32');
  assert.strictEqual(sum, crc32.crc32);
  assert.strictEqual(crc32Backend, 'native');
  assert.strictEqual(portableCrc32, crc32.portableCrc32);
});

test('the portable code, every length at every alignment', () => {
  const room = randomBytes(1200);
  for (let alignment = 0; alignment < 64; alignment++) {
    for (let size = 0; size <= 1100; size++) {
      const data = room.subarray(alignment, alignment + size);
      const value = (size * 2654435761) >>> 0;
      if (crc32.portableCrc32(data, value) === offloop.crc32(data, value)) continue;
      assert.fail(`${size} bytes at ${alignment}`);
    }
  }
  const large = randomBytes(300_001);
  assert.strictEqual(crc32.portableCrc32(large), offloop.crc32(large));
});

test('the portable code, any polynomial of 32 bits, any part of the data', () => {
  const data = randomBytes(200);
  for (const [name, polynomial] of [
    ['crc32', 0xedb88320],
    ['crc32c', 0x82f63b78],
    ['crc32k', 0xeb31d82e],
  ]) {
    const table = createTable(polynomial);
    for (let start = 0; start <= data.length; start++) {
      for (let end = start; end <= data.length; end += 7) {
        const sum = ~sumBytes(table, ~7, data, start, end) >>> 0;
        assert.strictEqual(sum, offloop[name](data.subarray(start, end), 7));
      }
    }
  }
});

/** What each backend must do, given the module's exports. Also run in the child processes below. */
function checkBackend({ crc32, portableCrc32 }) {
  const assert = require('node:assert');
  for (const sum of [crc32, portableCrc32]) {
    const data = Buffer.from('123456789');
    const shared = new SharedArrayBuffer(9);
    new Uint8Array(shared).set(data);
    const memory = new Uint8Array(data).buffer;
    const words = new Uint16Array(memory.slice(0, 8));
    for (const form of [data, '123456789', memory, shared, new DataView(memory)]) {
      assert.strictEqual(sum(form), 0xcbf43926);
    }
    assert.strictEqual(sum(words), sum('12345678'));
    assert.strictEqual(sum(new DataView(memory, 2, 3)), sum('345'));
    assert.strictEqual(sum(new Uint8Array(memory, 3, 4)), sum('4567'));
    assert.strictEqual(sum(data.subarray(4), sum(data.subarray(0, 4))), 0xcbf43926);
    assert.strictEqual(sum('häß€𝄞'), sum(Buffer.from('häß€𝄞')));
    assert.strictEqual(sum('', 77), 77);
    assert.strictEqual(sum(new ArrayBuffer(0), 77), 77);

    for (const value of [-1, 1.5, NaN, 2 ** 32]) {
      assert.throws(() => sum(data, value), { name: 'RangeError', code: 'ERR_OUT_OF_RANGE' });
    }
    for (const value of ['1', 1n, null, {}]) {
      assert.throws(() => sum(data, value), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    }
    const wrong = [undefined, null, 1, {}, [1], Object.create(Uint8Array.prototype)];
    for (const value of wrong) {
      assert.throws(() => sum(value), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    }
    for (const wrap of [(b) => b, (b) => new Uint8Array(b, 8), (b) => new DataView(b, 8)]) {
      const buffer = new ArrayBuffer(64);
      const view = wrap(buffer);
      structuredClone(buffer, { transfer: [buffer] });
      assert.throws(() => sum(view), { code: 'ERR_OFFLOOP_DETACHED' });
    }
  }
}

test('the native backend', () => checkBackend(crc32));

/** A copy of lib without a binary beside it: crc32.js must do without. */
function withoutBinary(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'offloop-crc32-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  fs.cpSync(lib, path.join(folder, 'lib'), { recursive: true });
  return path.join(folder, 'lib', 'crc32.js');
}

/** Runs checkBackend on `file` in a process of its own and returns the backend's name. */
function backendOf(file, { preamble = '', flags = [], more = '' } = {}) {
  const script = `${preamble}; const exported = require(${JSON.stringify(file)});
    (${checkBackend})(exported); ${more}; process.stdout.write(exported.crc32Backend);`;
  return execFileSync(process.execPath, [...flags, '-e', script], { encoding: 'utf8' });
}

/** Longer than what zlib.crc32 is handed at a time. */
const LONG = `
  const { crc32, portableCrc32 } = exported;
  const long = Buffer.alloc(2 ** 30 + 5, 'long');
  const { strictEqual } = require('node:assert');
  strictEqual(crc32(long, 7), portableCrc32(long.subarray(2 ** 29), crc32(long.subarray(0, 2 ** 29), 7)));
`;

test('without a binary it is zlib, where zlib has it', (t) => {
  const expected =
    typeof process.getBuiltinModule === 'function' && zlib.crc32 ? 'zlib' : 'portable';
  assert.strictEqual(backendOf(withoutBinary(t), { more: LONG }), expected);
});

test('where addons are not allowed it is not native', () => {
  assert.notStrictEqual(
    backendOf(path.join(lib, 'crc32.js'), { flags: ['--no-addons'] }),
    'native',
  );
});

test('without either it is portable', (t) => {
  const file = withoutBinary(t);
  assert.strictEqual(backendOf(file, { preamble: 'delete process.getBuiltinModule' }), 'portable');
  const old = "delete require('node:zlib').crc32";
  assert.strictEqual(backendOf(file, { preamble: old }), 'portable');
});

test('what is broken, rather than missing, is not passed over', (t) => {
  const file = withoutBinary(t);
  fs.writeFileSync(path.join(path.dirname(file), 'checksum.js'), 'throw new Error("broken")');
  assert.throws(() => backendOf(file), /broken/);
});

test('the browser condition leads to the portable code alone', () => {
  const script = `process.stdout.write(require('offloop/crc32').crc32Backend)`;
  const output = execFileSync(process.execPath, ['-C', 'browser', '-e', script], {
    cwd: __dirname,
    encoding: 'utf8',
  });
  assert.strictEqual(output, 'portable');
  checkBackend(require('../lib/crc32-browser'));
  assert.strictEqual(require('../lib/crc32-browser').crc32(digits), 0xcbf43926);
});
