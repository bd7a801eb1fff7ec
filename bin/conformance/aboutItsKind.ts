/** Tables of behaviours that are about one kind of NIC, or about those whose frames are RoCEv2. */

import type { BehaviourTable } from '../../regress/conformance/behaviours.ts';
import type { Job, SkippedJob } from '../../regress/job.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import type { NicEntry } from '../../env/nicKind.ts';
import { dutsNamed } from '../../config/dutNames.ts';
import { nicsNamed } from '../nicEntry.ts';
import { loadCommand } from '../run/loadedCommand.ts';

/** The kind of NIC where nobody says another: that of the parameter DUT. */
const USUAL = 'hangu';

/** Runs that are about the kind of NIC that they play, and those that are not. */
export function aboutItsKind(
  jobs: readonly Job[],
  tables: readonly BehaviourTable[],
  nics: readonly NicEntry[],
): { readonly about: readonly Job[]; readonly others: readonly SkippedJob[] } {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const about: Job[] = [];
  const others: SkippedJob[] = [];
  for (const job of jobs) {
    const reason = whyNot(byName.get(job.family), job, nics);
    if (reason === '') about.push(job);
    else others.push({ job, reason });
  }
  return { about, others };
}

function whyNot(table: BehaviourTable | undefined, job: Job, nics: readonly NicEntry[]): string {
  if (table === undefined || (table.only === undefined && !table.isAboutRoce)) return '';
  const dut = dutOf(job);
  if (table.only !== undefined && dutsNamed(dut).some((name) => name !== table.only))
    return `${table.name} is about ${table.only} alone`;
  if (table.isAboutRoce && nicsNamed(nics, dut).some(({ profile }) => profile.wire === 'private'))
    return `${table.name} is about RoCEv2, and ${dut} has frames of its own`;
  return '';
}

/** The kind of NIC that a run plays; the first word of several counts, and those of files come last. */
export function dutOf(job: Job): string {
  const { plusargs } = loadCommand(parseTestCommand(job.argv, {}, job.cwd), job.cwd);
  return plusargs.find(({ text }) => text.startsWith('+DUT='))?.text.slice('+DUT='.length) ?? USUAL;
}
