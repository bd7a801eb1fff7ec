/**
 * A lock between processes: one file that holds the number of the process and the name of its machine.
 *
 * Two launchers started at once on a fresh clone must not install or build over each other. A lock left behind by a
 * process that died is taken over; the take-over itself is guarded by a second file, so that of two waiting processes
 * only one removes the dead lock.
 */

import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';

const POLL_MS = 100;
/** A lock of another machine (shared file system) cannot be asked whether it lives; after this it counts as dead. */
const FOREIGN_LOCK_MS = 15 * 60_000;
const TAKE_OVER_MS = 10_000;

/**
 * Runs `work` while holding the lock `file`; waits for other holders first.
 * @template T
 * @param {string} file
 * @param {() => T} work
 * @param {(holder: string) => void} [onWait] called once when somebody else holds the lock
 * @returns {T}
 */
export function withLock(file, work, onWait = () => {}) {
  acquire(file, onWait);
  try {
    return work();
  } finally {
    remove(file);
  }
}

/** @param {string} file @param {(holder: string) => void} onWait */
function acquire(file, onWait) {
  let told = false;
  while (!tryCreate(file)) {
    const holder = read(file);
    if (holder !== undefined && isDead(file, holder)) {
      takeOver(file, holder);
      continue;
    }
    if (!told && holder !== undefined) onWait(holder);
    told = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

/** @param {string} file */
function tryCreate(file) {
  try {
    const fd = openSync(file, 'wx');
    writeSync(fd, `${process.pid} ${hostname()}`);
    closeSync(fd);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a dead lock, unless somebody else has replaced it meanwhile. @param {string} file @param {string} holder */
function takeOver(file, holder) {
  const guard = `${file}.takeover`;
  if (!tryCreate(guard)) {
    if (ageOf(guard) > TAKE_OVER_MS) remove(guard);
    return;
  }
  if (read(file) === holder) remove(file);
  remove(guard);
}

/** @param {string} file @param {string} holder */
function isDead(file, holder) {
  const [pid, host] = holder.split(' ');
  // Empty: its creator has not written its number yet, or died in between.
  if (host === undefined) return ageOf(file) > TAKE_OVER_MS;
  if (host !== hostname()) return ageOf(file) > FOREIGN_LOCK_MS;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
}

/** @param {string} file */
function ageOf(file) {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}

/** @param {string} file */
function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** @param {string} file */
function remove(file) {
  try {
    unlinkSync(file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
