/**
 * Set-up of the project's own specs: the seed and the number of tries of property tests, and what each file costs.
 * `FC_SEED=5 npm test` repeats a failing property, `FC_RUNS=10000 npm test` looks harder.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import fc from 'fast-check';
import type { Context } from 'mocha';

const seed = process.env['FC_SEED'];
const numRuns = Number(process.env['FC_RUNS'] ?? 50);

fc.configureGlobal({ numRuns, ...(seed === undefined ? {} : { seed: Number(seed) }) });

/** Takes a line of JSON for each file of specs; see scripts/specs/run.mjs. Default: nobody wants to know. */
const COSTS = process.env['SPEC_COSTS'];
let before = 0;

/** In a process that plays several files, these are called for each of them. */
export const mochaHooks = {
  afterAll(this: Context): void {
    if (COSTS === undefined) return;
    const now = processorMs();
    const file = this.test?.parent?.suites[0]?.file;
    // The first file of a process pays for its start.
    if (file !== undefined)
      appendFileSync(COSTS, `${JSON.stringify({ file: relative(process.cwd(), file), ms: now - before })}\n`);
    before = now;
  },
};

/** Processor time of this process, and of its children as far as they have ended (ms). */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1000) + childrenMs();
}

/** Node does not tell; Linux does, in hundredths of a second. */
function childrenMs(): number {
  if (!existsSync('/proc/self/stat')) return 0;
  const text = readFileSync('/proc/self/stat', 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [CHILDREN_USER, CHILDREN_SYSTEM] = [13, 14];
  return 10 * (Number(fields[CHILDREN_USER]) + Number(fields[CHILDREN_SYSTEM]));
}
