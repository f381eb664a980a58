'use strict';

const assert = require('node:assert');
const { randomBytes } = require('node:crypto');
const { after, test } = require('node:test');
const zlib = require('node:zlib');

const offloop = require('..');
const native = require('../lib/binding');

const { crcCombine, pool } = offloop;

const LENGTH_MAX = 1100;
const ALIGNMENTS = 64;

/** Published parameters and check values, written down here apart from the table in C. */
const checksums = [
  { name: 'crc32', width: 32n, polynomial: 0xedb88320n, check: 0xcbf43926 },
  { name: 'crc32c', width: 32n, polynomial: 0x82f63b78n, check: 0xe3069283 },
  { name: 'crc32k', width: 32n, polynomial: 0xeb31d82en, check: 0x2d3dd0ae },
  { name: 'crc64nvme', width: 64n, polynomial: 0x9a6c9329ac4bc9b5n, check: 0xae8b14860a799888n },
].map((row, id) => {
  const wide = row.width === 64n;
  return {
    ...row,
    id,
    sum: offloop[row.name],
    sumAsync: offloop[`${row.name}Async`],
    sumNative: wide ? native.crc64 : native.crc,
    zero: wide ? 0n : 0,
    some: wide ? 0xfedcba9876543210n : 0xfedcba98,
    narrow: wide ? (value) => value : Number,
  };
});

const digits = Buffer.from('123456789');

/** The values of the first 0, 1, … data.length bytes, one bit at a time. */
function referencePrefixes({ width, polynomial, narrow }, data, value) {
  const ones = (1n << width) - 1n;
  let state = BigInt(value) ^ ones;
  const prefixes = [narrow(state ^ ones)];
  for (const byte of data) {
    state ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) state = state & 1n ? (state >> 1n) ^ polynomial : state >> 1n;
    prefixes.push(narrow(state ^ ones));
  }
  return prefixes;
}

/** Bytes at every alignment to 64: the same data behind 0 to 63 others. */
function atAlignments(data, visit) {
  const room = new ArrayBuffer(ALIGNMENTS + data.length);
  for (let alignment = 0; alignment < ALIGNMENTS; alignment++) {
    const view = new Uint8Array(room, alignment, data.length);
    view.set(data);
    visit(view, alignment);
  }
}

after(() => native.crcForce());

test('the table in C holds the published polynomials', () => {
  const table = native.crcs().map(({ name, width, polynomial }) => ({ name, width, polynomial }));
  const published = checksums.map(({ name, width, polynomial }) => ({
    name,
    width: Number(width),
    polynomial,
  }));
  assert.deepStrictEqual(table, published);
});

for (const kernel of native.crcKernels()) {
  const skip = kernel.available ? false : 'this machine lacks the instructions';
  test(`kernel ${kernel.name}: every length at every alignment`, { skip }, () => {
    assert.ok(native.crcForce(kernel.name));
    const data = randomBytes(LENGTH_MAX);
    for (const checksum of checksums) {
      const { name, id, sumNative, some, check, zero } = checksum;
      assert.strictEqual(sumNative(id, digits, zero), check, name);
      const expected = referencePrefixes(checksum, data, some);
      atAlignments(data, (view, alignment) => {
        for (let size = 0; size <= LENGTH_MAX; size++) {
          if (sumNative(id, view.subarray(0, size), some) === expected[size]) continue;
          assert.fail(`${name}: ${size} bytes at ${alignment}`);
        }
      });
    }
  });
}

test('kernels agree with each other on large data', () => {
  const kernels = native.crcKernels().filter(({ available }) => available);
  const data = randomBytes(1_000_003);
  for (const { id, name, sumNative, some } of checksums) {
    const values = kernels.map((kernel) => {
      assert.ok(native.crcForce(kernel.name));
      return sumNative(id, data, some);
    });
    assert.strictEqual(new Set(values).size, 1, `${name}: ${values}`);
  }
  native.crcForce();
});

test('forcing a kernel that is not there changes nothing', () => {
  const before = native.crcKernels();
  assert.strictEqual(native.crcForce('abacus'), false);
  for (const { name, available } of before) {
    if (!available) assert.strictEqual(native.crcForce(name), false);
  }
  assert.deepStrictEqual(native.crcKernels(), before);
  assert.strictEqual(before.filter(({ active }) => active).length, 1);
});

for (const checksum of checksums) {
  const { name, check, sum, sumAsync, zero, some } = checksum;
  const data = randomBytes(LENGTH_MAX);
  const expected = referencePrefixes(checksum, data, zero);

  test(`${name}: check value, and no data leaves the value as it is`, async () => {
    assert.strictEqual(sum.name, name);
    assert.strictEqual(sumAsync.name, `${name}Async`);
    assert.strictEqual(sum(digits), check);
    assert.strictEqual(await sumAsync(digits), check);
    assert.strictEqual(sum(Buffer.alloc(0)), zero);
    assert.strictEqual(sum('', some), some);
    assert.strictEqual(await sumAsync(new ArrayBuffer(0), some), some);
  });

  test(`${name}: every length at every alignment`, () => {
    atAlignments(data, (view, alignment) => {
      for (let size = 0; size <= LENGTH_MAX; size++) {
        if (sum(view.subarray(0, size)) === expected[size]) continue;
        assert.fail(`${size} bytes at ${alignment}`);
      }
    });
  });

  test(`${name}: streaming and combining at every split point`, () => {
    const piece = data.subarray(0, 300);
    for (let at = 0; at <= piece.length; at++) {
      const first = sum(piece.subarray(0, at));
      const rest = piece.subarray(at);
      assert.strictEqual(sum(rest, first), expected[300]);
      assert.strictEqual(crcCombine(name, first, sum(rest), rest.length), expected[300]);
      assert.strictEqual(crcCombine(name, first, sum(rest), BigInt(rest.length)), expected[300]);
    }
  });

  test(`${name}: whatever holds bytes, and text as UTF-8`, async () => {
    const memory = data.buffer.slice(data.byteOffset, data.byteOffset + 800);
    const shared = new SharedArrayBuffer(800);
    new Uint8Array(shared).set(data.subarray(0, 800));
    const forms = [
      [memory, 0, 800],
      [shared, 0, 800],
      [new Uint8Array(memory), 0, 800],
      [new Uint8Array(shared, 3, 500), 3, 503],
      [Buffer.from(memory, 7, 300), 7, 307],
      [new Uint8ClampedArray(memory, 1, 40), 1, 41],
      [new Int8Array(memory, 1, 60), 1, 61],
      [new Uint16Array(memory, 2, 31), 2, 64],
      [new Float64Array(memory, 8, 9), 8, 80],
      [new BigInt64Array(shared, 16, 20), 16, 176],
      [new DataView(memory, 5, 100), 5, 105],
      [new DataView(shared, 0, 33), 0, 33],
    ];
    for (const [form, start, end] of forms) {
      const value = sum(data.subarray(start, end), some);
      assert.strictEqual(sum(form, some), value);
      assert.strictEqual(await sumAsync(form, some), value);
      assert.strictEqual(await sumAsync(form, some, { offload: 'always' }), value);
    }
    for (const text of ['', 'a', 'häß€𝄞', '\ud800 alone', 'x'.repeat(5000)]) {
      assert.strictEqual(sum(text), sum(Buffer.from(text)));
      assert.strictEqual(await sumAsync(text, some), sum(text, some));
    }
  });

  test(`${name}: combining lengths up to 2^40 and beyond, by arithmetic`, () => {
    // zeros[k] is the value of 2^k bytes of zeros; the first dozen are checked on real ones.
    let zeros = sum(Buffer.alloc(1));
    const value = sum(data);
    for (let k = 0n; k < 63n; k++) {
      const size = 1n << k;
      if (k < 12n) assert.strictEqual(sum(Buffer.alloc(Number(size))), zeros);
      const twice = crcCombine(name, zeros, zeros, size);
      const stepped = crcCombine(name, crcCombine(name, value, zeros, size), zeros, size);
      assert.strictEqual(crcCombine(name, value, twice, size * 2n), stepped);
      if (size * 2n <= 2n ** 52n) {
        assert.strictEqual(crcCombine(name, value, twice, Number(size * 2n)), stepped);
      }
      zeros = twice;
    }
    assert.strictEqual(crcCombine(name, value, zero, 0), value);
    assert.strictEqual(typeof crcCombine(name, value, value, 2n ** 64n - 1n), typeof zero);
  });

  test(`${name}: the Async form at odd split points`, async (t) => {
    const before = pool.concurrency;
    t.after(() => {
      pool.concurrency = before;
    });
    const large = Buffer.concat([data, Buffer.alloc(32 * 1024 * 1024 + 11, data)]);
    for (const concurrency of [1, 2, 3, 7]) {
      pool.concurrency = concurrency;
      for (const [start, end] of [
        [0, large.length],
        [1, 33_000_001],
        [13, 32 * 1024 * 1024 + 13],
        [5, 5_000_004],
        [0, 8 * 1024 * 1024],
      ]) {
        const view = large.subarray(start, end);
        assert.strictEqual(await sumAsync(view), sum(view), `${start} to ${end}`);
        assert.strictEqual(await sumAsync(view, some), sum(view, some));
      }
    }
  });
}

test('crc32 is zlib.crc32', { skip: zlib.crc32 === undefined && 'this Node has none' }, () => {
  const data = randomBytes(LENGTH_MAX);
  for (let size = 0; size <= LENGTH_MAX; size++) {
    const view = data.subarray(LENGTH_MAX - size);
    assert.strictEqual(offloop.crc32(view, size * 1234567), zlib.crc32(view, size * 1234567));
  }
});

test('1 GiB, in one call', async () => {
  const block = randomBytes(1 << 20);
  const data = Buffer.alloc(1 << 30, block);
  if (zlib.crc32 !== undefined) assert.strictEqual(offloop.crc32(data), zlib.crc32(data));
  for (const { name, sum, sumAsync } of checksums) {
    let expected = sum(block);
    for (let size = block.length; size < data.length; size *= 2) {
      expected = crcCombine(name, expected, expected, size);
    }
    assert.strictEqual(sum(data), expected, name);
    assert.strictEqual(await sumAsync(data), expected, name);
  }
});

/** Both forms must fail alike; the Async one never at once. */
async function failsAlike({ sum, sumAsync }, args, expected) {
  assert.throws(() => sum(...args), expected);
  const promise = sumAsync(...args);
  await assert.rejects(promise, expected);
}

test('wrong values', async () => {
  const [{ sum: crc32 }] = checksums;
  for (const checksum of checksums.slice(0, 3)) {
    for (const value of [-1, 1.5, NaN, Infinity, 2 ** 32]) {
      await failsAlike(checksum, [digits, value], { name: 'RangeError', code: 'ERR_OUT_OF_RANGE' });
    }
    for (const value of ['1', 1n, true, Symbol('1'), null]) {
      const expected = { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' };
      await failsAlike(checksum, [digits, value, undefined], expected);
    }
  }
  for (const value of [-1n, 2n ** 64n]) {
    await failsAlike(checksums[3], [digits, value], { code: 'ERR_OUT_OF_RANGE' });
  }
  for (const value of [0, 1, '1', true, null]) {
    await failsAlike(checksums[3], [digits, value, undefined], { code: 'ERR_INVALID_ARG_TYPE' });
  }
  assert.throws(() => crc32(digits, -1), {
    message: 'The value of "value" is out of range. It must be >= 0 && <= 4294967295. Received -1',
  });
  assert.throws(() => crc32(digits, '1'), {
    message: 'The "value" argument must be of type number. Received type string',
  });
  assert.strictEqual(crc32(digits, -0), crc32(digits));
  assert.strictEqual(crc32(digits, 0xffffffff), offloop.crc32(digits, 2 ** 32 - 1));
});

test('wrong data', async () => {
  for (const checksum of checksums) {
    for (const data of [undefined, null, 1, 1n, true, Symbol('x'), {}, [1, 2], () => 1]) {
      await failsAlike(checksum, [data], { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    }
    const lie = Object.create(Uint8Array.prototype);
    await failsAlike(checksum, [lie], { code: 'ERR_INVALID_ARG_TYPE' });
  }
});

test('detached data', async () => {
  for (const checksum of checksums) {
    for (const wrap of [
      (buffer) => buffer,
      (buffer) => new Uint8Array(buffer),
      (buffer) => Buffer.from(buffer),
      (buffer) => new Float32Array(buffer),
      (buffer) => new DataView(buffer),
    ]) {
      const buffer = new ArrayBuffer(64);
      const data = wrap(buffer);
      structuredClone(buffer, { transfer: [buffer] });
      await failsAlike(checksum, [data], { code: 'ERR_OFFLOOP_DETACHED' });
    }
  }
});

test('the Async forms refuse resizable memory, the others sum it', async () => {
  const buffer = new ArrayBuffer(1000, { maxByteLength: 2000 });
  const growable = new SharedArrayBuffer(1000, { maxByteLength: 2000 });
  for (const { sum, sumAsync } of checksums) {
    const expected = sum(Buffer.alloc(1000));
    assert.strictEqual(sum(buffer), expected);
    await assert.rejects(sumAsync(buffer), { code: 'ERR_INVALID_ARG_VALUE' });
    assert.strictEqual(await sumAsync(growable), expected);
  }
});

test('Async options: second or third, a signal, offload', async () => {
  for (const { sum, sumAsync, some, zero } of checksums) {
    const data = randomBytes(3000);
    assert.strictEqual(await sumAsync(data, {}), sum(data));
    assert.strictEqual(await sumAsync(data, undefined, { offload: 'always' }), sum(data));
    assert.strictEqual(await sumAsync(data, some, { offload: 'auto' }), sum(data, some));
    assert.strictEqual(await sumAsync(data, { offload: 'always' }), sum(data, zero));
    await assert.rejects(sumAsync(data, some, null), { code: 'ERR_INVALID_ARG_TYPE' });
    await assert.rejects(sumAsync(data, some, { signal: 1 }), { code: 'ERR_INVALID_ARG_TYPE' });
    await assert.rejects(sumAsync(data, { offload: 'no' }), { code: 'ERR_INVALID_ARG_VALUE' });

    const reason = new Error('enough');
    const aborted = AbortSignal.abort(reason);
    await assert.rejects(sumAsync(data, { signal: aborted }), reason);
    const controller = new AbortController();
    const promise = sumAsync(Buffer.alloc(256 * 1024 * 1024), { signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(promise, reason);
  }
  await pool.drain();
});

test('data that is detached or collected during a job', async () => {
  for (const { sum, sumAsync } of checksums) {
    const block = randomBytes(40_000_001);
    const expected = sum(block);
    const copy = new Uint8Array(block);
    const promise = sumAsync(copy);
    structuredClone(copy.buffer, { transfer: [copy.buffer] });
    globalThis.gc?.();
    assert.strictEqual(await promise, expected);
  }
});

test('crcCombine: wrong arguments', () => {
  assert.throws(() => crcCombine('crc16', 0, 0, 0), { code: 'ERR_OFFLOOP_UNKNOWN_ALGORITHM' });
  assert.throws(() => crcCombine(32, 0, 0, 0), { code: 'ERR_INVALID_ARG_TYPE' });
  assert.throws(() => crcCombine('crc32', -1, 0, 0), { code: 'ERR_OUT_OF_RANGE' });
  assert.throws(() => crcCombine('crc32', 0, 2 ** 32, 0), { code: 'ERR_OUT_OF_RANGE' });
  assert.throws(() => crcCombine('crc32', 0n, 0, 0), { code: 'ERR_INVALID_ARG_TYPE' });
  assert.throws(() => crcCombine('crc64nvme', 0, 0n, 0), { code: 'ERR_INVALID_ARG_TYPE' });
  assert.throws(() => crcCombine('crc64nvme', 0n, 2n ** 64n, 0), { code: 'ERR_OUT_OF_RANGE' });
  for (const length of [-1, 0.5, 2 ** 53, NaN, -1n, 2n ** 64n]) {
    assert.throws(() => crcCombine('crc32', 0, 0, length), { code: 'ERR_OUT_OF_RANGE' });
  }
  for (const length of [undefined, null, '1']) {
    assert.throws(() => crcCombine('crc32', 0, 0, length), { code: 'ERR_INVALID_ARG_TYPE' });
  }
});
