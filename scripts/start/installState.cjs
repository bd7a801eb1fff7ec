/**
 * Tells whether `node_modules` of a checkout holds what `package-lock.json` asks for.
 *
 * npm leaves a list of what it installed in `node_modules/.package-lock.json`. It is compared with the lock file once;
 * the result is remembered under the times of both files, so that later starts read three small facts only.
 */

const { readFileSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const LOCK = 'package-lock.json';
const REMEMBERED = 'node_modules/.rnic-verify.json';

/** @param {string} root project folder */
function isInstalled(root) {
  const times = `${timeOf(root, LOCK)} ${timeOf(root, 'node_modules/.package-lock.json')}`;
  if (readJson(join(root, REMEMBERED))?.times === times) return true;
  if (!matchesLock(root)) return false;
  remember(root, { times });
  return true;
}

/** Whoever may not write here compares again at each start. @param {string} root @param {{ times: string }} known */
function remember(root, known) {
  try {
    writeFileSync(join(root, REMEMBERED), JSON.stringify(known));
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  }
}

/** @param {string} root */
function matchesLock(root) {
  const wanted = readJson(join(root, LOCK))?.packages;
  const present = readJson(join(root, 'node_modules/.package-lock.json'))?.packages;
  if (wanted === undefined || present === undefined) return false;
  for (const [path, entry] of Object.entries(wanted)) {
    if (path === '' || entry.optional === true || entry.devOptional === true || entry.peer === true) continue;
    if (present[path]?.version !== entry.version) return false;
  }
  return true;
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
