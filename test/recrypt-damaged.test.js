'use strict';

const assert = require('node:assert');
const path = require('node:path');
const { describe, it } = require('node:test');
const zlib = require('node:zlib');

const { pdfEncryption, recrypt, recryptAsync } = require('..');
const { makePdf } = require('../fixtures/pdf');
const { PAGES, buildPacked, buildPdf, stream } = require('./helpers/pdf-builder');
const { qpdfCheck, run, scratch } = require('./helpers/pdf');

const directory = scratch('damaged');
const ways = [
  {},
  { linearize: true },
  { userPassword: 'u', objectStreams: 'generate' },
  { userPassword: 'u', version: 14, objectStreams: 'disable' },
  { strict: true },
];

/**
 * Whatever happens must be an outcome that is documented.
 * @param {Buffer} bytes
 * @param {any} options
 */
function outcomeOf(bytes, options) {
  try {
    const written = recrypt(bytes, options);
    assert.ok(Buffer.isBuffer(written));
    return 'ok';
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    assert.match(`${code}`, /^ERR_OFFLOOP_PDF_(DAMAGED|PASSWORD|UNSUPPORTED)$/, message);
    assert.match(message, /^[ -~]+$/);
    return code;
  }
}

/** @param {Buffer} bytes */
function warningsOf(bytes) {
  const file = path.join(directory, 'out.pdf');
  const { repaired, warnings } = recrypt(bytes, file, {});
  return { repaired, warnings };
}

/** Pseudo-random numbers below 2^32 that `seed` determines. @param {number} seed */
function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
}

const DAMAGED = 'ERR_OFFLOOP_PDF_DAMAGED';

describe('recrypt: damaged documents', () => {
  it('what is no document', () => {
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.from('%PDF-1.7'),
      Buffer.from('hello\n'.repeat(1000)),
      Buffer.alloc(100000),
      Buffer.alloc(100000, '('),
      Buffer.alloc(100000, '<<'),
      Buffer.from('%PDF-1.4\nstartxref\n9\n%%EOF'),
      Buffer.from('%PDF-1.4\nstartxref\n99999999999999999999\n%%EOF'),
    ]) {
      for (const options of ways) assert.strictEqual(outcomeOf(bytes, options), DAMAGED);
      assert.throws(() => pdfEncryption(bytes), { code: DAMAGED });
    }
    const headless = Buffer.from('%PDF-1.4\ntrailer<</Root 1 0 R>>');
    for (const options of ways) assert.strictEqual(outcomeOf(headless, options), DAMAGED);
  });

  it('a lost cross-reference is repaired, with warnings, unless strict', async () => {
    const whole = makePdf('small');
    const place = whole.lastIndexOf('xref\n0 ');
    const trailer = whole.lastIndexOf('trailer');
    const broken = [
      Buffer.concat([whole.subarray(0, place), whole.subarray(trailer)]),
      Buffer.concat([Buffer.from('%'), whole]),
      Buffer.from(
        `${whole.toString('latin1').replace(/startxref\n\d+/, 'startxref\n5')}`,
        'latin1',
      ),
    ];
    for (const bytes of broken) {
      const { repaired, warnings } = warningsOf(bytes);
      if (!repaired) continue;
      assert.ok(warnings.length > 0);
      qpdfCheck(path.join(directory, 'out.pdf'));
      assert.match(run('pdfinfo', [path.join(directory, 'out.pdf')]), /Pages: +2/);
      await assert.rejects(recryptAsync(bytes, { strict: true }), { code: DAMAGED });
      /** @type {string[]} */
      const told = [];
      await recryptAsync(bytes, { onWarning: (/** @type {string} */ text) => told.push(text) });
      assert.deepStrictEqual(told, warnings);
    }
    assert.strictEqual(warningsOf(broken[0]).repaired, true);
    assert.strictEqual(warningsOf(broken[2]).repaired, true);
  });

  it('a recovered document without /Size in its trailer is whole afterwards', () => {
    const file = path.join(directory, 'size.pdf');
    const bytes = Buffer.from(
      buildPdf({ ...PAGES, 10: '(x)' })
        .toString('latin1')
        .replace('/Size', '/Sise'),
      'latin1',
    );
    for (const options of [{}, { linearize: true }, { userPassword: 'u' }]) {
      recrypt(bytes, file, options);
      qpdfCheck(file, 'u');
    }
  });

  it('truncated anywhere', () => {
    for (const kind of ['features', 'object-streams']) {
      const whole = makePdf(kind);
      for (let length = 0; length < whole.length; length += 577) {
        outcomeOf(whole.subarray(0, length), ways[length % ways.length]);
      }
    }
  });

  it('bytes changed anywhere, of plain and of encrypted documents', () => {
    const next = random(7);
    const seeds = ['features', 'object-streams', 'hybrid', 'incremental'].flatMap((kind) => [
      makePdf(kind),
      recrypt(makePdf(kind), { ownerPassword: 'o', version: 16 }),
      recrypt(makePdf(kind), { ownerPassword: 'o', version: 14 }),
    ]);
    for (let turn = 0; turn < 300; turn++) {
      const bytes = Buffer.from(seeds[turn % seeds.length]);
      for (let change = next() % 20; change >= 0; change--) {
        bytes[next() % bytes.length] = next() >>> 24;
      }
      outcomeOf(bytes, ways[next() % ways.length]);
    }
  });

  it('references that lead to themselves or nowhere', () => {
    for (const objects of [
      { 10: '10 0 R' },
      { 10: '11 0 R', 11: '10 0 R' },
      { 10: '<</Length 10 0 R>>\nstream\nx\nendstream' },
      {
        10: '<</Length 11 0 R>>\nstream\nx\nendstream',
        11: '<</Length 10 0 R>>\nstream\nx\nendstream',
      },
      { 10: '<</A 99 0 R/B[98 0 R]>>' },
      { 10: '<</A 99999999 0 R/B 5 65535 R>>' },
      { 2: '<</Type/Pages/Kids[2 0 R]/Count 1>>', 10: '1' },
    ]) {
      const bytes = buildPdf({ ...PAGES, .../** @type {Record<number, string>} */ (objects) });
      for (const options of ways) outcomeOf(bytes, options);
      assert.strictEqual(outcomeOf(bytes, {}), 'ok');
    }
  });

  it('lengths that lie', () => {
    for (const length of ['0', '1', '2', '99999', '9999999999', '-5', '1.5', 'null', '(a)', '[]']) {
      const bytes = buildPdf({ ...PAGES, 10: `<</Length ${length}>>\nstream\nabc\nendstream` });
      for (const options of ways) outcomeOf(bytes, options);
      assert.strictEqual(outcomeOf(bytes, {}), 'ok');
    }
  });

  it('deep nesting and long chains end in an outcome, not on the stack', () => {
    const chain = (/** @type {(next: number) => string} */ link, /** @type {number} */ count) => {
      /** @type {Record<number, string>} */
      const objects = { ...PAGES, [10 + count]: '3' };
      for (let i = 0; i < count; i++) objects[10 + i] = link(11 + i);
      return buildPdf(objects);
    };
    for (const bytes of [
      buildPdf({ ...PAGES, 10: '['.repeat(100000) + ']'.repeat(100000) }),
      buildPdf({ ...PAGES, 10: '<</A'.repeat(100000) + '>>'.repeat(100000) }),
      buildPdf({ ...PAGES, 10: '['.repeat(490) + ']'.repeat(490) }),
      chain((next) => `<</Length ${next} 0 R>>\nstream\nabc\nendstream`, 30000),
      chain((next) => `<</Next ${next} 0 R>>`, 30000),
      chain((next) => `${next} 0 R`, 1000),
    ]) {
      for (const options of ways.slice(0, 3)) outcomeOf(bytes, options);
    }
    const outline = chain((next) => `<</Next ${next} 0 R>>`, 30000);
    assert.strictEqual(outcomeOf(outline, { linearize: true }), 'ok');
  });

  it('what unpacks to far more than it is worth is refused', () => {
    const bomb = zlib.deflateSync(Buffer.alloc(200 << 20, ' '), { level: 9 });
    const twice = zlib.deflateSync(bomb, { level: 9 });
    const header = '/Type/ObjStm/N 1/First 5';
    for (const bytes of [
      buildPacked(stream(`${header}/Filter/FlateDecode`, bomb)),
      buildPacked(stream(`${header}/Filter[/FlateDecode/FlateDecode]`, twice)),
    ]) {
      for (const options of ways) assert.strictEqual(outcomeOf(bytes, options), DAMAGED);
    }
    const small = stream(`${header}/Filter/FlateDecode`, zlib.deflateSync(Buffer.from('20 0 (x)')));
    assert.strictEqual(outcomeOf(buildPacked(small), {}), 'ok');
    const table = buildPacked(small, () => ({
      dictionary: '/Size 30000000/Filter/FlateDecode',
      data: zlib.deflateSync(Buffer.alloc(30000000 * 6, '\u0001\0\0\0\u0009\0'), { level: 9 }),
    }));
    for (const options of ways) assert.strictEqual(outcomeOf(table, options), DAMAGED);
    const picture = buildPdf({ ...PAGES, 10: stream('/Filter/FlateDecode', bomb) });
    assert.strictEqual(outcomeOf(picture, {}), 'ok', 'a stream that nobody unpacks is no harm');
  });

  it('object streams that lie', () => {
    const data = zlib.deflateSync(Buffer.from('20 0 <</A 1>> '));
    for (const numbers of [
      '/N 2000000000/First 5',
      '/N -5/First 5',
      '/N 1/First 2000000000',
      '/N 1/First -1',
      '/N null/First 5',
      '/N 1/First 5/Extends 10 0 R',
    ]) {
      const bytes = buildPacked(stream(`/Type/ObjStm${numbers}/Filter/FlateDecode`, data));
      for (const options of ways) outcomeOf(bytes, options);
    }
    for (const broken of [
      data.subarray(0, 9),
      data.subarray(0, data.length - 6),
      Buffer.alloc(40, 255),
    ]) {
      const bytes = buildPacked(stream('/Type/ObjStm/N 1/First 5/Filter/FlateDecode', broken));
      for (const options of ways) outcomeOf(bytes, options);
    }
    for (const filter of [
      '/LZWDecode',
      '/RunLengthDecode',
      '/DCTDecode',
      '/ASCIIHexDecode',
      '/None',
    ]) {
      const bytes = buildPacked(stream(`/Type/ObjStm/N 1/First 5/Filter${filter}`, data));
      for (const options of ways) outcomeOf(bytes, options);
    }
  });

  it('tables and sizes that lie', () => {
    const bytes = buildPdf({ ...PAGES, 10: '1' }).toString('latin1');
    for (const [from, to] of [
      ['/Size 11', '/Size 2147483647'],
      ['/Size 11', '/Size -1'],
      ['xref\n0 11', 'xref\n0 999999999'],
      ['xref\n0 11', 'xref\n2147483640 11'],
      ['/Root 1 0 R', '/Root 10 0 R'],
      ['/Root 1 0 R', '/Root 1 0 R/Prev 9'],
      ['/Root 1 0 R', '/Root 1 0 R/Prev 99999999999999999999'],
      ['/Root 1 0 R', '/Root 1 0 R/XRefStm 9'],
      ['/Root 1 0 R', '/Root 1 0 R/ID 5'],
      ['/Root 1 0 R', '/Root 1 0 R/ID[1 2]'],
    ]) {
      const changed = Buffer.from(bytes.replace(from, to), 'latin1');
      for (const options of ways) outcomeOf(changed, options);
    }
  });
});
