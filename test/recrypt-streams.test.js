'use strict';

const assert = require('node:assert');
const { once } = require('node:events');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { PassThrough, Readable, Writable } = require('node:stream');
const { describe, it } = require('node:test');

const { pdfEncryption, recrypt, recryptAsync } = require('..');
const { makePdf, pdfPath } = require('../fixtures/pdf');
const { scratch } = require('./helpers/pdf');

const directory = scratch('streams');
const plain = makePdf('features');

/** @param {Uint8Array} bytes @param {number} size */
function* pieces(bytes, size) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A Writable that takes its time. */
class Slow extends Writable {
  /** @type {Buffer[]} */
  chunks = [];
  most = 0;
  constructor() {
    super({ highWaterMark: 1000 });
  }
  /** @param {Buffer} chunk @param {any} _encoding @param {() => void} done */
  _write(chunk, _encoding, done) {
    this.chunks.push(chunk);
    this.most = Math.max(this.most, this.writableLength);
    setImmediate(done);
  }
}

/** Spool files have no name: no directory lists one, at no time. */
const spools = () => fs.readdirSync(os.tmpdir()).filter((name) => /^offloop-.*\.tmp$/.test(name));

describe('recryptAsync: streams', () => {
  it('a Readable, in pieces of any size', async () => {
    for (const size of [1, 100, 65536]) {
      const locked = await recryptAsync(Readable.from(pieces(plain, size), { objectMode: false }), {
        userPassword: 'u',
      });
      assert.strictEqual(pdfEncryption(locked, { password: 'u' }).opensAs, 'both');
    }
    const target = path.join(directory, 'target.pdf');
    const report = await recryptAsync(fs.createReadStream(pdfPath('small')), target, {
      userPassword: 'u',
    });
    assert.strictEqual(report.bytesWritten, fs.statSync(target).size);
  });

  it('a Writable gets everything, no faster than it takes it, and is ended', async () => {
    const target = new Slow();
    const report = await recryptAsync(pdfPath('images'), target, { userPassword: 'u' });
    const bytes = Buffer.concat(target.chunks);
    assert.strictEqual(report.bytesWritten, bytes.length);
    assert.ok(target.writableFinished);
    assert.ok(target.most < 200000, `${target.most}`);
    assert.strictEqual(pdfEncryption(bytes, { password: 'u' }).opensAs, 'both');
  });

  it('from a stream to a stream', async () => {
    const target = fs.createWriteStream(path.join(directory, 'piped.pdf'));
    await recryptAsync(fs.createReadStream(pdfPath('small')), target, { userPassword: 'u' });
    assert.ok(target.closed || target.writableFinished);
    const info = pdfEncryption(path.join(directory, 'piped.pdf'), { password: 'u' });
    assert.strictEqual(info.opensAs, 'both');
  });

  it('a source over 64 MiB goes by a file without a name', async () => {
    const file = pdfPath('images', { copies: 9 });
    assert.ok(fs.statSync(file).size > 64 * 1024 * 1024);
    const target = path.join(directory, 'large.pdf');
    const source = fs.createReadStream(file);
    let seen = 0;
    source.on('data', () => (seen += spools().length));
    await recryptAsync(source, target, { userPassword: 'u' });
    assert.strictEqual(pdfEncryption(target, { password: 'u' }).opensAs, 'both');
    assert.strictEqual(
      fs.statSync(target).size,
      recrypt(file, target, { userPassword: 'v' }).bytesWritten,
    );
    assert.deepStrictEqual(spools(), []);
    assert.ok(seen <= 1, 'seen at most while it is being made');
  });

  it('a source that fails: its error, the old target, and a destroyed Writable', async () => {
    const error = new Error('source');
    const failing = () =>
      Readable.from(
        (function* () {
          yield plain.subarray(0, 100);
          throw error;
        })(),
      );
    const target = path.join(directory, 'kept.pdf');
    fs.writeFileSync(target, 'old');
    await assert.rejects(recryptAsync(failing(), target), error);
    assert.strictEqual(`${fs.readFileSync(target)}`, 'old');
    const writable = new Slow();
    await assert.rejects(recryptAsync(failing(), writable), error);
    assert.ok(writable.destroyed);
    assert.deepStrictEqual(writable.chunks, []);
  });

  it('a document that fails destroys the Writable, which gets nothing', async () => {
    for (const source of [
      Readable.from([Buffer.from('no document')]),
      Buffer.from('x'),
      '/nowhere',
    ]) {
      const writable = new Slow();
      await assert.rejects(recryptAsync(/** @type {any} */ (source), writable), {
        code: /ERR_OFFLOOP_PDF_DAMAGED|ENOENT/,
      });
      assert.ok(writable.destroyed);
      assert.deepStrictEqual(writable.chunks, []);
    }
  });

  it('a Writable that fails: its error', async () => {
    const error = new Error('target');
    const failing = new Writable({ write: (_chunk, _encoding, done) => done(error) });
    await assert.rejects(recryptAsync(plain, failing, { userPassword: 'u' }), error);
    assert.ok(failing.destroyed);
  });

  it('a Writable that fails while the document is made: its error, and no uncaught one', async () => {
    const missing = fs.createWriteStream(path.join(directory, 'missing', 'out.pdf'));
    await assert.rejects(recryptAsync(plain, missing), { code: 'ENOENT' });
    const error = new Error('meanwhile');
    const failing = new Slow();
    setImmediate(() => failing.destroy(error));
    await assert.rejects(recryptAsync(pdfPath('images'), failing), error);
    assert.deepStrictEqual(failing.chunks, []);
  });

  it('a Writable that was destroyed or has ended is no success', async () => {
    const destroyed = new Slow().destroy();
    const ended = new Slow();
    ended.end();
    await Promise.all([destroyed, ended].map((stream) => once(stream, 'close')));
    await assert.rejects(recryptAsync(plain, destroyed), { code: 'ERR_STREAM_DESTROYED' });
    await assert.rejects(recryptAsync(plain, ended), { code: 'ERR_STREAM_DESTROYED' });
    const ending = new Slow();
    ending.end('something');
    await assert.rejects(recryptAsync(plain, ending), /The target was (ended|destroyed)/);
  });

  it('an abort, while the source is read and while the target is written', async () => {
    const reason = new Error('enough');
    const endless = new PassThrough();
    endless.write(plain.subarray(0, 1000));
    const reading = new AbortController();
    setTimeout(() => reading.abort(reason), 20);
    const target = path.join(directory, 'aborted.pdf');
    await assert.rejects(recryptAsync(endless, target, { signal: reading.signal }), reason);
    assert.ok(endless.destroyed);
    assert.ok(!fs.existsSync(target));

    const stuck = new Writable({ write: () => {} });
    const writing = new AbortController();
    setTimeout(() => writing.abort(reason), 50);
    await assert.rejects(recryptAsync(plain, stuck, { signal: writing.signal }), reason);
    assert.ok(stuck.destroyed);
    assert.ok(AbortSignal.abort(reason).aborted);
    await assert.rejects(
      recryptAsync(Readable.from([plain]), { signal: AbortSignal.abort(reason) }),
      reason,
    );
  });

  it('what is no bytes is refused, and bad options before the source is read', async () => {
    for (const chunk of ['text', 1, {}, true]) {
      await assert.rejects(recryptAsync(Readable.from([chunk])), { code: 'ERR_INVALID_ARG_TYPE' });
    }
    let read = false;
    const source = new Readable({
      read() {
        read = true;
        this.push(null);
      },
    });
    const target = new PassThrough();
    await assert.rejects(
      recryptAsync(source, target, /** @type {any} */ ({ encryption: 'aes-256' })),
      { code: 'ERR_INVALID_ARG_VALUE' },
    );
    assert.deepStrictEqual([read, source.destroyed, target.destroyed], [false, true, true]);
  });

  it('the form at once takes none', () => {
    const expected = { code: 'ERR_INVALID_ARG_TYPE' };
    assert.throws(() => recrypt(/** @type {any} */ (Readable.from([plain]))), expected);
    assert.throws(() => recrypt(plain, /** @type {any} */ (new PassThrough()), {}), expected);
  });
});
