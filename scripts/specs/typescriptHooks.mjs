/** Hooks of Node's module loader for TypeScript sources; see typescript.mjs. */

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = /\.m?ts$/;
const { version } = createRequire(import.meta.url)('ts-blank-space/package.json');
/** One file a source, so that what is kept does not grow with every change. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/specs', import.meta.url));
mkdirSync(CACHE, { recursive: true });

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!SOURCE.test(url)) return nextLoad(url, context);
  const text = readFileSync(fileURLToPath(url), 'utf8');
  return { format: 'module', shortCircuit: true, source: await withoutTypes(url, text) };
}

/** @param {string} url @param {string} text */
async function withoutTypes(url, text) {
  const file = join(CACHE, `${hash(url)}.js`);
  const ending = `\n//# without types: ${hash(`${version} ${text}`)}\n`;
  const kept = readText(file);
  if (kept.endsWith(ending)) return kept;
  // Loads the compiler, which takes half a second.
  const { default: blankTypes } = await import('ts-blank-space');
  const source = `${blankTypes(text)}${ending}`;
  // Other processes write the same file, and read it.
  writeFileSync(`${file}.${process.pid}`, source);
  renameSync(`${file}.${process.pid}`, file);
  return source;
}

/** @param {string} text */
function hash(text) {
  return createHash('sha1').update(text).digest('hex');
}

/** @param {string} file */
function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
