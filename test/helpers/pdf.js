'use strict';

/** Other programs' view of a PDF: qpdf's and poppler's command lines, and mupdf. */

const { execFile, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

require('./pdf-engine');

/**
 * A directory of its own for a test file, removed when the process ends.
 * @param {string} name
 */
function scratch(name) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), `offloop-${name}-`));
  process.on('exit', () => fs.rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {number[]} [statuses] that are no error
 * @returns {string}
 */
function run(program, args, statuses = [0]) {
  const result = spawnSync(program, args, { maxBuffer: 2 ** 28 });
  if (result.error !== undefined) throw result.error;
  if (result.status !== null && statuses.includes(result.status)) return `${result.stdout}`;
  throw new Error(
    `${program} ${args.join(' ')}: ${result.status} ${result.stdout}${result.stderr}`,
  );
}

/**
 * qpdf's own check of structure, encryption and streams. Only what the fixtures do on purpose may
 * make it warn.
 * @param {string} file
 * @param {string} [password]
 */
function qpdfCheck(file, password = '') {
  const args = ['--check', `--password=${password}`, file];
  const { status, stdout, stderr } = spawnSync('qpdf', args);
  const odd = `${stderr}`
    .split('\n')
    .filter((line) => !/^$|name with stray #|operation succeeded with warnings/.test(line));
  if ((status === 0 || status === 3) && odd.length === 0) return;
  throw new Error(`qpdf --check ${file}: ${status} ${stdout}${stderr}`);
}

/**
 * Every object of a document without encryption, in reading order, with streams as they are.
 * @param {string} file
 * @param {string} [password]
 * @returns {any}
 */
function objectsOf(file, password = '') {
  return parseObjects(run('qpdf', jsonArgs(file, password), [0, 3]));
}

/** @param {string} file @param {string} password */
const jsonArgs = (file, password) => [
  '--json=2',
  '--json-stream-data=inline',
  '--decode-level=none',
  `--password=${password}`,
  file,
  '-',
];

/**
 * @param {string} json as qpdf writes it
 * @returns {any}
 */
function parseObjects(json) {
  // qpdf passes reals on as they are, "4." and ".5" too, which JSON does not know.
  const strict = json
    .replace(/([:[,]\s*-?\d+)\.(?=\s*[,\]}])/g, '$1.0')
    .replace(/([:[,]\s*-?)\.(?=\d)/g, '$10.');
  // libqpdf writes #23 in a name as a bare #, which means the same but which qpdf tells as a null.
  const [, objects] = JSON.parse(strict.replaceAll('\\u0000', '#')).qpdf;
  return objects;
}

/** Keys that say how a document is stored, not what it holds. */
const STORAGE = new Set(['/Length', '/Size', '/Prev', '/XRefStm', '/W', '/Index', '/Encrypt']);

/**
 * A document as one value, object numbers replaced by the order in which references from the
 * trailer first meet them: equal for equal contents, however the objects are numbered.
 * @param {string} file
 * @param {string} [password]
 */
const contentsOf = (file, password = '') => arrange(objectsOf(file, password));

/**
 * contentsOf, while other programs and this one go on.
 * @param {string} file
 * @param {string} [password]
 * @returns {Promise<any[]>}
 */
async function readContents(file, password = '') {
  const args = jsonArgs(file, password);
  return new Promise((resolve, reject) => {
    execFile('qpdf', args, { maxBuffer: 2 ** 28 }, (error, stdout) => {
      // 3: warnings only.
      if (error !== null && error.code !== 3) reject(error);
      else resolve(arrange(parseObjects(stdout)));
    });
  });
}

/** @param {any} objects @returns {any[]} */
function arrange(objects) {
  const order = new Map();
  /** @type {any[]} */
  const queue = [];

  /** @param {any} value @returns {any} */
  function translate(value) {
    if (typeof value === 'string' && /^\d+ \d+ R$/.test(value)) {
      const object = objects[`obj:${value}`];
      if (object === undefined || object.value === null) return null;
      if (!order.has(value)) {
        order.set(value, order.size);
        queue.push(object);
      }
      return `#${order.get(value)}`;
    }
    if (Array.isArray(value)) return value.map(translate);
    if (value === null || typeof value !== 'object') return value;
    const entries = Object.entries(value).filter(([key]) => !STORAGE.has(key));
    // A null entry is no entry.
    return Object.fromEntries(
      entries
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, each]) => [key, translate(each)])
        .filter(([, each]) => each !== null),
    );
  }

  const { '/Root': root, '/Info': info } = objects.trailer.value;
  const result = [translate({ '/Root': root, ...(info === undefined ? {} : { '/Info': info }) })];
  for (let i = 0; i < queue.length; i++) result.push(translate(queue[i]));
  return result;
}

/** @type {Promise<any> | undefined} */
let mupdf;

/**
 * What mupdf opens a document as: undefined where the password is wrong.
 * @param {Uint8Array} bytes
 * @param {string} password
 * @returns {Promise<{ user: boolean, owner: boolean, pages: number } | undefined>}
 */
async function openWithMupdf(bytes, password) {
  mupdf ??= import('mupdf');
  const library = await mupdf;
  const document = library.Document.openDocument(bytes, 'application/pdf');
  try {
    const roles = document.authenticatePassword(password);
    if (roles === 0) return undefined;
    return { user: (roles & 2) !== 0, owner: (roles & 4) !== 0, pages: document.countPages() };
  } finally {
    document.destroy();
  }
}

module.exports = { contentsOf, objectsOf, openWithMupdf, qpdfCheck, readContents, run, scratch };
