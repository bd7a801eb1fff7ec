/** Leaves in the build from which commit it was packed; `--version` and records have it where there is no git. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const COMMIT = 'dist/.commit';

/** Empty where there is no git, or where what is packed differs from the commit. @param {string} root project folder */
export function writeCommit(root) {
  const isClean = git(root, 'status', '--porcelain', '--untracked-files=no') === '';
  writeFileSync(join(root, COMMIT), isClean ? (git(root, 'rev-parse', 'HEAD') ?? '') : '');
}

/** @param {string} root @param {string[]} words @returns {string | undefined} undefined where it failed */
function git(root, ...words) {
  const { status, stdout } = spawnSync('git', words, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
