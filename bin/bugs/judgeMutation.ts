/**
 * Writes docs/mutation.md: `npm run judge-mutation`. Takes each rule of the transport away and plays the planted bugs that name
 * it, then each widening and plays the spec that it names. A few minutes.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NIC_CATALOG } from '../../dut-model/nicCatalog.ts';
import { WIDENING_NAMES, wideningRow } from '../../scoreboard/model/widenings.ts';
import { DescriptorOutput } from '../cli/syncOutput.ts';
import { loadRegistry } from '../registry.ts';
import { EXIT } from '../run/runSpec.ts';
import { projectRoot } from '../versions.ts';
import { MUTATION_PAGE, mistakesOf, mutationPage, type MutatedWidening } from './mutationPage.ts';
import { type MutatedRule, RuleMutation } from './ruleMutation.ts';

/** Where the rows of the race tables are, of which widenings name titles. */
const RACES = 'tests/spec/scoreboard/races/retransmissions.spec.ts';
/** What the doubles of specs read: a row without which their judge does. */
const WITHOUT = 'JUDGE_WITHOUT';

/** @returns the exit code: 1 when a rule or a widening is needed by nothing */
async function main(out: DescriptorOutput): Promise<number> {
  const registry = await loadRegistry();
  const byBugs = new RuleMutation(registry, NIC_CATALOG, (line) => out.line(line)).rows();
  const rules = byBugs.map((row) => (row.needs === undefined ? { ...row, needs: specNeeding(row) } : row));
  const widenings = WIDENING_NAMES.map((name) => mutateWidening(name));
  writeFileSync(new URL(MUTATION_PAGE, projectRoot()), mutationPage(rules, widenings));
  const mistakes = mistakesOf(rules, widenings);
  for (const mistake of mistakes) out.line(mistake);
  out.line(`${MUTATION_PAGE}: ${rules.length} rules, ${widenings.length} widenings`);
  return mistakes.length === 0 ? EXIT.passed : EXIT.failed;
}

/** The spec that a rule names, where it fails without the rule. */
function specNeeding({ name, rule: { spec } }: MutatedRule): string | undefined {
  return spec !== undefined && specFails(spec, name) ? spec : undefined;
}

/** Plays the spec, or the run, that a widening names, without it: that must fail. */
function mutateWidening(name: string): MutatedWidening {
  const { spec } = wideningRow(name);
  if (spec === '') return { name, spec, isNeeded: false };
  if (spec.startsWith('+')) return { name, spec, isNeeded: failsWithout(name, spec.split(' ')) };
  return { name, spec, isNeeded: specFails(spec, name) };
}

/** Whether a file of specs, or the row of a race table with that title, fails without a row of the judge. */
function specFails(spec: string, without: string): boolean {
  const args = ['mocha', '--no-parallel', '--reporter', 'dot', spec.endsWith('.ts') ? spec : RACES];
  const titled = spec.endsWith('.ts') ? [] : ['--fgrep', spec];
  const { status } = spawnSync('npx', [...args, ...titled], {
    cwd: fileURLToPath(projectRoot()),
    env: { ...process.env, [WITHOUT]: without },
    stdio: 'ignore',
  });
  return status !== 0;
}

/** Whether a healthy run is found to fail without a row of the judge. */
function failsWithout(name: string, stimulus: readonly string[]): boolean {
  const out = mkdtempSync(join(tmpdir(), 'judge-mutation-'));
  try {
    const argv = [...stimulus, `+JUDGE_WITHOUT=${name}`, '--quiet', '--out', out];
    const options = { cwd: fileURLToPath(projectRoot()), stdio: 'ignore' } as const;
    return spawnSync(fileURLToPath(new URL('hca_test', projectRoot())), argv, options).status === EXIT.failed;
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

process.exitCode = await main(new DescriptorOutput(1, 0));
