/** Writes the declarations (`.d.ts`) of all modules that may be imported beside their compiled forms. */

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BootstrapError } from '../build/bootstrapError.mjs';
import { SOURCE_FOLDERS } from '../start/sourceStamp.cjs';

const SETTINGS = 'tsconfig.types.json';
const BUILD_INFO = 'dist/.types.tsbuildinfo';

/** @param {string} root project folder @throws BootstrapError when the sources have type errors */
export function writeDeclarations(root) {
  // The compiler writes nothing again that it thinks is there.
  if (!existsSync(join(root, 'dist/api/uvm.d.ts'))) rmSync(join(root, BUILD_INFO), { force: true });
  removeOrphans(root);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const args = [tsc, '-p', SETTINGS, '--pretty', 'false'];
  const { status, stdout, error } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new BootstrapError(`no declarations: ${error?.message ?? stdout}`);
}

/** Removes declarations whose source is gone. @param {string} root */
function removeOrphans(root) {
  for (const folder of SOURCE_FOLDERS.filter((name) => existsSync(join(root, 'dist', name)))) {
    for (const name of readdirSync(join(root, 'dist', folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.d.ts')) continue;
      const source = join(root, folder, name.replace(/\.d\.ts$/, '.ts'));
      if (!existsSync(source)) rmSync(join(root, 'dist', folder, name));
    }
  }
}
