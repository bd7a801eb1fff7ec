/**
 * Lets V8 see that names of compiled modules never change; bundleConstants.mjs does it for the bundle.
 *
 * Optimised code of V8 reads an imported name, an exported one and a `var` from memory wherever it is used, tests what
 * it has read, and only then reads the member that was meant. A `const` that is neither imported nor exported it knows:
 * `TLP_KIND.memRead` becomes a number, and the target of a call is not compared. That is an eighth of all instructions
 * of a run.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Last line of a module that has been dealt with: the compiler leaves modules alone that have not changed. */
const DONE = '//# names are constant\n';
const IMPORT = /^import \{([^}]*)\} from (["']\.[^"']*["']);/gm;
const EXPORTED_CONST = /^export const (\w+) =/gm;

/**
 * Every module below a folder of compiled files, but for those that import each other in a circle: there a name may be
 * imported before it has its value. @param {string} folder
 */
export function fixModules(folder) {
  const texts = new Map(modulesBelow(folder).map((path) => [path, readFileSync(path, 'utf8')]));
  const imports = new Map([...texts].map(([path, text]) => [path, importsOf(path, text)]));
  for (const [path, text] of texts) {
    if (!text.endsWith(DONE) && !reaches(path, path, imports)) writeFileSync(path, fixModule(text));
  }
}

/**
 * Gives a module constants of its own for what it imports from others of the project and for the constants that it
 * exports. Lines keep their numbers.
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

/** @param {string} folder @returns {string[]} */
function modulesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return modulesBelow(path);
    return entry.name.endsWith('.js') ? [path] : [];
  });
}

/** @param {string} path @param {string} text */
function importsOf(path, text) {
  return [...text.matchAll(IMPORT)].map(([, , from = '']) => join(dirname(path), from.slice(1, -1)));
}

/**
 * Whether a module imports another, directly or not.
 * @param {string} from @param {string} to @param {ReadonlyMap<string, readonly string[]>} imports
 */
function reaches(from, to, imports) {
  const seen = new Set();
  const open = [from];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    for (const next of imports.get(path) ?? []) {
      if (next === to) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return false;
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
