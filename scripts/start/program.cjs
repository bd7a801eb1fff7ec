/**
 * Loads a program that `bundle.mjs` has packed: the text of all its modules, and V8's compiled form of it.
 *
 * The text is the same for every version of Node, the compiled form is not: `programs.bundle` holds the text, and each
 * version that has run in this tree has a file with the text and its own code cache beside it.
 *
 * Layout of both: length of the text (4 bytes, little-endian), the text (ASCII), the code cache. Text and cache are in
 * one file, and that is written in one step, because V8 takes any cache whose text has the right length. V8 ignores a
 * cache that does not fit: the start is slower, but right.
 */

const { existsSync, readFileSync } = require('node:fs');
const { createRequire, SourceMap } = require('node:module');
const { dirname, join, resolve } = require('node:path');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

/** Where the build leaves the programs, without compiled code; the source map has `.map` added. */
const BUNDLE = 'dist/bin/programs.bundle';
/** The same with the code cache of this version of Node on this kind of processor. */
const COMPILED = `dist/bin/programs.${process.version}-${process.arch}.bundle`;
const HEADER_BYTES = 4;
/**
 * Bytecode that a function executes before V8 thinks about optimising it, in bytes; 66 KiB by default. Larger runs lower
 * it again (bin/run/limits/engineLimits.ts).
 */
const INTERRUPT_BUDGET = 1_000_000;
/** The version of Node whose V8 has the flag; others would complain about it at every start. */
const TUNED_NODE = '20';

/**
 * @typedef {object} Programs what the bundle exports
 * @property {(argv: readonly string[], options?: object) => Promise<number>} main `hca_test`
 * @property {(settings: object, host: object) => Promise<object>} createPlayer for workers of a regression
 */

/**
 * The programs of a project, with compiled code where this version of Node has some.
 * @param {string} root project folder
 * @returns {Programs | undefined} undefined when the programs have not been packed
 */
function loadPrograms(root) {
  const bundle = join(root, BUNDLE);
  return (loadProgram(join(root, COMPILED), bundle) ?? loadProgram(bundle))?.exports;
}

/**
 * Whether nothing is left to be compiled for this version of Node; without packed programs nothing can be.
 * @param {string} root project folder
 */
function isCompiled(root) {
  return existsSync(join(root, COMPILED)) || !existsSync(join(root, BUNDLE));
}

/**
 * @param {string} file
 * @param {string} [name] what stack traces call it, which stays in the cache
 * @returns {{ exports: Programs, script: Script, text: string } | undefined} undefined when there is no such file
 */
function loadProgram(file, name = file) {
  const parts = unpackProgram(file);
  if (parts === undefined) return undefined;
  prepareEngine();
  const { text, cachedData } = parts;
  const script = new Script(text, { filename: name, cachedData });
  mapStackTraces(name);
  const module = { exports: {} };
  script.runInThisContext()(module, module.exports, createRequire(name), name);
  return { exports: module.exports, script, text };
}

/** @param {string} file */
function unpackProgram(file) {
  const packed = read(file);
  if (packed === undefined) return undefined;
  const end = HEADER_BYTES + packed.readUInt32LE(0);
  const text = packed.latin1Slice(HEADER_BYTES, end);
  return { text, cachedData: end < packed.length ? packed.subarray(end) : undefined };
}

/** @param {string} text ASCII @param {Uint8Array} cache */
function packProgram(text, cache) {
  const packed = Buffer.alloc(HEADER_BYTES + text.length + cache.length);
  packed.writeUInt32LE(text.length, 0);
  packed.latin1Write(text, HEADER_BYTES);
  packed.set(cache, HEADER_BYTES + text.length);
  return packed;
}

/**
 * Makes V8 wait longer before it optimises a function: a short run is over before optimised code could pay for itself.
 * Flags are part of what a code cache must fit, so the maker of the cache sets them as well. Other versions of Node,
 * which do not know the flag, do without.
 *
 * Limits of the heap are among those flags too. V8 keeps to what it was told at its start, so these flags can go.
 */
function prepareEngine() {
  setFlagsFromString('--max-old-space-size=0');
  setFlagsFromString('--max-semi-space-size=0');
  const [major] = process.versions.node.split('.');
  if (major === TUNED_NODE) setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
}

/** Lets the stack traces of errors name source files. Costs nothing until one is looked at. @param {string} file */
function mapStackTraces(file) {
  /** @type {SourceMap | undefined} */
  let map;
  Error.prepareStackTrace = (error, sites) => {
    map ??= new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
    return [headOf(error), ...sites.map((site) => `    at ${placed(site, file, map)}`)].join('\n');
  };
}

/** @param {unknown} error */
function headOf(error) {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

/** @param {NodeJS.CallSite} site @param {string} file @param {SourceMap} map */
function placed(site, file, map) {
  const text = String(site);
  const line = site.getLineNumber();
  const column = site.getColumnNumber();
  if (site.getFileName() !== file || line === null || column === null) return text;
  const { originalSource, originalLine, originalColumn } = map.findEntry(line - 1, column - 1);
  if (originalSource === undefined) return text;
  const source = resolve(dirname(file), originalSource);
  return text.replace(`${file}:${line}:${column}`, `${source}:${originalLine + 1}:${originalColumn + 1}`);
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

module.exports = { BUNDLE, COMPILED, isCompiled, loadProgram, loadPrograms, packProgram };
