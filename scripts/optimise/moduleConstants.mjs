/**
 * Lets V8 see that names of compiled modules never change; bundleConstants.mjs does it for the bundle.
 *
 * Optimised code of V8 reads an imported name, an exported one and a `var` from memory wherever it is used, tests what
 * it has read, and only then reads the member that was meant. A `const` that is neither imported nor exported it knows:
 * `TLP_KIND.memRead` becomes a number, and the target of a call is not compared. That is an eighth of all instructions
 * of a run.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { plainFields } from './plainFields.mjs';

/** Last line of a module that has been dealt with: the compiler leaves modules alone that have not changed. */
const DONE = '//# names are constant\n';
const IMPORT = /^import \{([^}]*)\} from (["']\.[^"']*["']);/gm;
const EXPORTED_CONST = /^export const (\w+) =/gm;
const FUNCTION = /^(export )?function (\w+)\(/gm;

/**
 * Every module below a folder of compiled files, but for those that import each other in a circle: there a name may be
 * imported before it has its value. Their fields become plain as well. @param {string} folder
 */
export function fixModules(folder) {
  const texts = new Map(modulesBelow(folder).map((path) => [path, readFileSync(path, 'utf8')]));
  const imports = new Map([...texts].map(([path, text]) => [path, importsOf(path, text)]));
  for (const [path, text] of texts) {
    if (text.endsWith(DONE) || reaches(path, path, imports)) continue;
    const unit = relative(folder, path).replace(/\W/g, '_');
    writeFileSync(path, fixModule(plainFields(text, unit)));
  }
}

/**
 * Gives a module constants of its own for what it imports from others of the project, for the constants that it exports
 * and for its functions. Lines keep their numbers.
 * @param {string} text
 */
export function fixModule(text) {
  const inside = text.replace(IMPORT, (_statement, names, from) => localImport(names, from));
  /** @type {string[]} */
  const exports = [];
  const body = inside.replace(EXPORTED_CONST, (_statement, name) => {
    exports.push(`const ${name}$ = ${name}; export { ${name}$ as ${name} };\n`);
    return `const ${name} =`;
  });
  const whole = fixFunctions(body, (name) => exports.push(`export { ${name}$ as ${name} };\n`));
  return whole + exports.join('') + DONE;
}

/**
 * Gives the functions that a text declares on its top level names of their own, and constants with their names to its
 * first line: functions are there before anything is carried out.
 * @param {string} text
 * @param {(name: string) => void} [onExport] told of those that are exported
 * @param {ReadonlySet<string>} [assigned] functions that are to stay as they are
 */
export function fixFunctions(text, onExport = () => {}, assigned = new Set()) {
  /** @type {string[]} */
  const constants = [];
  const body = text.replace(FUNCTION, (statement, exported, name) => {
    if (assigned.has(name)) return statement;
    constants.push(`${name} = ${name}$`);
    if (exported !== undefined) onExport(name);
    return `function ${name}$(`;
  });
  return constants.length === 0 ? body : `const ${constants.join(', ')}; ${body}`;
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
