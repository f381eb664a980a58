'use strict';

/** What index.d.ts and lib/crypto-async.d.ts declare is what the modules export. */

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { it } = require('node:test');

const ts = require('typescript');

/**
 * Names of the values, not the types, that a declaration file exports.
 *
 * @param {string} file relative to the project's root
 */
function declaredValues(file) {
  const name = path.join(__dirname, '..', file);
  const program = ts.createProgram([name], { types: ['node'], noEmit: true });
  const checker = program.getTypeChecker();
  const source = /** @type {import('typescript').SourceFile} */ (program.getSourceFile(name));
  const symbol = /** @type {import('typescript').Symbol} */ (checker.getSymbolAtLocation(source));
  return checker
    .getExportsOfModule(symbol)
    .filter((exported) => exported.flags & ts.SymbolFlags.Value)
    .map((exported) => exported.name)
    .sort();
}

/** @param {object} exports */
const namesOf = (exports) =>
  Object.keys(exports)
    .filter((name) => name !== 'default')
    .sort();

it('offloop exports what index.d.ts declares', async () => {
  const declared = declaredValues('index.d.ts');
  assert.ok(declared.includes('recryptAsync'));
  assert.deepStrictEqual(namesOf(require('offloop')), declared);
  // @ts-ignore: resolved by Node through package.json's "exports"
  assert.deepStrictEqual(namesOf(await import('offloop')), declared);
});

it('offloop/crypto-async exports what its declarations say', () => {
  const declared = declaredValues('lib/crypto-async.d.ts');
  assert.strictEqual(declared.length, 41);
  assert.deepStrictEqual(namesOf(require('offloop/crypto-async')), declared);
});

/**
 * A member that only says what must not be given, or is not there, needs no words.
 *
 * @param {import('typescript').Node} node
 */
function isAbsence(node) {
  if (!ts.isPropertySignature(node) || node.type === undefined) return false;
  return ['undefined', 'null', 'false'].includes(node.type.getText());
}

for (const file of ['index.d.ts', 'lib/crypto-async.d.ts']) {
  it(`${file} documents every symbol`, () => {
    const text = fs.readFileSync(path.join(__dirname, '..', file), 'utf8');
    const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    let documented = 0;
    /** @type {string[]} */
    const bare = [];
    ts.forEachChild(source, function visit(node) {
      const isDeclaration =
        ts.isFunctionDeclaration(node) ||
        ts.isInterfaceDeclaration(node) ||
        ts.isTypeAliasDeclaration(node) ||
        ts.isVariableStatement(node) ||
        ts.isClassDeclaration(node) ||
        ts.isPropertySignature(node) ||
        ts.isMethodSignature(node);
      if (isDeclaration && !isAbsence(node)) {
        const comments = ts.getLeadingCommentRanges(text, node.pos) ?? [];
        if (comments.some(({ pos }) => text.startsWith('/**', pos))) documented++;
        else bare.push(node.getText().split('\n')[0]);
      }
      ts.forEachChild(node, visit);
    });
    assert.deepStrictEqual(bare, []);
    assert.ok(documented > 40);
  });
}
