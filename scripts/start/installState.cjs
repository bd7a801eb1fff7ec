/**
 * Tells whether `node_modules` holds what the lock file asks for: `package-lock.json`, or in what `npm pack` has packed
 * `npm-shrinkwrap.json`, the same under the name that npm packs.
 *
 * npm leaves a list of what it installed in `node_modules/.package-lock.json`. It is compared with the lock file once;
 * the result is remembered under the times of both files, so that later starts read three small facts only.
 */

const { existsSync, readFileSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const LOCK = 'package-lock.json';
const PACKED_LOCK = 'npm-shrinkwrap.json';
const REMEMBERED = 'node_modules/.rnic-verify.json';

/**
 * @param {string} root project folder
 * @param {boolean} dev whether the development tools are needed too
 */
function isInstalled(root, dev) {
  const times = `${timeOf(root, lockOf(root))} ${timeOf(root, 'node_modules/.package-lock.json')}`;
  const known = readJson(join(root, REMEMBERED));
  if (known?.times === times && (known.dev === true || !dev)) return true;
  if (!matchesLock(root, dev)) return false;
  remember(root, { times, dev });
  return true;
}

/** Whoever may not write here compares again at each start. @param {string} root @param {{ times: string, dev: boolean }} known */
function remember(root, known) {
  try {
    writeFileSync(join(root, REMEMBERED), JSON.stringify(known));
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  }
}

/** @param {string} root @param {boolean} dev */
function matchesLock(root, dev) {
  const wanted = readJson(join(root, lockOf(root)))?.packages;
  const present = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (wanted === undefined || present === undefined) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || entry.optional === true || entry.devOptional === true || entry.peer === true) continue;
    if (entry.dev === true && !dev) continue;
    if (present[path]?.version !== entry.version) return false;
  }
  return true;
}

/** @param {string} root */
function lockOf(root) {
  return existsSync(join(root, LOCK)) ? LOCK : PACKED_LOCK;
}

/** @param {string} root @param {string} file */
function timeOf(root, file) {
  return statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** @param {string} file */
function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

module.exports = { isInstalled };
