/**
 * Compiles a folder of tests, sequences and NIC models that lies outside of the project (`+TEST_PATH`).
 *
 *   its sources -> compiler (types only) -> esbuild -> modules that import those of this project where they are
 *
 * What has been compiled once is used again as long as no source of it has changed, nor the project.
 */

import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { hasSources } from '../start/sourceStamp.cjs';
import { checkTypes, compilerFor } from './folderTypes.mjs';
import { deepImportNote, moduleAt, moduleNamed, PACKAGE } from './packageNames.mjs';

/** What is wrong with the folder; its text is for the user. */
export class TestFolderError extends Error {}

/** Files that are compiled: not specs, and no declarations. */
const SOURCE = /(?<!\.spec|\.test|\.d)\.ts$/;
/** Compiled folders that are kept. */
const KEPT = 30;

/**
 * @typedef {object} Place
 * @property {string} root folder of the project
 * @property {string} folder absolute
 * @property {boolean} fromSource the program runs from its sources, not from `dist`
 * @property {string} [cache] replaced by specs
 * @property {(line: string) => void} say told before something takes long
 *
 * @typedef {object} Compiled
 * @property {string} output folder of the compiled modules
 * @property {readonly string[]} modules paths in both folders, without extension
 * @property {string} sha256 over all sources that went in, by content
 *
 * @typedef {Compiled & { build: string, inputs: Readonly<Record<string, string>> }} Known what was compiled before
 */

/**
 * @param {Place} place
 * @returns {Promise<Compiled>}
 * @throws TestFolderError when it cannot be read, is the project itself, or does not compile
 */
export async function compileTestFolder(place) {
  const { root } = place;
  const folder = readable(place.folder);
  if (moduleAt(root, join(folder, 'x.ts')) !== undefined)
    throw new TestFolderError('is a folder of the project itself, in which tests are found anyway; leave it out');
  const modules = sourcesBelow(folder).map((file) => file.slice(0, -'.ts'.length));
  if (modules.length === 0) throw new TestFolderError('has no .ts files');
  const cache = place.cache ?? cacheOf(root);
  const index = join(cache, `${shortHash(`${folder} ${place.fromSource}`)}.json`);
  const compiler = compilerFor(folder);
  const build = buildOf(root, compiler);
  const known = readKnown(index);
  if (known !== undefined && known.build === build && isCurrent(known, folder, modules)) return known;
  place.say(`compiling ${relative(process.cwd(), folder) || '.'}`);
  makeCache(cache);
  const typed = typedSources(place, compiler, folder, modules);
  const { temporary, bundled, names } = await bundle({ ...place, folder, cache }, modules);
  const note = deepImportNote(root, names);
  if (note !== undefined) place.say(note);
  const inputs = hashesOf(folder, [...new Set([...typed, ...bundled])]);
  const sha256 = hash(JSON.stringify(inputs));
  const output = join(cache, shortHash(`${sha256} ${folder} ${place.fromSource}`));
  moveTo(temporary, output);
  const compiled = { output, modules, sha256 };
  writeFileSync(`${index}.part`, JSON.stringify({ ...compiled, build, inputs }));
  renameSync(`${index}.part`, index);
  forgetOldest(cache);
  return compiled;
}

/** @param {string} folder */
function readable(folder) {
  try {
    if (statSync(folder).isDirectory()) return realpathSync(folder);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new TestFolderError(isMissing ? 'there is no such folder' : `cannot be read; ${error}`);
  }
  throw new TestFolderError('is no folder; name the folder that the file is in');
}

/** Below `dist` of a checkout where that can be written: a tree may belong to somebody else, an installed package is left as it is. @param {string} root */
function cacheOf(root) {
  try {
    if (!hasSources(root)) throw new Error('installed');
    accessSync(join(root, 'dist'), constants.W_OK);
    return join(root, 'dist/own');
  } catch {
    return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), PACKAGE);
  }
}

/** @param {string} cache */
function makeCache(cache) {
  try {
    mkdirSync(cache, { recursive: true });
    accessSync(cache, constants.W_OK);
  } catch {
    throw new TestFolderError(
      `cannot be compiled: ${cache} cannot be written; set XDG_CACHE_HOME to a folder that can`,
    );
  }
}

/** @param {string} folder @param {string} [within] @returns {string[]} paths with `/`, sorted */
function sourcesBelow(folder, within = '') {
  return entriesOf(join(folder, within))
    .flatMap((entry) => {
      const path = within + entry.name;
      if (entry.isDirectory()) return /^\.|^node_modules$/.test(entry.name) ? [] : sourcesBelow(folder, `${path}/`);
      return SOURCE.test(entry.name) ? [path] : [];
    })
    .sort();
}

/** Whoever names a folder that is not theirs, such as /, means another one. @param {string} folder */
function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw new TestFolderError(`${folder} cannot be read: ${error.message}; name the folder of the tests alone`);
  }
}

/**
 * What else decides what comes out, or what is said of it.
 * @param {string} root @param {import('./folderTypes.mjs').Compiler | undefined} compiler
 */
function buildOf(root, compiler) {
  const { version } = createRequire(import.meta.url)('esbuild/package.json');
  const own = ['testFolder.mjs', 'folderTypes.mjs', 'packageNames.mjs'].map((file) =>
    readText(new URL(file, import.meta.url)),
  );
  const types = compiler === undefined ? 'unchecked' : compiler.version;
  return `${readText(join(root, 'dist/.sources'))} ${version} ${types} ${hash(own.join(''))}`;
}

/** @param {string | URL} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** @param {string} index @returns {Known | undefined} */
function readKnown(index) {
  const text = readText(index);
  return text === '' ? undefined : JSON.parse(text);
}

/** @param {Known} known @param {string} folder @param {readonly string[]} modules */
function isCurrent(known, folder, modules) {
  const { inputs, output } = known;
  if (!existsSync(output) || known.modules.join() !== modules.join()) return false;
  return Object.entries(inputs).every(([file, was]) => hash(readText(join(folder, file))) === was);
}

/** @param {string} folder @param {readonly string[]} files absolute @returns {Record<string, string>} */
function hashesOf(folder, files) {
  const named = files.map((file) => relative(folder, file)).sort();
  return Object.fromEntries(named.map((file) => [file, hash(readText(join(folder, file)))]));
}

/**
 * Checks the types of the folder; says so where there is no compiler.
 * @param {Place} place @param {import('./folderTypes.mjs').Compiler | undefined} compiler
 * @param {string} folder @param {readonly string[]} modules
 * @returns {string[]} sources outside of the project, absolute
 * @throws TestFolderError when there are mistakes
 */
function typedSources({ root, say }, compiler, folder, modules) {
  if (compiler === undefined) {
    say('types are not checked, for there is no TypeScript 5.8 or later: npm install --save-dev typescript');
    return [];
  }
  const { sources, problem } = checkTypes(compiler, root, folder, modules);
  if (problem !== '') throw new TestFolderError(problem);
  return sources;
}

/**
 * @param {Place & { cache: string }} place @param {readonly string[]} modules
 * @returns {Promise<{ temporary: string, bundled: string[], names: ReadonlySet<string> }>} where the modules are, what
 * they were made from, and what they import by the name of the package
 */
async function bundle({ root, folder, fromSource, cache }, modules) {
  const { build } = await import('esbuild');
  const temporary = mkdtempSync(join(cache, 'new-'));
  /** @type {Set<string>} */
  const names = new Set();
  try {
    const { metafile } = await build({
      entryPoints: Object.fromEntries(modules.map((name) => [name, join(folder, `${name}.ts`)])),
      absWorkingDir: folder,
      outdir: temporary,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'es2023',
      sourcemap: true,
      metafile: true,
      logLevel: 'silent',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, target: 'ES2023' } },
      plugins: [projectModules(root, fromSource, names)],
    });
    return { temporary, bundled: Object.keys(metafile.inputs).map((file) => resolve(folder, file)), names };
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw new TestFolderError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Leaves imports of the project to Node: they must be the modules that the program has loaded already.
 * @param {string} root @param {boolean} fromSource @param {Set<string>} names takes what is imported by the name of the package
 * @returns {import('esbuild').Plugin}
 */
function projectModules(root, fromSource, names) {
  const own = { asked: true };
  return {
    name: 'modules of the project',
    setup(build) {
      build.onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind === 'entry-point' || pluginData === own) return undefined;
        const named = moduleNamed(root, path);
        if (named !== undefined) names.add(path);
        const found =
          named === undefined ? await build.resolve(path, { kind, importer, resolveDir, pluginData: own }) : undefined;
        const module = named ?? moduleAt(root, found?.path ?? '');
        if (module === undefined) return found;
        const built = join(root, fromSource ? `${module}.ts` : `dist/${module}.js`);
        if (existsSync(built)) return { path: pathToFileURL(built).href, external: true };
        return { errors: [{ text: `${module}.ts is no module of ${PACKAGE} that tests can use` }] };
      });
    },
  };
}

/** Somebody else may have compiled the same meanwhile. @param {string} temporary @param {string} output */
function moveTo(temporary, output) {
  if (!existsSync(output)) {
    try {
      renameSync(temporary, output);
      return;
    } catch (error) {
      if (!existsSync(output)) throw error;
    }
  }
  rmSync(temporary, { recursive: true, force: true });
}

/** @param {string} cache */
function forgetOldest(cache) {
  const folders = readdirSync(cache, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const byAge = folders.map(({ name }) => ({ path: join(cache, name), time: statSync(join(cache, name)).mtimeMs }));
  byAge.sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(KEPT)) rmSync(path, { recursive: true, force: true });
}

/** @param {string} text */
function hash(text) {
  return createHash('sha256').update(text).digest('hex');
}

/** @param {string} text */
function shortHash(text) {
  return hash(text).slice(0, 16);
}
