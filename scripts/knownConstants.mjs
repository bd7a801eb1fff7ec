/**
 * Lets V8 see that names of modules never change, in compiled modules and in the bundle.
 *
 * Optimised code of V8 reads an imported name, an exported one and a `var` from memory wherever it is used, tests what
 * it has read, and only then reads the member that was meant. A `const` that is neither imported nor exported it knows:
 * `TLP_KIND.memRead` becomes a number, and the target of a call is not compared. That is an eighth of all instructions
 * of a run.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Last line of a module that has been dealt with: the compiler leaves modules alone that have not changed. */
const DONE = '//# names are constant\n';
const IMPORT = /^import \{([^}]*)\} from (["']\.[^"']*["']);/gm;
const EXPORTED_CONST = /^export const (\w+) =/gm;
const TOP_VAR = /^var ([\w$]+) =/gm;

/** Every module below a folder of compiled files. @param {string} folder */
export function fixModules(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) fixModules(path);
    else if (entry.name.endsWith('.js')) fixFile(path);
  }
}

/**
 * Gives a module constants of its own for what it imports from others of the project and for the constants that it
 * exports. Modules must not import each other in a circle. Lines keep their numbers.
 * @param {string} text
 */
export function fixModule(text) {
  const inside = text.replace(IMPORT, (_statement, names, from) => localImport(names, from));
  /** @type {string[]} */
  const exported = [];
  const body = inside.replace(EXPORTED_CONST, (_statement, name) => {
    exported.push(name);
    return `const ${name} =`;
  });
  return body + exported.map((name) => `const ${name}$ = ${name}; export { ${name}$ as ${name} };\n`).join('') + DONE;
}

/**
 * Declares as constant what a bundle declares with `var` on its top level and assigns nowhere else. Where a name looks as
 * if it were assigned, be it another variable of that name, it stays as it is.
 * @param {string} text
 */
export function fixBundle(text) {
  const changing = changingNames(text);
  return text.replace(TOP_VAR, (statement, name) => (changing.has(name) ? statement : `const ${name} =`));
}

/** @param {string} path */
function fixFile(path) {
  const text = readFileSync(path, 'utf8');
  if (!text.endsWith(DONE)) writeFileSync(path, fixModule(text));
}

/** @param {string} names @param {string} from */
function localImport(names, from) {
  const pairs = names
    .split(',')
    .map((name) => name.trim().split(' as '))
    .filter(([name]) => name !== '')
    .map(([name, local = name]) => ({ name, local }));
  const imported = pairs.map(({ name, local }) => `${name} as ${local}$`).join(', ');
  const constants = pairs.map(({ local }) => `${local} = ${local}$`).join(', ');
  return `import { ${imported} } from ${from}; const ${constants};`;
}

/** Names that stand more than once on the left of an assignment, or at an increment. @param {string} text */
function changingNames(text) {
  const seen = new Set();
  const changing = new Set();
  const assigned =
    /(?<![\w$.])([\w$]+)\s*(?:=(?![=>])|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<=|>>=|>>>=|\*\*=|\?\?=|\|\|=|&&=)/g;
  for (const [, name] of text.matchAll(assigned)) {
    if (seen.has(name)) changing.add(name);
    seen.add(name);
  }
  for (const [, before, after] of text.matchAll(/(?<![\w$.])(?:([\w$]+)(?:\+\+|--)|(?:\+\+|--)([\w$]+))/g)) {
    changing.add(before ?? after);
  }
  return changing;
}
