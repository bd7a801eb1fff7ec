/**
 * `hca_regress run <list> --until-coverage 95`: plays runs of a list in generations until that share of bins is covered.
 *
 * The first generation is the beginning of the list; each further one is drawn by `Steering` from the coverage of all
 * before it. A generation is a regression of its own in a folder of its own, with journal and reports, so that its
 * failures are repeated and its runs replayed like any others; the coverage of all is in the folder of the closure.
 *
 * One that was cut off goes on: its generations are drawn once more, which gives the same runs, those that are complete count as
 * they are, and the one that was under way is played to its end.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Budget } from '../../../regress/budget.ts';
import {
  type ClosureLog,
  generationFolder,
  type GenerationLog,
  writeClosureLog,
} from '../../../regress/closure/closureLog.ts';
import { HitIndex } from '../../../regress/closure/hitIndex.ts';
import { type RunTemplate, type SteeredRun, withWords } from '../../../regress/closure/steeredParameter.ts';
import { Steering, titleOf } from '../../../regress/closure/steering.ts';
import type { Weights } from '../../../regress/closure/weights.ts';
import { CoverageKeeper } from '../../../regress/coverage/coverageKeeper.ts';
import { CoverageError } from '../../../regress/coverage/coverageError.ts';
import { coverageTree } from '../../../regress/coverage/coverageTree.ts';
import { type CoverageDatabase, runsOf } from '../../../regress/coverage/database.ts';
import { readStore } from '../../../regress/coverage/readStore.ts';
import { STORE_NAME } from '../../../regress/coverage/storeFormat.ts';
import { percentText, type Total, totalLine } from '../../../regress/coverage/totalLine.ts';
import { fileProblem } from '../../../files/fileError.ts';
import { interleave } from '../../../regress/interleave.ts';
import { isExcused, isPass, type Job, type JobResult } from '../../../regress/job.ts';
import { type RegressionReport, runRegression } from '../../../regress/regression.ts';
import { KnownJudge } from '../../../regress/known/knownJudge.ts';
import { failureList } from '../../../regress/report/failureList.ts';
import { knownLines } from '../../../regress/report/knownLines.ts';
import { formatDuration } from '../../../regress/report/formatDuration.ts';
import { derivedSeed } from '../../../regress/seeds.ts';
import { percentOf } from '../../../uvm/coverage/score.ts';
import { counted } from '../../../uvm/report/counted.ts';
import { JournalError, type ReadJournal, readJournal } from '../../../regress/readJournal.ts';
import { regressProgram } from '../../calledAs.ts';
import { withSeed } from '../../cli/seed.ts';
import { clearUnfinished, completeResults } from '../earlierRegression.ts';
import type { RegressCommand } from '../../cli/commands/regressCommand.ts';
import { problemReport } from '../../cli/problemReport.ts';
import { parseTestCommand } from '../../cli/commands/testCommand.ts';
import type { Registries } from '../../registries.ts';
import { loadCommand } from '../../run/loadedCommand.ts';
import { jobProblems, problemsWith } from '../../run/playCommand.ts';
import { exitCodeOfInterrupt } from '../../run/limits/interrupts.ts';
import { EXIT } from '../../run/runSpec.ts';
import { placeOf } from '../../farm/launcherOf.ts';
import { localPool, type WorkerPrograms } from '../localPool.ts';
import type { Outputs, PlannedRegression } from '../playRegression.ts';
import { exclusionsFor } from '../jobs/projectExclusions.ts';
import { RegressProgress } from '../regressProgress.ts';
import { RegressStop } from '../regressStop.ts';
import { keyOf, templatesOf } from './templates.ts';

/** Generations in a row that cover nothing new: more of the same would be in vain. */
const STALLED = 10;
const TICK_MS = 1000;
/** Words of which the weight is written down. */
const MOST_WEIGHTS = 40;

/** What is planned for a run of a generation. */
interface PlannedRun {
  readonly job: Job;
  readonly steered: SteeredRun;
}

/** @param earlier how it went before it was cut off @returns the exit code: 4 when the goal was not reached */
export async function playClosure(
  command: RegressCommand,
  planned: PlannedRegression,
  registries: Registries,
  programs: WorkerPrograms,
  outputs: Outputs,
  earlier?: ClosureLog,
): Promise<number> {
  try {
    return await new Closure(command, planned, registries, programs, outputs, earlier).play();
  } catch (error) {
    if (!(error instanceof CoverageError)) throw error;
    outputs.err.line(problemReport(regressProgram(), error.problems));
    return EXIT.usage;
  }
}

class Closure {
  readonly #command: RegressCommand;
  readonly #planned: PlannedRegression;
  readonly #programs: WorkerPrograms;
  readonly #outputs: Outputs;
  readonly #registries: Registries;
  readonly #templates: readonly RunTemplate[];
  readonly #steering: Steering;
  readonly #store: string;
  readonly #generations: GenerationLog[] = [];
  /** Names of all runs of complete generations. */
  readonly #names = new Set<string>();
  readonly #start = performance.now();
  /** Of complete generations. */
  readonly #results: JobResult[] = [];
  readonly #known: KnownJudge;
  #stale = 0;
  /** What has been learned when the latest generation was drawn. */
  #weights: Weights | undefined;
  readonly #earlier: ClosureLog | undefined;

  constructor(
    command: RegressCommand,
    planned: PlannedRegression,
    registries: Registries,
    programs: WorkerPrograms,
    outputs: Outputs,
    earlier: ClosureLog | undefined,
  ) {
    this.#earlier = earlier;
    this.#command = command;
    this.#planned = planned;
    this.#known = new KnownJudge(planned.issues ?? [], new Date());
    this.#registries = registries;
    this.#programs = programs;
    this.#outputs = outputs;
    this.#templates = templatesOf(planned.source.jobs, registries);
    this.#store = join(planned.folder, STORE_NAME);
    const isLegal = (run: SteeredRun): boolean => this.#isLegal(jobOf(run, '', command.seed));
    this.#steering = new Steering({ templates: this.#templates, isLegal, seed: command.seed });
  }

  async play(): Promise<number> {
    const { out } = this.#outputs;
    const { source } = this.#planned.plan;
    const kinds = counted(this.#templates.length, 'kind');
    out.line(
      `closure of ${source}: ${kinds} of runs, ${this.#command.generation} runs a generation, out ${this.#planned.folder}`,
    );
    if (this.#earlier === undefined) this.#write('');
    for (;;) {
      const runs = this.#generations.length === 0 ? this.#first() : this.#next();
      const end = await this.#generation(runs);
      if (end === undefined) continue;
      this.#write(end.reason);
      for (const line of this.#closing(end)) out.line(line);
      const { leavePage } = await import('../report/leftReport.ts');
      const { page, lost } = leavePage(this.#planned.folder);
      for (const problem of lost) this.#outputs.err.line(`${regressProgram()}: ${problem}`);
      if (page !== undefined) out.line(page);
      return lost.length === 0 ? end.exitCode : Math.max(end.exitCode, EXIT.infrastructure);
    }
  }

  /** The beginning of the list, in the order in which a regression would play it. */
  #first(): readonly PlannedRun[] {
    const templates = new Map(this.#templates.map((template) => [keyOf(template), template]));
    const jobs = interleave(this.#planned.source.jobs).slice(0, this.#command.generation);
    return jobs.map((job, place) => ({
      job: { ...job, id: runName(1, place) },
      steered: { template: templates.get(keyOf(job)) as RunTemplate, words: [], why: 'plain' },
    }));
  }

  #next(): readonly PlannedRun[] {
    const number = this.#generations.length + 1;
    const database = this.#covered();
    const index = new HitIndex(database, exclusionsFor(database));
    this.#weights = this.#steering.weights(index);
    const steered = this.#steering.generation(number, index, this.#weights, this.#command.generation);
    return steered.map((run, place) => {
      const seed = derivedSeed(this.#command.seed, 'closure', `${number}`, place);
      return { job: jobOf(run, runName(number, place), seed), steered: run };
    });
  }

  /** Plays one. @returns how closure ends, if it does */
  async #generation(runs: readonly PlannedRun[]): Promise<End | undefined> {
    const { folder, source, plan } = this.#planned;
    const { out, err } = this.#outputs;
    const number = this.#generations.length + 1;
    const own = generationFolder(number);
    const jobs = runs.map(({ job }) => job);
    for (const { job, steered } of runs) this.#steering.remember(job.id, steered);
    const before = this.#before(join(folder, own), jobs);
    const known = this.#earlier?.generations.find((generation) => generation.number === number);
    if (before?.results.size === jobs.length && known !== undefined) {
      this.#again(known, [...before.results.values()]);
      return this.#endOf('', [], undefined);
    }
    if (before !== undefined) await clearUnfinished(before, join(folder, own));
    const done = before === undefined ? [] : completeResults(before);
    const coverage = new CoverageKeeper(this.#store, new Set([...this.#names, ...done.map(({ id }) => id)]));
    const launcher = localPool(this.#command, join(folder, own), source.testFolders, this.#programs, {
      onRetry: (job, why) => progress.retry(job, why),
      onCoverage: (measured) => coverage.add(measured),
    });
    const start = { ...plan, folder, where: placeOf(this.#command), total: jobs.length, earlier: done };
    const progress = new RegressProgress(start, true, launcher, out, err);
    const ticks = setInterval(() => progress.tick(), TICK_MS);
    const stop = new RegressStop(launcher);
    try {
      const { maxFailures } = this.#command;
      const budget = new Budget({ maxFailures: maxFailures === undefined ? undefined : maxFailures - this.#failures });
      const stopCode = (): number | undefined => (stop.by === undefined ? undefined : exitCodeOfInterrupt(stop.by));
      const onResult = (result: JobResult): void => progress.result(result);
      const its = { ...plan, jobs, started: new Date().toISOString() };
      const played = await runRegression({
        plan: before?.plan ?? its,
        ...(before === undefined ? {} : { earlier: { results: done, wholeBytes: before.wholeBytes } }),
        ...{ launcher, out: join(folder, own), budget, stopCode, onResult, known: this.#known },
      });
      const lost = [...played.lost, ...coverage.close()];
      progress.clear();
      for (const problem of lost) err.line(`${regressProgram()}: ${problem}`);
      this.#account(number, own, played.report);
      return this.#endOf(played.report.stoppedBy, lost, stopCode());
    } finally {
      clearInterval(ticks);
      stop.close();
    }
  }

  /** What came of known issues in all generations together: only they tell which is too broad. */
  #concluded(): ReturnType<KnownJudge['concluded']> {
    return this.#known.concluded(this.#results);
  }

  /** Runs that failed by something that is not known. */
  get #failures(): number {
    return this.#concluded().results.filter((result) => !isExcused(result)).length;
  }

  /** What there is of a generation already. @throws CoverageError where it was another one */
  #before(folder: string, jobs: readonly Job[]): ReadJournal | undefined {
    if (this.#earlier === undefined || !existsSync(join(folder, 'runs.jsonl'))) return undefined;
    try {
      const journal = readJournal(folder);
      const lines = (all: readonly Job[]): string => JSON.stringify(all.map(({ id, argv }) => [id, argv]));
      if (lines(journal.plan.jobs) === lines(jobs)) return journal;
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      throw new CoverageError([error.message]);
    }
    throw new CoverageError([
      `--resume ${this.#planned.folder}: today ${folder} would have other runs, because sources or lists have changed; start a regression in another folder`,
    ]);
  }

  /** A generation that was complete counts as it is. */
  #again(log: GenerationLog, results: readonly JobResult[]): void {
    for (const { id } of results) this.#names.add(id);
    this.#results.push(...results.map((result) => this.#known.judged(result)));
    this.#stale = log.gained > 0 ? 0 : this.#stale + 1;
    this.#generations.push(log);
    this.#outputs.out.line(`${generationLine(log)}, played before`);
  }

  #account(number: number, folder: string, report: RegressionReport): void {
    for (const { id } of report.results) this.#names.add(id);
    this.#results.push(...report.results);
    const passed = report.results.filter(isPass).length;
    const known = report.results.filter(({ status }) => status === 'known').length;
    const { bins, covered } = this.#isMeasured ? this.#total().coverage : { bins: 0, covered: 0 };
    const gained = covered - (this.#generations.at(-1)?.covered ?? 0);
    this.#stale = gained > 0 ? 0 : this.#stale + 1;
    const weights = this.#weights?.known().slice(0, MOST_WEIGHTS) ?? [];
    const log = {
      number,
      folder,
      runs: report.results.length,
      passed,
      known,
      bins,
      covered,
      gained,
      wallMs: report.wallMs,
    };
    this.#generations.push({ ...log, weights });
    this.#write('');
    for (const line of failureList(report.results)) this.#outputs.out.line(line);
    this.#outputs.out.line(generationLine(log));
  }

  /** @param stopped exit code of what has stopped it from outside */
  #endOf(stoppedBy: string, lost: readonly string[], stopped: number | undefined): End | undefined {
    if (stopped !== undefined) return { reason: 'interrupted', exitCode: stopped };
    if (lost.length > 0) return { reason: lost.join('; '), exitCode: EXIT.infrastructure };
    if (stoppedBy !== '') return { reason: `--max-failures ${this.#command.maxFailures}`, exitCode: EXIT.failed };
    const { untilCoverage = 100, maxTimeSeconds } = this.#command;
    if (!this.#isMeasured)
      return {
        reason: 'no run has passed, so that nothing is covered',
        exitCode: this.#failures > 0 ? EXIT.failed : EXIT.gate,
      };
    const { bins, covered } = this.#total().coverage;
    if (percentOf(covered, bins) >= untilCoverage)
      return { reason: 'reached', exitCode: this.#failures > 0 ? EXIT.failed : EXIT.passed };
    const short = this.#failures > 0 ? EXIT.failed : EXIT.gate;
    if (maxTimeSeconds !== undefined && performance.now() - this.#start >= maxTimeSeconds * 1000)
      return { reason: `--max-time ${maxTimeSeconds}`, exitCode: short };
    if (this.#stale >= STALLED) return { reason: `${STALLED} generations have covered nothing new`, exitCode: short };
    return undefined;
  }

  #closing({ reason, exitCode }: End): readonly string[] {
    const { folder } = this.#planned;
    const { untilCoverage = 100 } = this.#command;
    const runs = this.#generations.reduce((sum, generation) => sum + generation.runs, 0);
    const time = formatDuration(performance.now() - this.#start);
    const isReached = reason === 'reached';
    const why = isReached ? `${untilCoverage} % reached` : `${untilCoverage} % not reached: ${reason}`;
    const { results, entries } = this.#concluded();
    const known = results.filter(({ status }) => status === 'known').length;
    const failures = this.#failures;
    const failed = `${known === 0 ? '' : `, ${known} known`}${failures === 0 ? '' : `, ${counted(failures, 'run')} did not pass`}`;
    return [
      ...knownLines(entries),
      ...(this.#isMeasured
        ? [`${totalLine(this.#total())}; ${regressProgram()} coverage ${folder} --holes shows what is open`]
        : []),
      `CLOSURE ${exitCode === EXIT.passed ? 'PASSED' : isReached ? 'FAILED' : 'STOPPED'} ${why} after ${counted(this.#generations.length, 'generation')}, ${counted(runs, 'run')}, ${time}, seed ${this.#command.seed}${failed}`,
    ];
  }

  #write(end: string): void {
    const { folder, plan } = this.#planned;
    const { source, command, started, sources } = plan;
    const { argv, seed, untilCoverage: goal = 100 } = this.#command;
    const generations = this.#generations;
    const begun = this.#earlier ?? { argv: withSeed(argv, seed), cwd: process.cwd(), sources };
    const its = { argv: begun.argv, cwd: begun.cwd, sources: begun.sources };
    const log: ClosureLog = { format: 1, source, command, ...its, seed, goal, started, end, generations };
    const problem = fileProblem(folder, () => writeClosureLog(folder, log));
    if (problem !== undefined) this.#outputs.err.line(`${regressProgram()}: ${problem}`);
  }

  /** Only runs that passed leave coverage. */
  get #isMeasured(): boolean {
    return existsSync(this.#store);
  }

  /** Runs of complete generations that passed. */
  #covered(): CoverageDatabase {
    return runsOf(readStore(this.#store), ({ passed, name }) => passed && this.#names.has(name));
  }

  #total(): Total {
    const database = this.#covered();
    return coverageTree(database, exclusionsFor(database));
  }

  #isLegal(job: Job): boolean {
    const command = loadCommand(parseTestCommand(job.argv, {}, job.cwd), job.cwd);
    const open = this.#registries.of(command.testPath, job.cwd);
    return problemsWith(open, command, (registry) => jobProblems(command, registry, job.cwd)).length === 0;
  }
}

/** How closure ends. */
interface End {
  readonly reason: string;
  readonly exitCode: number;
}

function runName(generation: number, place: number): string {
  return `g${String(generation).padStart(3, '0')}/${String(place).padStart(4, '0')}`;
}

function jobOf(run: SteeredRun, id: string, seed: number): Job {
  const { template, words } = run;
  const { family, cwd, where, timeoutSeconds, argv } = template;
  return {
    id,
    family,
    title: titleOf(run),
    argv: [...withWords(words, argv), '--seed', String(seed)],
    cwd,
    where,
    timeoutSeconds,
  };
}

function generationLine(log: Omit<GenerationLog, 'weights' | 'folder'>): string {
  const { number, runs, passed, known = 0, bins, covered, gained, wallMs } = log;
  const share =
    bins === 0 ? 'nothing covered' : `${covered} of ${counted(bins, 'bin')}, ${percentText(percentOf(covered, bins))}`;
  const left = runs - passed - known;
  const failed = `${known === 0 ? '' : `, ${known} known`}${left === 0 ? '' : `, ${left} did not pass`}`;
  return `generation ${number}: ${counted(runs, 'run')}${failed}, ${share}, ${gained} new, ${formatDuration(wallMs)}`;
}
