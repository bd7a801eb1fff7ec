/** Checks the types of a folder outside of the project, where there is a compiler. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { hasSources } from '../start/sourceStamp.cjs';
import { compilerPaths, moduleAt } from './packageNames.mjs';
import { typeErrorReport } from './typeErrors.mjs';

/** The first whose options are those of tsconfig.json. */
const OLDEST = [5, 8];

/**
 * The compiler of the project, or one that is installed beside the folder or where the program was started.
 * @typedef {{ path: string, version: string }} Compiler
 */

/**
 * @param {string} folder absolute
 * @returns {Compiler | undefined} undefined where there is none, or none that is new enough
 */
export function compilerFor(folder) {
  for (const from of [import.meta.url, join(folder, 'x.js'), join(process.cwd(), 'x.js')]) {
    const path = resolved(from, 'typescript/package.json');
    if (path === undefined) continue;
    const { version } = JSON.parse(readFileSync(path, 'utf8'));
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])) return { path: dirname(path), version };
  }
  return undefined;
}

/**
 * Checks the types of what is outside of the project, with the settings of the project, whatever the folder's own are.
 * Modules of the project are read for their types alone: their errors are none of the user's, and to look for them takes
 * three times as long.
 * @param {Compiler} compiler @param {string} root @param {string} folder @param {readonly string[]} modules
 * @returns {{ sources: string[], problem: string }} sources outside of the project, absolute; '' without mistakes
 */
export function checkTypes(compiler, root, folder, modules) {
  /** @type {import('typescript')} */
  const ts = createRequire(import.meta.url)(compiler.path);
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const settings = { ...config.compilerOptions, ...outsideSettings(root, folder) };
  const { options } = ts.convertCompilerOptionsFromJson(settings, root);
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram({ rootNames: modules.map((name) => join(folder, `${name}.ts`)), options, host });
  const own = program.getSourceFiles().filter(({ fileName }) => isOutside(root, resolve(fileName)));
  const found = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  const sources = own.map(({ fileName }) => resolve(fileName));
  if (found.length === 0) return { sources, problem: '' };
  const text = ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(found), host);
  return { sources, problem: typeErrorReport(text, (file) => relative(process.cwd(), resolve(file))) };
}

/** Neither of the project nor of a package. @param {string} root @param {string} file */
function isOutside(root, file) {
  return moduleAt(root, file) === undefined && !file.includes(`${sep}node_modules${sep}`);
}

/** What is different where sources import by absolute paths or by the name of the package. @param {string} root @param {string} folder */
function outsideSettings(root, folder) {
  return {
    module: 'ESNext',
    moduleResolution: 'Bundler',
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false,
    paths: compilerPaths(root),
    ...nodeTypes(root, folder),
    noUnusedLocals: false,
    incremental: false,
    noEmit: true,
  };
}

/** The types of Node: those of a checkout, else those that are installed beside the folder, if any. @param {string} root @param {string} folder */
function nodeTypes(root, folder) {
  const from = hasSources(root) ? join(root, 'x.js') : join(folder, 'x.js');
  const found = resolved(from, '@types/node/package.json');
  return found === undefined ? { types: [] } : { types: ['node'], typeRoots: [dirname(dirname(found))] };
}

/** @param {string | URL} from @param {string} name */
function resolved(from, name) {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return undefined;
  }
}
