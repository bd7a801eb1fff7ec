/**
 * Runs that a NIC cannot play. Lists and scripts are written for any NIC; where the command line of a regression chooses one,
 * `+DUT=`, what that one does not have is left out, and said.
 */
import { type DeviceLimits, NO_LIMITS } from '../../../env/deviceLimits.ts';
import type { Job, SkippedJob } from '../../../regress/job.ts';
import { counted } from '../../../uvm/report/counted.ts';
import type { Registries } from '../../registries.ts';
import type { Registry } from '../../registry.ts';
import { namesWord } from './jobMistakes.ts';
import { parseTestCommand } from '../../cli/commands/testCommand.ts';
import { loadCommand } from '../../run/loadedCommand.ts';
import { jobProblems, problemsWith } from '../../run/playCommand.ts';

/** What is played, and a line for each reason for which others are not. */
export interface SuitedJobs {
  readonly jobs: readonly Job[];
  readonly notes: readonly string[];
  /** The others, each with the reason. */
  readonly skipped: readonly SkippedJob[];
}

/**
 * @param added plusargs that the regression gives to all runs
 * @param isForAny whether nobody has chosen a run for the NIC that it names, or for the usual one
 */
export function suitedJobs(
  jobs: readonly Job[],
  added: readonly string[],
  registries: Registries,
  isForAny: (job: Job) => boolean = () => false,
): SuitedJobs {
  const isChosen = added.some((word) => word.startsWith('+DUT='));
  const kept: Job[] = [];
  const left = new Map<string, Job[]>();
  for (const job of jobs) {
    const reason = isChosen || isForAny(job) ? whyNot(job, added, registries) : undefined;
    if (reason === undefined) kept.push(job);
    else left.set(reason, [...(left.get(reason) ?? []), job]);
  }
  const reasons = [...left].flatMap(([reason, lacking]) => lacking.map((job) => ({ job, reason })));
  // Nothing to play is a mistake, which is explained as one.
  return kept.length > 0
    ? { jobs: kept, notes: reasonLines(reasons), skipped: reasons }
    : { jobs, notes: [], skipped: [] };
}

/** A line for each reason. */
export function reasonLines(skipped: readonly SkippedJob[]): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${counted(count, 'run')} skipped: ${reason}`);
}

/**
 * What keeps this NIC from playing a run that another NIC could play; undefined for nothing. What the command line asks of all
 * runs is no reason to leave one out: it is a mistake.
 */
function whyNot(job: Job, added: readonly string[], registries: Registries): string | undefined {
  const command = loadCommand(parseTestCommand(job.argv, {}, job.cwd), job.cwd);
  const open = registries.of(command.testPath, job.cwd);
  const problemsFor = (of: (registry: Registry) => Registry): string[] =>
    problemsWith(open, command, (registry) => jobProblems(command, of(registry), job.cwd));
  const problems = problemsFor((registry) => registry);
  if (problems.length === 0) return undefined;
  const others = new Set(problemsFor(unlimited));
  if (problems.some((problem) => others.has(problem))) return undefined;
  if (problems.some((problem) => added.some((word) => namesWord(problem, word)))) return undefined;
  return problems
    .map((text) =>
      text.replace(/^\+CASE=\S+ /, '').replace(/(; (try|lower|leave|give|use|--list-knobs) |, did you mean ).*$/s, ''),
    )
    .join('; ');
}

/** Numbers of objects, too, begin where they are asked to. */
const ANY_NUMBER = Number.POSITIVE_INFINITY;
const ABLE_TO_ALL: DeviceLimits = {
  ...NO_LIMITS,
  capabilities: { ...NO_LIMITS.capabilities, cardMemory: true },
  lastFirstNumbers: { qpn: ANY_NUMBER, cqn: ANY_NUMBER, key: ANY_NUMBER, mtt: ANY_NUMBER, cqIndex: ANY_NUMBER },
};

/** The same NICs, able to do everything, each with the knobs of the others besides its own. */
function unlimited(registry: Registry): Registry {
  const { nics } = registry;
  const all = nics.flatMap(({ knobs }) => knobs);
  return { ...registry, nics: nics.map((nic) => ({ ...nic, limits: ABLE_TO_ALL, knobs: [...nic.knobs, ...all] })) };
}
