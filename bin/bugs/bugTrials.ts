/**
 * What is played of planted bugs: which bugs, which tests, and one bug at a time.
 *
 *   command line -> askedBugs -> BugTrials.play -> PlayedBug, here or in a worker process (`bugPlayer.ts`)
 */

import { readJobs } from '../many/jobs/jobSource.ts';
import { listPath } from '../many/shippedLists.ts';
import type { Job } from '../../regress/job.ts';
import { Glob, patternMistake } from '../../uvm/base/glob.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import type { BugsCommand } from '../cli/commands/bugsCommand.ts';
import { parseRegressCommand } from '../cli/commands/regressCommand.ts';
import type { FaultEntry, NicEntry } from '../../env/nicKind.ts';
import { Registries } from '../registries.ts';
import type { Registry } from '../registry.ts';
import { BugHunt } from './bugHunt.ts';
import { BugMatrix, type BugRow, type PlayableTest } from './bugMatrix.ts';
import { ownStimulus } from './ownStimulus.ts';

/** Runs with which a bug is tried that are its own. */
const OWN_SEEDS = 20;

/** What a command line asks for. */
export interface AskedBugs {
  readonly nic: NicEntry;
  readonly bugs: readonly FaultEntry[];
  /** Undefined: the stimulus of each. */
  readonly tests: readonly PlayableTest[] | undefined;
}

/** What has come of one bug. */
export interface PlayedBug {
  /** What its own stimulus finds without it: then nothing can be said of it. */
  readonly alarms: readonly string[];
  /** Undefined where there are alarms. */
  readonly row: BugRow | undefined;
  /** Runs that were played with it. */
  readonly runs: number;
}

export class BugTrials {
  readonly #asked: AskedBugs;
  readonly #failing: number | undefined;
  readonly #hunt: BugHunt;

  constructor(asked: AskedBugs, registry: Registry, { failing }: Pick<BugsCommand, 'failing'>) {
    this.#asked = asked;
    this.#failing = failing;
    this.#hunt = new BugHunt(asked.nic, { registry, until: 'end' });
  }

  /** What the runs of a test find without any bug. */
  alarmsOf(test: PlayableTest): readonly string[] {
    const [any] = this.#asked.bugs;
    return any === undefined ? [] : new BugMatrix(this.#hunt, [test]).alarms(any);
  }

  play(bug: FaultEntry): PlayedBug {
    const { nic, tests } = this.#asked;
    const of = tests ?? [ownStimulus(nic, bug, this.#failing ?? OWN_SEEDS)];
    const matrix = new BugMatrix(
      this.#hunt,
      of,
      this.#failing === undefined ? {} : { failing: this.#failing, further: true },
    );
    // Those of tests that all bugs share are looked for once.
    const alarms = tests === undefined ? matrix.alarms(bug) : [];
    if (alarms.length > 0) return { alarms, row: undefined, runs: 0 };
    return { alarms, row: matrix.play(bug), runs: matrix.runs };
  }
}

/** @returns undefined where mistakes were found, which are added to `problems` */
export async function askedBugs(
  command: BugsCommand,
  registry: Registry,
  problems: string[],
): Promise<AskedBugs | undefined> {
  const names = registry.nics.map(({ name }) => name);
  const nic = registry.nics.find(({ name }) => name === (command.dut ?? names[0]));
  if (nic === undefined) {
    problems.push(`--dut ${command.dut} (command line): there is no such NIC${didYouMean(command.dut ?? '', names)}`);
    return undefined;
  }
  const all = nic.faults.map(({ name }) => name);
  const readable = command.only.filter((pattern) => patternMistake(pattern) === undefined);
  const globs = readable.map((pattern) => ({ pattern, glob: new Glob(pattern) }));
  const bugs = nic.faults.filter(({ name }) => globs.length === 0 || globs.some(({ glob }) => glob.matches(name)));
  for (const { pattern, glob } of globs)
    if (!all.some((name) => glob.matches(name)))
      problems.push(`--only ${pattern} (command line): meets no bug of ${nic.name}${didYouMean(pattern, all)}`);
  if (command.source === '') return { nic, bugs, tests: undefined };
  const asked = parseRegressCommand(['run', listPath(command.source), ...command.runWords]);
  const source = await readJobs(asked, new Registries(registry, () => {}));
  problems.push(...asked.problems, ...source.problems);
  return { nic, bugs, tests: testsOf(source.jobs, nic.name) };
}

/** Runs that name another NIC are not among them. */
function testsOf(jobs: readonly Job[], nic: string): readonly PlayableTest[] {
  const tests = new Map<string, { name: string; runs: { id: string; argv: readonly string[] }[] }>();
  for (const { id, family, argv } of jobs) {
    const [dut] = valuesOf(argv, 'DUT');
    if (dut !== undefined && dut !== nic) continue;
    const name = valuesOf(argv, 'UVM_TEST_SEQ')[0] ?? family;
    const test = tests.get(name) ?? { name, runs: [] };
    tests.set(name, test);
    test.runs.push({ id, argv: argv.filter((word) => !word.startsWith('+DUT=')) });
  }
  return [...tests.values()];
}

function valuesOf(argv: readonly string[], name: string): readonly string[] {
  const begin = `+${name}=`;
  return argv.filter((word) => word.startsWith(begin)).map((word) => word.slice(begin.length));
}
