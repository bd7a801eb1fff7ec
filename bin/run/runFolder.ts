/** The folder that one run leaves behind. */

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../regress/makeFolder.ts';

/**
 * Creates `<out>/<test>-s<seed>-<time>`; two runs started within one second get different folders.
 * @returns id of the run and path of its folder
 */
export function createRunFolder(out: string, test: string, seed: number, now: Date): { id: string; folder: string } {
  makeFolder(out);
  const stamp = now
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replace(/[-:]/g, '');
  const stem = `${test.replace(/[^\w.-]/g, '_')}-s${seed}-${stamp}`;
  for (let n = 1; ; n++) {
    const id = n === 1 ? stem : `${stem}-${n}`;
    if (tryCreate(join(out, id))) return { id, folder: join(out, id) };
  }
}

/** Looks before it makes the folder: an error that Node throws costs milliseconds, because its stack is mapped. */
function tryCreate(folder: string): boolean {
  if (existsSync(folder)) return false;
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
