/** The kinds of runs of a list, and what may be said to each besides. */

import { cornersOf } from '../../../config/draws/parameterCorners.ts';
import { NIC_KNOB_PREFIX } from '../../../config/table/parameterTable.ts';
import type { RunTemplate, SteeredParameter } from '../../../regress/closure/steeredParameter.ts';
import { saidNames } from '../../../regress/closure/steering.ts';
import type { Job } from '../../../regress/job.ts';
import { withoutSeed } from '../../cli/seed.ts';
import { parseTestCommand, type TestCommand } from '../../cli/commands/testCommand.ts';
import { DEFAULT_DUT, nicsNamed } from '../../nicEntry.ts';
import type { Registries } from '../../registries.ts';
import { type Registry, testLineage } from '../../registry.ts';

/** @param jobs of the list, with the same runs in several seeds */
export function templatesOf(jobs: readonly Job[], registries: Registries): readonly RunTemplate[] {
  const found = new Map<string, RunTemplate>();
  for (const job of jobs) {
    const key = keyOf(job);
    const known = found.get(key);
    found.set(key, known === undefined ? templateOf(job, registries) : { ...known, runs: known.runs + 1 });
  }
  return [...found.values()];
}

/** What tells the kind of a run: all that its list says but the seed. */
export function keyOf({ family, argv }: Pick<Job, 'family' | 'argv'>): string {
  return [family, ...withoutSeed(argv)].join('\n');
}

function templateOf(job: Job, registries: Registries): RunTemplate {
  const { family, title, cwd, where, timeoutSeconds } = job;
  const command = parseTestCommand(job.argv, {}, cwd);
  const { registry } = registries.of(command.testPath, cwd);
  const said = saidNames(command.plusargs.map(({ text }) => text));
  const corners = [...cornersOf(testLineage(command.testName, registry)), ...knobsOf(command, registry)];
  const parameters = corners.filter(({ name }) => !said.has(name));
  return { family, title, argv: withoutSeed(job.argv), cwd, where, timeoutSeconds, runs: 1, parameters };
}

function knobsOf({ plusargs }: TestCommand, { nics }: Registry): readonly SteeredParameter[] {
  const typed = plusargs.find(({ text }) => text.startsWith('+DUT='))?.text.slice('+DUT='.length);
  return nicsNamed(nics, typed ?? DEFAULT_DUT)
    .flatMap(({ knobs }) => knobs)
    .map(({ name, corners = [] }) => ({ name: `${NIC_KNOB_PREFIX}${name}`, values: corners.map(String) }))
    .filter(({ values }) => values.length > 0);
}
