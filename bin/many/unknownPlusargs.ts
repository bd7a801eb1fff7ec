/** Finds plusargs of runs that nothing is known to read, without running anything. */

import type { Job } from '../../regress/job.ts';
import { resolveParameters } from '../../config/parameters.ts';
import { Plusargs } from '../../uvm/cmdline/plusargs.ts';
import { readUvmArguments } from '../../uvm/cmdline/uvmArguments.ts';
import { isIgnoredPlusarg } from '../cli/simulatorFlags.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';

interface Use {
  readonly arg: string;
  /** The first run that has it. */
  readonly id: string;
  runs: number;
}

/**
 * One sentence for each name that is no parameter and no argument of the standard. A test may read plusargs of its own,
 * so that this is for warnings.
 */
export function unknownPlusargs(jobs: readonly Job[]): string[] {
  const uses = new Map<string, Use>();
  for (const job of jobs) {
    const { plusargs } = parseTestCommand(job.argv, {}, job.cwd);
    for (const name of new Set(plusargs.map(({ text }) => nameOf(text)))) {
      const arg = plusargs.find(({ text }) => nameOf(text) === name)?.text ?? name;
      const use = uses.get(name) ?? { arg, id: job.id, runs: 0 };
      use.runs++;
      uses.set(name, use);
    }
  }
  const known = new Plusargs([...uses.values()].map((use) => use.arg).filter((arg) => !isIgnoredPlusarg(arg)));
  readUvmArguments(known);
  resolveParameters(known, '', 0);
  return known.unused().map(({ arg, reason }) => `${arg}: ${reason} (in ${whereOf(uses.get(nameOf(arg)) as Use)})`);
}

function nameOf(arg: string): string {
  return arg.replace(/=.*$/s, '');
}

function whereOf({ id, runs }: Use): string {
  return runs === 1 ? id : `${id} and ${runs - 1} more`;
}
