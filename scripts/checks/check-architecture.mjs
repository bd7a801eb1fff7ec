/**
 * Checks who imports whom. Runs dependency-cruiser and fails as well when it saw nothing: with a compiler it does not
 * understand it reports "no violations" about 0 modules. Counts the files of each folder, and looks for lines that kinds have copied.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copiedLines } from './copiedLines.mjs';
import { crowdedFolders } from './crowdedFolders.mjs';
import { fileURLToPath } from 'node:url';
import { SOURCE_FOLDERS } from '../start/sourceStamp.cjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folders = SOURCE_FOLDERS.filter((folder) => existsSync(join(root, folder)));
const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const args = [program, '--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...folders];
const run = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });

let summary;
try {
  summary = JSON.parse(run.stdout).summary;
} catch {
  process.stderr.write(`dependency-cruiser failed:\n${run.stdout}${run.stderr}\n`);
}
if (summary !== undefined) {
  for (const { rule, from, to, cycle } of summary.violations) {
    const way = cycle === undefined ? to : cycle.map((step) => step.name ?? step).join(' -> ');
    process.stdout.write(`${rule.severity} ${rule.name}: ${from} -> ${way}\n`);
  }
  process.stdout.write(`architecture: ${summary.totalCruised} modules, ${summary.error} violations\n`);
  if (summary.totalCruised === 0) process.stderr.write('no module was seen: the check itself is broken\n');
}
const crowded = crowdedFolders(root, SOURCE_FOLDERS);
for (const line of crowded) process.stdout.write(`error crowded-folder: ${line}\n`);
const copied = copiedLines(root, folders);
for (const line of copied) process.stdout.write(`error copied-lines: ${line}\n`);
process.exitCode =
  crowded.length > 0 || copied.length > 0 || summary === undefined || summary.totalCruised === 0 || summary.error > 0
    ? 1
    : 0;
