/** Fails when package-lock.json leaves out optional packages (binaries of other platforms): `npm ci` would refuse it. */

import { readFileSync } from 'node:fs';

const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')).packages;
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const problems = [];

for (const [path, entry] of Object.entries(lock)) {
  for (const name of Object.keys(entry.optionalDependencies ?? {})) {
    const here = lock[`${path}/node_modules/${name}`] ?? lock[`node_modules/${name}`];
    if (path !== '' && here === undefined) problems.push(`${path} ${entry.version}: ${name} is missing`);
  }
  if (entry.resolved !== undefined && path !== '') problems.push(`${path}: holds a download address`);
}
for (const kind of ['dependencies', 'devDependencies']) {
  const locked = JSON.stringify(lock['']?.[kind] ?? {});
  if (locked !== JSON.stringify(manifest[kind] ?? {}))
    problems.push(`${kind} differ from package.json: run npm install`);
}

for (const problem of problems) process.stderr.write(`package-lock.json: ${problem}\n`);
process.stdout.write(`lock: ${Object.keys(lock).length} packages, ${problems.length} problems\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
