/**
 * Kills what the programs do at random points and looks whether anything is lost, twice or torn: `npm run kill-test --
 * [--only run,closure,shrink,build] [--kills 20] [--runs 2000] [--seed 1] [--jobs 2] [--keep]`.
 *
 * A regression: killRun.mjs. The others: killOthers.mjs, a third of the kills each. Exit code 1 where something is wrong.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import seedrandom from 'seedrandom';
import { killBuild, killClosure, killShrink } from './killOthers.mjs';
import { played, ROOT } from './victim.mjs';

const OTHERS = { closure: killClosure, shrink: killShrink, build: killBuild };

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: 'run,closure,shrink,build' },
    kills: { type: 'string', default: '20' },
    runs: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: '2' },
    keep: { type: 'boolean', default: false },
  },
});
const chosen = options.only.split(',');
let failed = 0;

if (chosen.includes('run')) {
  const words = ['kills', 'runs', 'seed', 'jobs'].flatMap((name) => [`--${name}`, String(Reflect.get(options, name))]);
  const script = join(ROOT, 'scripts', 'trials', 'killRun.mjs');
  const { code, text } = await played([script, ...words, ...(options.keep ? ['--keep'] : [])], ROOT);
  console.log(text.trimEnd());
  if (code !== 0) failed++;
}
for (const [name, trial] of Object.entries(OTHERS)) {
  if (!chosen.includes(name)) continue;
  const folder = mkdtempSync(join(tmpdir(), `kill-${name}-`));
  const random = seedrandom(`kill test ${name} ${options.seed}`);
  const kills = Math.ceil(Number(options.kills) / 3);
  const { killed, found } = await trial({ folder, kills, jobs: options.jobs, random });
  console.log(`${name}: ${killed} of ${kills} killed before the end, ${found.length} differences`);
  for (const line of found.slice(0, 20)) console.log(`DIFFERS ${line}`);
  if (found.length > 0) failed++;
  if (options.keep || found.length > 0) console.log(`kept: ${folder}`);
  else rmSync(folder, { recursive: true });
}
console.log(failed === 0 ? 'KILL TEST PASSED' : `KILL TEST FAILED: ${failed} of ${chosen.length}`);
process.exitCode = failed === 0 ? 0 : 1;
