/** Writes files that are either absent or complete: readers and crashes never see half of one. */

import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './makeFolder.ts';

/** Writes to a neighbour and renames it into place; creates missing folders. */
export function writeAtomically(path: string, text: string): void {
  makeFolder(dirname(path));
  const part = `${path}.${process.pid}.part`;
  try {
    writeFileSync(part, text);
    renameSync(part, path);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Writes a value as indented JSON with a final newline. */
export function writeJson(path: string, value: unknown): void {
  writeAtomically(path, `${JSON.stringify(value, null, 2)}\n`);
}
