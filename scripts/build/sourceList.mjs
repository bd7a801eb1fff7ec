/**
 * Remembers what each build was made from, so that a replay can tell that sources have changed since the recorded run,
 * and which.
 *
 * `dist/.sources` holds the hash over all sources of the build, which every record takes over. `dist/sources/<hash>`
 * has a line with the hash of each file, for the last builds. By content, not by time: equal sources have equal hashes
 * everywhere.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Hash over the sources of the build. */
const CURRENT = 'dist/.sources';
/** One list per build, named by its hash. */
const LISTS = 'dist/sources';
/** Builds whose lists are kept. */
const KEPT = 30;
const HASH_DIGITS = 16;

/**
 * Lists the sources of a build that is about to be made.
 * @param {string} root project folder
 * @param {readonly string[]} files paths from `root`
 * @returns {string} one line per file: hash, tab, path
 */
export function listSources(root, files) {
  return files
    .toSorted()
    .map((file) => `${hashOf(readFileSync(join(root, file)))}\t${file}`)
    .join('\n');
}

/**
 * Whether the last build was made from the same contents.
 * @param {string} root
 * @param {string} list of the sources as they are now
 */
export function isOfLastBuild(root, list) {
  try {
    return readFileSync(join(root, CURRENT), 'utf8') === hashOf(list);
  } catch {
    return false;
  }
}

/** Leaves the list of the build that has been made. @param {string} root @param {string} list */
export function rememberSources(root, list) {
  const hash = hashOf(list);
  mkdirSync(join(root, LISTS), { recursive: true });
  writeFileSync(join(root, LISTS, hash), list);
  writeFileSync(join(root, CURRENT), hash);
  forgetOldest(join(root, LISTS));
}

/** @param {string} folder */
function forgetOldest(folder) {
  const lists = readdirSync(folder).map((name) => ({ path: join(folder, name), time: timeOf(join(folder, name)) }));
  lists.sort((a, b) => b.time - a.time);
  for (const { path } of lists.slice(KEPT)) rmSync(path, { force: true });
}

/** @param {string} path */
function timeOf(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @param {string | Uint8Array} content */
function hashOf(content) {
  return createHash('sha256').update(content).digest('hex').slice(0, HASH_DIGITS);
}
