/** What the journal of a regression says of one that begins. */

import type { JournalPlan } from '../../regress/journal.ts';
import { commandLine } from '../../uvm/cmdline/shellQuote.ts';
import type { RegressCommand } from '../cli/commands/regressCommand.ts';
import { currentVersions, projectRoot } from '../versions.ts';
import type { JobSource } from './jobs/askedJobs.ts';

/** @param argv as it was called, program first */
export function planOf(
  command: RegressCommand,
  { jobs, skipped, shard }: JobSource,
  argv: readonly string[],
): JournalPlan {
  const { sources, seed, keep, timeoutSeconds, coverage, heapMb } = command;
  return {
    source: command.failed === undefined ? sources.join(' + ') : `failures of ${command.failed}`,
    ...(sources.length > 1 ? { lists: sources } : {}),
    seed: command.fixedSeed ?? seed,
    command: commandLine(argv),
    started: new Date().toISOString(),
    sources: currentVersions(projectRoot()).sources,
    settings: { keep, timeoutSeconds, coverage, heapMb },
    jobs,
    ...(shard === undefined ? {} : { shard }),
    ...(skipped.length === 0 ? {} : { skipped }),
  };
}
