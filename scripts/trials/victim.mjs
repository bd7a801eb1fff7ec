/** Programs that trials kill: `kill -9` at a drawn time, for the program alone or for one of the processes that it has started. */

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const LAUNCH = join(ROOT, 'scripts', 'start', 'launch.cjs');
const POLL_MS = 20;
/** Within this time processes without a parent end by themselves. */
const ORPHANS_MS = 15_000;

/** Words of a command of the project, for `start`. @param {'hca_test' | 'hca_regress'} program @param {readonly string[]} words */
export function command(program, words) {
  return [LAUNCH, program, ...words];
}

/**
 * Plays a command of Node to its end, or kills it behind a time.
 * @param {readonly string[]} args @param {string} cwd @param {number} [killMs] undefined: not at all
 * @returns {Promise<{ code: number | null, ms: number, text: string }>} the code is null where it was killed
 */
export async function played(args, cwd, killMs) {
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece));
  const timer = killMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killMs);
  const code = await new Promise((resolve) => child.on('exit', resolve));
  clearTimeout(timer);
  return { code, ms: performance.now() - began, text };
}

/** Waits until no process has the folder in its arguments or as its own. @param {string} folder @returns {Promise<string[]>} those that stay */
export async function orphansOf(folder) {
  for (const end = performance.now() + ORPHANS_MS; ; ) {
    const left = processesOf(folder);
    if (left.length === 0 || performance.now() > end) return left;
    await new Promise((resolve) => void setTimeout(resolve, POLL_MS));
  }
}

/** @param {string} folder */
function processesOf(folder) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(
      (pid) =>
        textOf(`/proc/${pid}/cmdline`).includes(folder) || textOf(`/proc/${pid}/environ`).includes(`PWD=${folder}`),
    );
}

/** @param {string} path */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
