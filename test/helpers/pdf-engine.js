'use strict';

/**
 * Lets every PDF test run with either engine: OFFLOOP_TEST_PDF_ENGINE=qpdf leaves all documents to
 * libqpdf. To be required by test files, in whose process it then holds.
 */

const native = require('../../lib/binding');

/** @typedef {'auto' | 'fast' | 'qpdf'} Engine */

const wanted = process.env.OFFLOOP_TEST_PDF_ENGINE;
if (wanted !== undefined) native.pdfEngine(wanted);

/**
 * Runs `body`, which must be synchronous, with an engine.
 * @template T
 * @param {Engine} engine
 * @param {() => T} body
 * @returns {T}
 */
function withEngine(engine, body) {
  const before = native.pdfEngine(engine);
  try {
    return body();
  } finally {
    native.pdfEngine(before);
  }
}

/** @returns {{ fast: number, qpdf: number }} how many documents each took so far */
const engineCounts = () => native.pdfEngineCounts();

module.exports = { engineCounts, withEngine };
