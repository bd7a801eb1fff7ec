/**
 * Remembers a build in whose sources the compiler found mistakes: compiling the same sources again would take its time
 * and find the same ones.
 */

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FAILED = 'dist/.failed';
/** Between the stamp and what the compiler said. */
const END_OF_STAMP = '\n\n';

/**
 * @param {string} root project folder
 * @param {string} stamp of the sources as they are now
 * @returns {string | undefined} what was said of these sources; undefined when they have not been found wrong
 */
export function knownFailure(root, stamp) {
  const start = stamp + END_OF_STAMP;
  const known = read(join(root, FAILED));
  return known?.startsWith(start) ? known.slice(start.length) : undefined;
}

/** @param {string} root @param {string} stamp @param {string} text */
export function rememberFailure(root, stamp, text) {
  writeFileSync(join(root, FAILED), stamp + END_OF_STAMP + text);
}

/** @param {string} root */
export function forgetFailure(root) {
  rmSync(join(root, FAILED), { force: true });
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
