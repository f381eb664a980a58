'use strict';

const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { describe, it } = require('node:test');

const offloop = require('..');
const { pdfPath } = require('../fixtures/pdf');
const { forms } = require('./helpers/forms');
const { scratch } = require('./helpers/pdf');

const { pdfEncryption, recrypt, recryptAsync } = offloop;
const directory = scratch('files');
const small = pdfPath('small');
const root = path.join(__dirname, '..');
const isRoot = process.getuid?.() === 0;

let count = 0;
/** A new empty directory. */
function fresh() {
  const made = path.join(directory, `${count++}`);
  fs.mkdirSync(made);
  return made;
}

/** @param {string} file */
const isEncrypted = (file) => pdfEncryption(file, { password: 'u' }).encrypted;

describe('recrypt: files', () => {
  for (const { form, call } of forms) {
    it(`${form}: a failure leaves the old target, and nothing else`, async () => {
      const place = fresh();
      const target = path.join(place, 'target.pdf');
      const broken = path.join(place, 'broken.pdf');
      const locked = path.join(place, 'locked.pdf');
      fs.writeFileSync(broken, 'no document');
      recrypt(small, locked, { userPassword: 'u' });
      for (const before of [undefined, 'old target']) {
        if (before !== undefined) fs.writeFileSync(target, before);
        for (const [source, options, code] of /** @type {[string, any, string][]} */ ([
          [broken, {}, 'ERR_OFFLOOP_PDF_DAMAGED'],
          [locked, { password: 'wrong' }, 'ERR_OFFLOOP_PDF_PASSWORD'],
          [path.join(place, 'missing.pdf'), {}, 'ENOENT'],
          [place, {}, 'EISDIR'],
        ])) {
          await assert.rejects(call('recrypt', [source, target], options), { code });
          const after = fs.existsSync(target) ? `${fs.readFileSync(target)}` : undefined;
          assert.strictEqual(after, before);
        }
      }
      assert.deepStrictEqual(fs.readdirSync(place).sort(), [
        'broken.pdf',
        'locked.pdf',
        'target.pdf',
      ]);
    });

    it(`${form}: system errors tell errno, syscall and path`, async () => {
      const missing = path.join(directory, 'missing.pdf');
      const nowhere = path.join(directory, 'nowhere', 'target.pdf');
      await assert.rejects(call('recrypt', [missing, nowhere]), {
        code: 'ENOENT',
        syscall: 'open',
        path: missing,
        errno: -2,
      });
      await assert.rejects(call('recrypt', [small, nowhere]), {
        code: 'ENOENT',
        syscall: 'open',
        path: nowhere,
      });
      await assert.rejects(call('pdfEncryption', [missing]), { code: 'ENOENT', path: missing });
    });

    it(`${form}: the source may be the target`, async () => {
      const file = path.join(fresh(), 'same.pdf');
      fs.copyFileSync(small, file);
      await call('recrypt', [file, file], { userPassword: 'u' });
      assert.ok(isEncrypted(file));
      await call('recrypt', [file, file], { password: 'u' });
      assert.ok(!isEncrypted(file));
    });

    it(`${form}: pipes and devices are refused at once`, async () => {
      const place = fresh();
      const pipe = path.join(place, 'pipe');
      assert.strictEqual(spawnSync('mkfifo', [pipe]).status, 0);
      const refused = { code: 'ERR_INVALID_ARG_VALUE', message: /not a regular file/ };
      for (const odd of [pipe, '/dev/null', '/dev/zero']) {
        await assert.rejects(call('recrypt', [odd, path.join(place, 'target.pdf')]), refused);
        await assert.rejects(call('recrypt', [small, odd]), refused);
        await assert.rejects(call('pdfEncryption', [odd]), refused);
      }
      assert.deepStrictEqual(fs.readdirSync(place), ['pipe']);
      await assert.rejects(call('recrypt', [small, place]), { code: 'EISDIR' });
    });

    it(`${form}: null bytes in paths`, async () => {
      const refused = { name: 'TypeError', code: 'ERR_INVALID_ARG_VALUE' };
      await assert.rejects(call('recrypt', ['a\0b']), refused);
      await assert.rejects(call('recrypt', [small, 'a\0b']), refused);
      await assert.rejects(call('recrypt', ['']), { code: 'ENOENT' });
      await assert.rejects(call('recrypt', [small, '']), { code: 'ENOENT' });
    });
  }

  it('the mode of an existing target stays; a new one has what the umask leaves', () => {
    const place = fresh();
    const target = path.join(place, 'target.pdf');
    for (const mode of [0o640, 0o600, 0o755]) {
      fs.writeFileSync(target, 'old');
      fs.chmodSync(target, mode);
      recrypt(small, target, { userPassword: 'u' });
      assert.strictEqual(fs.statSync(target).mode & 0o7777, mode);
    }
    const before = process.umask();
    try {
      for (const umask of [0o022, 0o077, 0o002]) {
        process.umask(umask);
        fs.rmSync(target);
        recrypt(small, target);
        assert.strictEqual(fs.statSync(target).mode & 0o7777, 0o666 & ~umask);
      }
    } finally {
      process.umask(before);
    }
  });

  it('symbolic links are followed', () => {
    const place = fresh();
    fs.mkdirSync(path.join(place, 'real'));
    const file = path.join(place, 'real', 'file.pdf');
    fs.writeFileSync(file, 'old');
    fs.symlinkSync('real/file.pdf', path.join(place, 'first'));
    fs.symlinkSync(path.join(place, 'first'), path.join(place, 'second'));
    recrypt(small, path.join(place, 'second'), { userPassword: 'u' });
    assert.ok(isEncrypted(file));
    assert.ok(fs.lstatSync(path.join(place, 'first')).isSymbolicLink());
    assert.ok(fs.lstatSync(path.join(place, 'second')).isSymbolicLink());

    fs.symlinkSync('real/new.pdf', path.join(place, 'dangling'));
    recrypt(small, path.join(place, 'dangling'), { userPassword: 'u' });
    assert.ok(isEncrypted(path.join(place, 'real', 'new.pdf')));

    fs.symlinkSync('loop', path.join(place, 'loop'));
    assert.throws(() => recrypt(small, path.join(place, 'loop')), { code: 'ELOOP' });
  });

  it('paths are absolute from the moment of the call', async () => {
    const place = fresh();
    fs.copyFileSync(small, path.join(place, 'source.pdf'));
    const before = process.cwd();
    process.chdir(place);
    let pending;
    try {
      pending = recryptAsync('source.pdf', 'target.pdf', { userPassword: 'u' });
    } finally {
      process.chdir(before);
    }
    await pending;
    assert.ok(isEncrypted(path.join(place, 'target.pdf')));
  });

  it('what may not be written is not replaced', { skip: isRoot && 'root may write all' }, () => {
    const place = fresh();
    const target = path.join(place, 'target.pdf');
    fs.writeFileSync(target, 'old', { mode: 0o444 });
    assert.throws(() => recrypt(small, target), { code: 'EACCES', path: target });
    fs.chmodSync(place, 0o555);
    assert.throws(() => recrypt(small, path.join(place, 'new.pdf')), { code: 'EACCES' });
    fs.chmodSync(place, 0o755);
    assert.strictEqual(`${fs.readFileSync(target)}`, 'old');
  });

  it('a file size limit, as a full disk: the error, the old target, nothing left', () => {
    const place = fresh();
    const target = path.join(place, 'target.pdf');
    fs.writeFileSync(target, 'old');
    const script = `
      process.on('SIGXFSZ', () => {});
      for (const options of [{}, { userPassword: 'u' }, { linearize: true }]) {
        try {
          require('.').recrypt(${JSON.stringify(pdfPath('images'))}, ${JSON.stringify(target)}, options);
        } catch ({ code, syscall, path }) {
          console.log(code, syscall, path);
        }
      }`;
    const limited = `ulimit -f 2000; exec "$0" -e "$1"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', limited, process.execPath, script], {
      cwd: root,
    });
    assert.strictEqual(`${stdout}`, `EFBIG write ${target}\n`.repeat(3), `${stderr}`);
    assert.strictEqual(`${fs.readFileSync(target)}`, 'old');
    assert.deepStrictEqual(fs.readdirSync(place), ['target.pdf']);
  });

  it('an aborted job leaves nothing', async () => {
    const place = fresh();
    const target = path.join(place, 'target.pdf');
    fs.writeFileSync(target, 'old');
    const source = pdfPath('images');
    for (const options of [
      { userPassword: 'u' },
      { linearize: true },
      { userPassword: 'u', version: 14 },
    ]) {
      for (const delay of [0, 1, 5, 20]) {
        const controller = new AbortController();
        const reason = new Error('enough');
        const pending = recryptAsync(
          source,
          target,
          /** @type {any} */ ({
            ...options,
            signal: controller.signal,
          }),
        );
        setTimeout(() => controller.abort(reason), delay);
        const outcome = await pending.then(
          () => 'done',
          (/** @type {unknown} */ error) => error,
        );
        assert.ok(outcome === 'done' || outcome === reason);
        if (outcome === 'done') fs.writeFileSync(target, 'old');
        assert.deepStrictEqual(fs.readdirSync(place), ['target.pdf']);
        assert.strictEqual(`${fs.readFileSync(target)}`, 'old');
      }
    }
  });

  it('process.exit in the middle of jobs leaves nothing', () => {
    const place = fresh();
    const script = `
      const { recryptAsync } = require('.');
      for (let i = 0; i < 8; i++) {
        const target = ${JSON.stringify(place)} + '/' + i + '.pdf';
        recryptAsync(${JSON.stringify(pdfPath('images'))}, target, { linearize: i % 2 === 0, userPassword: 'u' });
      }
      setTimeout(() => process.exit(7), 30);`;
    const { status, stderr } = spawnSync(process.execPath, ['-e', script], { cwd: root });
    assert.strictEqual(status, 7, `${stderr}`);
    assert.deepStrictEqual(
      fs.readdirSync(place).filter((name) => name.startsWith('.')),
      [],
    );
  });

  it('several documents at a time', async () => {
    const place = fresh();
    const kinds = ['small', 'features', 'object-streams', 'text'];
    const jobs = Array.from({ length: 24 }, async (_, i) => {
      const target = path.join(place, `${i}.pdf`);
      const userPassword = `password ${i}`;
      await recryptAsync(pdfPath(kinds[i % kinds.length]), target, {
        userPassword,
        linearize: i % 3 === 0,
        encryption: /** @type {any} */ (['aes-256', 'rc4-40', 'aes-128', 'rc4-128'][i % 4]),
      });
      assert.strictEqual(pdfEncryption(target, { password: userPassword }).opensAs, 'both');
    });
    await Promise.all(jobs);
  });
});
