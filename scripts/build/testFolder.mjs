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
import { join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SOURCE_FOLDERS } from '../start/sourceStamp.cjs';
import { typeErrorReport } from './typeErrors.mjs';

/** What is wrong with the folder; its text is for the user. */
export class TestFolderError extends Error {}

/** How sources outside of the project name its modules: `rnic-verify/tests/testRandom.ts`. */
const PACKAGE = 'rnic-verify';
/** What kinds of NIC import all from, by a name of its own. */
const DUT = { name: `${PACKAGE}/dut`, file: 'dut-model/index.ts' };
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
  if (isProject(root, join(folder, 'x.ts')))
    throw new TestFolderError('is a folder of the project itself, in which tests are found anyway; leave it out');
  const modules = sourcesBelow(folder).map((file) => file.slice(0, -'.ts'.length));
  if (modules.length === 0) throw new TestFolderError('has no .ts files');
  const cache = place.cache ?? cacheOf(root);
  const index = join(cache, `${shortHash(`${folder} ${place.fromSource}`)}.json`);
  const build = buildOf(root);
  const known = readKnown(index);
  if (known !== undefined && known.build === build && isCurrent(known, folder, modules)) return known;
  place.say(`compiling ${relative(process.cwd(), folder) || '.'}`);
  makeCache(cache);
  const typed = checkTypes(root, folder, modules);
  const { temporary, bundled } = await bundle({ ...place, folder, cache }, modules);
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

/** Below `dist` where that can be written: a tree may belong to somebody else. @param {string} root */
function cacheOf(root) {
  try {
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

/** Whether a module is one of the project, which programs and tests share. @param {string} root @param {string} path */
function isProject(root, path) {
  const [first = '', ...rest] = relative(realpathSync(root), path).split(sep);
  return rest.length > 0 && SOURCE_FOLDERS.includes(first);
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

/** What else decides what comes out. @param {string} root */
function buildOf(root) {
  const { version } = createRequire(import.meta.url)('esbuild/package.json');
  return `${readText(join(root, 'dist/.sources'))} ${version} ${hash(readText(new URL(import.meta.url)))}`;
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
 * Checks the types of what is outside of the project, with the settings of the project, whatever the folder's own are. Sources
 * of the project are read for their types alone: their errors are none of the user's, and to look for them takes three
 * times as long.
 * @param {string} root @param {string} folder @param {readonly string[]} modules
 * @returns {string[]} sources outside of the project, absolute
 */
function checkTypes(root, folder, modules) {
  /** @type {import('typescript')} */
  const ts = createRequire(import.meta.url)('typescript');
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const settings = { ...config.compilerOptions, ...outsideSettings(root) };
  const { options } = ts.convertCompilerOptionsFromJson(settings, root);
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram({ rootNames: modules.map((name) => join(folder, `${name}.ts`)), options, host });
  const own = program.getSourceFiles().filter(({ fileName }) => isOutside(root, resolve(fileName)));
  const found = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...own.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ];
  if (found.length > 0) {
    const text = ts.formatDiagnostics(ts.sortAndDeduplicateDiagnostics(found), host);
    throw new TestFolderError(typeErrorReport(text, (file) => relative(process.cwd(), resolve(file))));
  }
  return own.map(({ fileName }) => resolve(fileName));
}

/** Neither of the project nor of a package. @param {string} root @param {string} file */
function isOutside(root, file) {
  return !isProject(root, file) && !file.includes(`${sep}node_modules${sep}`);
}

/** What is different where sources import by absolute paths or by the name of the package. @param {string} root */
function outsideSettings(root) {
  return {
    module: 'ESNext',
    moduleResolution: 'Bundler',
    allowImportingTsExtensions: true,
    rewriteRelativeImportExtensions: false,
    paths: { [DUT.name]: [join(root, DUT.file)], [`${PACKAGE}/*`]: [join(root, '*')] },
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
    noUnusedLocals: false,
    incremental: false,
    noEmit: true,
  };
}

/**
 * @param {Place & { cache: string }} place @param {readonly string[]} modules
 * @returns {Promise<{ temporary: string, bundled: string[] }>} where the modules are, and what they were made from
 */
async function bundle({ root, folder, fromSource, cache }, modules) {
  const { build } = await import('esbuild');
  const temporary = mkdtempSync(join(cache, 'new-'));
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
      plugins: [projectModules(root, fromSource)],
    });
    return { temporary, bundled: Object.keys(metafile.inputs).map((file) => resolve(folder, file)) };
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw new TestFolderError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Leaves imports of the project to Node: they must be the modules that the program has loaded already.
 * @param {string} root @param {boolean} fromSource
 * @returns {import('esbuild').Plugin}
 */
function projectModules(root, fromSource) {
  const own = { asked: true };
  return {
    name: 'modules of the project',
    setup(build) {
      build.onResolve({ filter: /./ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (kind === 'entry-point' || pluginData === own) return undefined;
        const named = namedModule(root, path);
        const found =
          named === undefined ? await build.resolve(path, { kind, importer, resolveDir, pluginData: own }) : undefined;
        const target = named ?? found?.path ?? '';
        if (!isProject(root, named === undefined ? target : realOf(target))) return found;
        const inside = relative(realpathSync(root), realOf(target));
        const built = fromSource ? join(root, inside) : join(root, 'dist', inside.replace(/\.ts$/, '.js'));
        if (existsSync(built)) return { path: pathToFileURL(built).href, external: true };
        return { errors: [{ text: `${inside} is no module of ${PACKAGE} that tests can use` }] };
      });
    },
  };
}

/** File that an import by the name of the package means; undefined for all others. @param {string} root @param {string} path */
function namedModule(root, path) {
  if (path === DUT.name) return join(root, DUT.file);
  return path.startsWith(`${PACKAGE}/`) ? join(root, path.slice(PACKAGE.length)) : undefined;
}

/** @param {string} path */
function realOf(path) {
  return existsSync(path) ? realpathSync(path) : path;
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
