/**
 * Lets V8 see what the fields of compiled classes hold, and which methods they have.
 *
 * A field that is declared without a value starts as undefined, and of such a one V8 notes no more than that it holds
 * some object: optimised code tests the class of what it reads from there, every time. A field that the constructor
 * adds is noted with the class of what it is given. Private fields have to be declared, so they become ordinary ones,
 * under names that nothing else has: that nobody else uses them, the compiler has checked by then. That is a twentieth
 * of all instructions of a run.
 *
 * A call of a private method tests that the object is of the class, and takes the method from memory. An ordinary method
 * V8 knows from the class of the object: another hundredth.
 */

import { createRequire } from 'node:module';

/** @typedef {import('typescript').Node} Node */
/** @typedef {import('typescript').ClassLikeDeclaration} ClassNode */
/** @typedef {{ from: number, to: number, text: string }} Edit */

/**
 * Renames private fields, methods and accessors of objects, and leaves out declarations that give no value of what the
 * constructor assigns anyway. Lines keep their numbers. A text that has been dealt with stays as it is.
 * @param {string} text a module or a script
 * @param {string} [unit] what it is called, if its classes are joined with those of others: letters, digits and _
 */
export function plainFields(text, unit = '') {
  if (!/\bclass\b/.test(text)) return text;
  /** @type {import('typescript')} Loaded here: there is a build script before there are packages. */
  const ts = createRequire(import.meta.url)('typescript');
  const file = ts.createSourceFile('module.js', text, ts.ScriptTarget.ES2023, false, ts.ScriptKind.JS);
  /** @type {Edit[]} */
  const edits = [];
  let classes = 0;

  /** @param {Node} node @param {string} replacement */
  const replace = (node, replacement) => edits.push({ from: node.getStart(file), to: node.end, text: replacement });

  /** @param {Node} node @param {readonly ReadonlyMap<string, string>[]} scopes new names, by class, innermost last */
  const visit = (node, scopes) => {
    if (ts.isClassLike(node)) return visitClass(node, scopes);
    if (ts.isPrivateIdentifier(node)) {
      const name = newName(node.text, scopes);
      if (name !== undefined) replace(node, name);
    } else if (ts.isBinaryExpression(node) && ts.isPrivateIdentifier(node.left)) {
      const name = newName(node.left.text, scopes);
      if (name !== undefined) replace(node.left, `'${name}'`);
      visit(node.right, scopes);
    } else ts.forEachChild(node, (child) => visit(child, scopes));
    return undefined;
  };

  /** @param {ClassNode} node @param {readonly ReadonlyMap<string, string>[]} scopes */
  const visitClass = (node, scopes) => {
    const prefix = `$${unit}$${++classes}$`;
    const names = node.members
      .filter((member) => member.name !== undefined && ts.isPrivateIdentifier(member.name) && !isStatic(member))
      .map(({ name }) => [name?.getText(file), prefix + name?.getText(file).slice(1)]);
    const inner = [...scopes, new Map(/** @type {[string, string][]} */ (names))];
    const assigned = assignedFields(node);
    for (const child of [...(node.heritageClauses ?? []), ...node.members]) {
      const idle = ts.isPropertyDeclaration(child) && child.modifiers === undefined && child.initializer === undefined;
      if (idle && assigned.has(child.name.getText(file))) replace(child, '');
      else visit(child, inner);
    }
    return undefined;
  };

  /** @param {import('typescript').ClassElement} member */
  const isStatic = (member) =>
    ts.canHaveModifiers(member) && member.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) === true;

  /** Fields that a statement of the constructor itself assigns. @param {ClassNode} node */
  const assignedFields = (node) => {
    const statements = node.members.find(ts.isConstructorDeclaration)?.body?.statements ?? [];
    const names = new Set();
    for (const statement of statements) {
      if (!ts.isExpressionStatement(statement) || !ts.isBinaryExpression(statement.expression)) continue;
      const { left, operatorToken } = statement.expression;
      if (operatorToken.kind !== ts.SyntaxKind.EqualsToken || !ts.isPropertyAccessExpression(left)) continue;
      if (left.expression.kind === ts.SyntaxKind.ThisKeyword) names.add(left.name.getText(file));
    }
    return names;
  };

  visit(file, []);
  return edited(text, edits);
}

/** @param {string} name @param {readonly ReadonlyMap<string, string>[]} scopes */
function newName(name, scopes) {
  return scopes.findLast((names) => names.has(name))?.get(name);
}

/** @param {string} text @param {readonly Edit[]} edits in any order, none inside another */
function edited(text, edits) {
  let done = 0;
  let result = '';
  for (const edit of [...edits].sort((a, b) => a.from - b.from)) {
    result += text.slice(done, edit.from) + edit.text;
    done = edit.to;
  }
  return result + text.slice(done);
}
