/** Finds the file that a user may have meant. */

import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { nearest } from '../../uvm/cmdline/nearest.ts';

/**
 * `; did you mean FILE?` with a file of the same folder, or the empty string.
 * @param cwd folder for relative paths
 */
export function similarFile(path: string, cwd = '.'): string {
  const folder = dirname(path);
  const there = resolve(cwd, folder);
  // Of a short name every other one is near.
  const steps = Math.max(1, Math.floor(basename(path).length / 3));
  const [name] = nearest(basename(path), existsSync(there) ? readdirSync(there) : [], 1, steps);
  return name === undefined ? '' : `; did you mean ${join(folder, name)}?`;
}

/** Why a file cannot be read, for a message. */
export function whyUnreadable(path: string, error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'ENOENT') return `there is no such file${similarFile(path)}`;
  if ('code' in error && error.code === 'EISDIR') return 'it is a folder';
  return error.message;
}
