/**
 * Makes the code caches of packed programs, one for each version of Node that runs in this tree.
 *
 *   text -> a short run in a process of its own, to have V8 compile what runs use (warmUp.cjs) -> text and code cache
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BUNDLE, COMPILED } from '../start/program.cjs';

/** Files beside the bundle that hold code caches, those of other versions of Node too. */
const CODE_CACHE = /^programs\..+\.bundle$/;

/**
 * Adds the code cache of this version of Node to the packed programs. Without compiled code programs start more slowly,
 * so a cache that cannot be made is only reported, and the next start does not try again.
 * @param {string} root project folder
 */
export function makeCodeCache(root) {
  const bundle = join(root, BUNDLE);
  const compiled = join(root, COMPILED);
  const temporary = `${compiled}.new`;
  copyFileSync(bundle, temporary);
  const out = mkdtempSync(join(tmpdir(), 'rnic-verify-'));
  const program = join(root, 'scripts/build/warmUp.cjs');
  const { status, stderr } = spawnSync(process.execPath, [program, temporary, bundle, out], { encoding: 'utf8' });
  rmSync(out, { recursive: true });
  if (status !== 0) process.stderr.write(`no code cache: ${stderr}\n`);
  renameSync(temporary, compiled);
}

/** Removes the packed programs of a former build and their code caches. @param {string} root project folder */
export function forgetCodeCaches(root) {
  const bundle = join(root, BUNDLE);
  rmSync(bundle, { force: true });
  const folder = dirname(bundle);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) if (CODE_CACHE.test(name)) rmSync(join(folder, name), { force: true });
}
