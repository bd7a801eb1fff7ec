/**
 * How sources outside of the project name its modules: by the entry points that package.json exports, such as
 * `rnic-verify/uvm`, which stay what they are; or, as long as that is permitted, by file: `rnic-verify/uvm/kernel/time.ts`.
 */

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { hasSources, SOURCE_FOLDERS } from '../start/sourceStamp.cjs';

export const PACKAGE = 'rnic-verify';
/** The version from which on imports by file are refused. */
const REFUSED_FROM = '0.2';
const BUILD = 'dist';

/**
 * Entry points and the modules behind them, which are paths from the project folder without extension.
 * @param {string} root project folder
 * @returns {ReadonlyMap<string, string>} such as `rnic-verify/uvm` to `api/uvm`
 */
export function entryPoints(root) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const modules = Object.entries(exports).filter(([name, to]) => !name.includes('*') && typeof to === 'object');
  return new Map(
    modules.map(([name, to]) => [PACKAGE + name.slice(1), to.default.slice(`./${BUILD}/`.length, -'.js'.length)]),
  );
}

/**
 * Module that an import by the name of the package means.
 * @param {string} root @param {string} name as it is imported
 * @returns {string | undefined} undefined where the name is another package's
 */
export function moduleNamed(root, name) {
  if (!name.startsWith(`${PACKAGE}/`)) return undefined;
  return entryPoints(root).get(name) ?? name.slice(PACKAGE.length + 1).replace(/\.ts$/, '');
}

/** Where the types of a module are: in its source, or, in the packed form, in its declaration. @param {string} root @param {string} module */
export function typesOf(root, module) {
  return hasSources(root) ? join(root, `${module}.ts`) : join(root, BUILD, `${module}.d.ts`);
}

/** What the compiler is to find under the names of the package. @param {string} root @returns {Record<string, string[]>} */
export function compilerPaths(root) {
  const entries = [...entryPoints(root)].map(([name, module]) => [name, [typesOf(root, module)]]);
  const files = hasSources(root) ? join(root, '*') : join(root, BUILD, '*');
  return { ...Object.fromEntries(entries), [`${PACKAGE}/*`]: [files] };
}

/**
 * Module of the project that a file is: a source, a declaration or compiled.
 * @param {string} root @param {string} path absolute
 * @returns {string | undefined} path from the project folder without extension; undefined outside of the project
 */
export function moduleAt(root, path) {
  if (!isAbsolute(path)) return undefined;
  const real = existsSync(path) ? realpathSync(path) : path;
  const parts = relative(realpathSync(root), real).split(sep);
  if (parts[0] === BUILD) parts.shift();
  const [first = '', ...rest] = parts;
  if (rest.length === 0 || !SOURCE_FOLDERS.includes(first)) return undefined;
  return parts.join('/').replace(/(\.d)?\.ts$|\.js$/, '');
}

/**
 * What is to be said of imports by file.
 * @param {string} root @param {Iterable<string>} names imported by the name of the package
 * @returns {string | undefined} undefined where all are entry points
 */
export function deepImportNote(root, names) {
  const entries = entryPoints(root);
  const deep = [...new Set(names)].filter((name) => !entries.has(name)).sort();
  if (deep.length === 0) return undefined;
  const [first, ...more] = deep;
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  const known = [...entries.keys()].join(', ');
  return `note: imports by file (${first}${others}) are refused from version ${REFUSED_FROM} on; import from ${known}`;
}
