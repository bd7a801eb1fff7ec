/**
 * Lets one regression at a time write in a folder: a file `.lock` there holds the number of its process, the name of its
 * machine, and when the process began, for numbers are used again: in a container it may be the same every time. A lock
 * whose process is gone counts for nothing, nor does one that says none of this.
 */

import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readStoredText } from '../files/inputFile.ts';
import { isFileError } from '../files/fileError.ts';

const NAME = '.lock';
/** A lock without content is being made, or its maker died over it (ms). */
const MAKING_MS = 10_000;
/** A lock is a line. */
const MOST_BYTES = 4096;

/** Of `/proc/<pid>/stat`, counted behind the name. */
const START_FIELD = 19;

/** A folder that belongs to this process until it is released. */
export interface FolderLock {
  release(): void;
}

/**
 * Takes a folder.
 * @param flag that names it, for messages
 * @returns the lock, or why it cannot be had: a message for the user
 */
export function lockFolder(folder: string, flag = '--out'): FolderLock | string {
  const file = join(folder, NAME);
  const mine = [process.pid, hostname(), startOf(process.pid) ?? ''].join(' ').trim();
  if (tryCreate(file, mine)) return { release: () => release(file, mine) };
  const holder = read(file);
  if (!isDead(file, holder)) return refusal(`${flag} ${folder}`, file, holder);
  // Of two that find a dead lock only the one that makes the second file may replace it.
  const guard = `${file}.takeover`;
  if (ageOf(guard) > MAKING_MS) rmSync(guard, { force: true });
  if (!tryCreate(guard, mine)) return refusal(`${flag} ${folder}`, file, '');
  if (read(file) === holder) rmSync(file, { force: true });
  rmSync(guard, { force: true });
  return lockFolder(folder, flag);
}

/** What a lock says. */
const HOLDER = /^([1-9]\d*) (\S+)(?: (\d+))?$/;

function refusal(named: string, file: string, holder: string): string {
  const [, pid, host] = HOLDER.exec(holder) ?? [];
  const where = host === undefined || host === hostname() ? '' : ` on ${host}`;
  const who = pid === undefined ? 'another regression' : `a regression (process ${pid}${where})`;
  return `${named}: ${who} is writing there; name another folder, or remove ${file} if that has ended`;
}

/** A lock of another machine cannot be asked whether it lives: only its owner knows. */
function isDead(file: string, holder: string): boolean {
  const [, pid, host, start] = HOLDER.exec(holder) ?? [];
  if (host === undefined) return ageOf(file) > MAKING_MS;
  if (host !== hostname()) return false;
  const now = startOf(Number(pid));
  if (start !== undefined && now !== undefined) return now !== start;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return isFileError(error) && error.code === 'ESRCH';
  }
}

/** When a process began, in ticks since the machine did; undefined where it is gone, or the system does not say. */
function startOf(pid: number): string | undefined {
  try {
    // The name, in parentheses, may hold anything.
    const fields = readStoredText(`/proc/${pid}/stat`).replace(/^.*\)/s, '').trim().split(' ');
    return fields[START_FIELD];
  } catch {
    return undefined;
  }
}

/** A lock that cannot be written for another reason is none: what keeps it out will keep the results out, and say so. */
function tryCreate(file: string, text: string): boolean {
  try {
    const fd = openSync(file, 'wx');
    try {
      writeSync(fd, text);
    } finally {
      closeSync(fd);
    }
    return true;
  } catch (error) {
    if (!isFileError(error)) throw error;
    return error.code !== 'EEXIST';
  }
}

function release(file: string, mine: string): void {
  if (read(file) === mine || read(file) === '') rmSync(file, { force: true });
}

function read(file: string): string {
  try {
    return readStoredText(file, { mostBytes: MOST_BYTES });
  } catch {
    return '';
  }
}

/** Milliseconds; 0 = there is no such file. */
function ageOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}
