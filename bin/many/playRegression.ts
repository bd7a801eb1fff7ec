/** Plays the runs of a regression on workers of this machine, says how it goes, and reports at the end. */

import { join } from 'node:path';
import { Budget } from '../../regress/budget.ts';
import { CoverageError } from '../../regress/coverage/coverageError.ts';
import { CoverageKeeper } from '../../regress/coverage/coverageKeeper.ts';
import type { MeasuredRun } from '../../regress/coverage/measuredRun.ts';
import { STORE_NAME } from '../../regress/coverage/storeFormat.ts';
import { isExcused, type Job, type JobResult } from '../../regress/job.ts';
import type { JournalPlan } from '../../regress/journal.ts';
import { type EarlierPart, runRegression } from '../../regress/regression.ts';
import type { KnownIssue } from '../../regress/known/knownIssue.ts';
import { KnownJudge } from '../../regress/known/knownJudge.ts';
import { counted } from '../../uvm/report/counted.ts';
import { regressProgram } from '../calledAs.ts';
import { problemReport } from '../cli/problemReport.ts';
import type { RegressCommand } from '../cli/commands/regressCommand.ts';
import { countsTable, verdictsOf } from '../conformance/behaviourCounts.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import { exitCodeOfInterrupt } from '../run/limits/interrupts.ts';
import { EXIT } from '../run/runSpec.ts';
import { launcherOf, placeOf } from '../farm/launcherOf.ts';
import type { JobSource } from './jobs/askedJobs.ts';
import type { KnownFailures } from './knownFailures.ts';
import type { WorkerPrograms } from './localPool.ts';
import { historyFile } from '../history/historyOf.ts';
import { RegressProgress } from './regressProgress.ts';
import { printReport } from './regressReport.ts';
import { RegressStop } from './regressStop.ts';
import { isShrunk, shrinkBuckets, withShrunk } from './shrinkBuckets.ts';

/** Between two looks at runs that take long (ms). */
const TICK_MS = 1000;

/** What is played, and where it leaves its reports. */
export interface PlannedRegression {
  /** Taken by this process. */
  readonly folder: string;
  readonly source: JobSource;
  readonly plan: JournalPlan;
  /** What is there already of one that goes on; default: nothing. */
  readonly earlier?: EarlierPart;
  /** Told of results: failures that are known may be fixed. */
  readonly known?: Pick<KnownFailures, 'ended'>;
  /** Held against every result. Default: there are none. */
  readonly issues?: readonly KnownIssue[];
}

/** Standard output and standard error. */
export interface Outputs {
  readonly out: DescriptorOutput;
  readonly err: DescriptorOutput;
}

/** @returns the exit code */
export async function playRegression(
  command: RegressCommand,
  planned: PlannedRegression,
  workers: WorkerPrograms,
  outputs: Outputs,
): Promise<number> {
  const coverage = keeperOf(planned);
  if (coverage instanceof CoverageError) {
    outputs.err.line(problemReport(regressProgram(), coverage.problems));
    return EXIT.infrastructure;
  }
  const { out, err } = outputs;
  const { folder, source, plan, earlier, known } = planned;
  const unwritten: string[] = [];
  const onRetry = (job: Job, why: string): void => progress.retry(job, why);
  const onCoverage = (measured: MeasuredRun): void => coverage.add(measured);
  const onNote = (text: string): void => progress.note(text);
  const launcher = launcherOf(command, folder, source.testFolders, workers, { onRetry, onCoverage, onNote });
  const start = { ...plan, folder, where: placeOf(command), total: plan.jobs.length, earlier: earlier?.results ?? [] };
  const progress = new RegressProgress(start, command.quiet, launcher, out, err);
  // Runs that take long bring no news by themselves.
  const ticks = setInterval(() => progress.tick(), TICK_MS);
  const stop = new RegressStop(launcher);
  try {
    const stopCode = (): number | undefined => (stop.by === undefined ? undefined : exitCodeOfInterrupt(stop.by));
    const budget = new Budget(command);
    const before = earlier === undefined ? {} : { earlier };
    const onResult = (result: JobResult): void => {
      const problem = known?.ended(result);
      if (problem !== undefined) unwritten.push(problem);
      progress.result(result);
    };
    const shrunk = new Shrinking(command, planned, workers, outputs);
    const afterwards = async (results: readonly JobResult[], tell: (result: JobResult) => void): Promise<void> => {
      progress.clear();
      await shrunk.shrink(results, tell);
    };
    const played = await runRegression({
      plan,
      ...before,
      launcher,
      out: folder,
      budget,
      stopCode,
      onResult,
      afterwards,
      known: new KnownJudge(planned.issues ?? [], new Date()),
    });
    const { report } = played;
    const unkept = [...played.lost, ...coverage.close(), ...unwritten];
    const historyPath = command.history ? historyFile(command.defaults) : undefined;
    // Loaded only here: what makes pages is not needed before.
    const { leaveReports } = await import('./report/leftReport.ts');
    const left = await leaveReports(folder, { plan, report, coverage: coverage.total, historyPath });
    if (left.unhistoried !== undefined) err.line(`warning: not in the history: ${left.unhistoried}`);
    const lost = [...unkept, ...left.lost];
    progress.clear();
    const { behaviours, skipped } = source;
    if (behaviours.length > 0) {
      const verdicts = verdictsOf(behaviours, { jobs: plan.jobs, results: report.results, skipped });
      out.line(countsTable(behaviours, verdicts));
    }
    printReport(
      report,
      source.notes,
      [...stop.lines(), ...shrunk.notes],
      lost,
      { folder, testFolders: Object.keys(source.testFolders) },
      coverage.total,
      out,
    );
    for (const problem of lost) err.line(`${regressProgram()}: ${problem}`);
    if (left.page !== undefined) out.line(left.page);
    const stopped = stopCode();
    if (stopped !== undefined) return stopped;
    return lost.length === 0 || report.exitCode === EXIT.failed ? report.exitCode : EXIT.infrastructure;
  } finally {
    clearInterval(ticks);
    stop.close();
  }
}

/** What is done about failures when all runs have ended. */
class Shrinking {
  /** What has not been shrunk, each with the reason. */
  readonly notes: string[] = [];
  readonly #command: RegressCommand;
  readonly #planned: PlannedRegression;
  readonly #programs: WorkerPrograms;
  readonly #out: DescriptorOutput;

  constructor(command: RegressCommand, planned: PlannedRegression, programs: WorkerPrograms, { out }: Outputs) {
    this.#command = command;
    this.#planned = planned;
    this.#programs = programs;
    this.#out = out;
  }

  /** @param tell takes each result with what its case has been shrunk to */
  async shrink(results: readonly JobResult[], tell: (result: JobResult) => void): Promise<void> {
    const { shrink, jobs, quiet } = this.#command;
    if (shrink === undefined || results.every(isExcused)) return;
    const { folder, source } = this.#planned;
    const limits = { runs: Number.MAX_SAFE_INTEGER, ...shrink };
    const settings = { folder, jobs, ...limits, testFolders: source.testFolders, programs: this.#programs };
    const { left, stoppedBy } = await shrinkBuckets(results, settings, ({ result, outcome }) => {
      if (!isShrunk(outcome)) {
        this.notes.push(`not shrunk: ${result.id} ${outcome.why}`);
        return;
      }
      tell(withShrunk(result, outcome.shrunk));
      if (!quiet) this.#out.line(`shrunk ${result.id}: ${outcome.shrunk.scenario}`);
    });
    const why = stoppedBy === undefined ? `--shrink-time ${shrink.allSeconds}` : `stopped by ${stoppedBy}`;
    if (left > 0) this.notes.push(`${counted(left, 'bucket')} not shrunk: ${why}`);
  }
}

/** The coverage of runs that are there already stays. */
function keeperOf({ folder, earlier }: PlannedRegression): CoverageKeeper | CoverageError {
  try {
    const known = earlier === undefined ? undefined : new Set(earlier.results.map(({ id }) => id));
    return new CoverageKeeper(join(folder, STORE_NAME), known);
  } catch (error) {
    if (error instanceof CoverageError) return error;
    throw error;
  }
}
