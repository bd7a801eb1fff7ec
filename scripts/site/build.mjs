/**
 * `npm run docs`: makes README and the pages of `docs` a static site in `out/site`. The generator has packages of its own, beside
 * this file, so that whoever only runs tests installs none of them.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const ROOT = join(FOLDER, '../..');
const PAGES = join(FOLDER, 'pages');
const GENERATOR = join(FOLDER, 'node_modules/vitepress/bin/vitepress.js');

try {
  if (!existsSync(GENERATOR))
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: FOLDER, stdio: 'inherit' });
  rmSync(PAGES, { recursive: true, force: true });
  for (const name of ['README.md', 'CHANGELOG.md', 'docs'])
    cpSync(join(ROOT, name), join(PAGES, name), { recursive: true });
  execFileSync(process.execPath, [GENERATOR, 'build', ...process.argv.slice(2)], { cwd: FOLDER, stdio: 'inherit' });
  console.log('out/site/index.html');
} catch (error) {
  console.error(`docs: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
  process.exitCode = 1;
}
