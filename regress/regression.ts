/**
 * One regression: jobs through a launcher, results into the journal as they end, reports at the end.
 *
 * Looks into no run: it sees jobs and results only. Shrinking, triage and coverage read the journal and the run records
 * afterwards, or listen through `onResult`; a regression that was cut off goes on from its journal.
 */

import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Budget } from './budget.ts';
import { writeAtomically, writeJson } from './atomicFile.ts';
import { fileProblem } from '../files/fileError.ts';
import { interleave } from './interleave.ts';
import type { Job, JobResult } from './job.ts';
import { type JournalPlan, JournalWriter } from './journal.ts';
import type { Launcher } from './launcher.ts';
import type { KnownEntry, KnownJudge } from './known/knownJudge.ts';
import { PoolError } from './pool/workerPool.ts';
import { type FailureGroup, failureGroups } from './report/failureGroups.ts';
import { junitXml } from './report/junit.ts';
import { exitCodeOf, type RegressionSummary, summarize } from './report/summary.ts';

/** What a regression plays, where, and where it leaves its reports. */
export interface RegressionOptions {
  readonly plan: JournalPlan;
  /** What is there of it already, when it was cut off; default: nothing. */
  readonly earlier?: EarlierPart;
  readonly launcher: Launcher;
  /** Folder for journal and reports. */
  readonly out: string;
  /** When to begin no further runs; default: when there are none. */
  readonly budget?: Budget;
  readonly onResult?: (result: JobResult) => void;
  /** Default: there are no known issues. */
  readonly known?: KnownJudge;
  /**
   * Called with all results when none follows, unless it was stopped from outside; those that it tells take the place of those
   * of before.
   */
  readonly afterwards?: (results: readonly JobResult[], tell: (result: JobResult) => void) => Promise<void>;
  /** Exit code of what has stopped it from outside, if anything has; asked once, at the end. */
  readonly stopCode?: () => number | undefined;
  /** Replaced by specs. */
  readonly newJournal?: (path: string, plan: JournalPlan) => Journal;
}

/** What a regression that was cut off has left. */
export interface EarlierPart {
  /** The last one of each run that has any. */
  readonly results: readonly JobResult[];
  /** Bytes of the whole lines of its journal. */
  readonly wholeBytes: number;
}

type Journal = Pick<JournalWriter, 'result' | 'end' | 'close'>;

/** What came of a regression. */
export interface RegressionOutcome {
  readonly report: RegressionReport;
  /** Files that could not be written, each with the reason, and what has kept workers from playing any more. */
  readonly lost: readonly string[];
}

/** `report.json`: everything that tables, JUnit and later pages are rendered from. */
export interface RegressionReport {
  readonly format: 1;
  readonly source: string;
  readonly command: string;
  readonly seed: number;
  readonly started: string;
  readonly wallMs: number;
  readonly interrupted: boolean;
  /** `--max-time 600`, `--max-failures 5`: the limit that kept further runs from being begun; '' for none. */
  readonly stoppedBy: string;
  readonly exitCode: number;
  readonly summary: RegressionSummary;
  /** What did not pass, by signature, the most frequent first. */
  readonly failures: readonly FailureGroup[];
  /** What came of each known issue. */
  readonly known: readonly KnownEntry[];
  /** In the order of the list. */
  readonly results: readonly JobResult[];
}

/**
 * Plays all jobs and writes `runs.jsonl`, `report.json` and `junit.xml`. When a result cannot be written down, no
 * further ones are produced; when workers cannot be started, there are none. What is known so far is reported then.
 */
export async function runRegression(options: RegressionOptions): Promise<RegressionOutcome> {
  const start = performance.now();
  const lost: string[] = [];
  const path = join(options.out, 'runs.jsonl');
  const journal = openJournal(path, options);
  const reportNow = (results: readonly JobResult[]): RegressionReport =>
    reportOf(options, results, performance.now() - start);
  let report: RegressionReport;
  if (typeof journal === 'string') {
    lost.push(`${journal}; nothing was run`);
    report = reportNow(options.earlier?.results ?? []);
  } else {
    try {
      const { results, stopped } = await play(options, path, journal, lost);
      report = reportNow(results);
      // A journal that lacks a result has no end.
      if (lost.length === 0) lost.push(...endJournal(path, journal, report));
      lost.push(...stopped);
    } finally {
      journal.close();
    }
  }
  lost.push(...writeReports(options, report));
  return { report, lost };
}

/** What came of playing. */
interface Played {
  readonly results: readonly JobResult[];
  /** Why jobs were left over, where that was the workers' doing. */
  readonly stopped: readonly string[];
}

/** @param lost takes what is wrong with the journal */
async function play(options: RegressionOptions, path: string, journal: Journal, lost: string[]): Promise<Played> {
  const results = new Map((options.earlier?.results ?? []).map((result) => [result.id, result]));
  const waiting = options.plan.jobs.filter(({ id }) => !results.has(id));
  const { budget, launcher } = options;
  budget?.begin(() => launcher.finish());
  const { known } = options;
  const stopped = await launch(options, waiting, (played) => {
    const result = known?.judged(played) ?? played;
    results.set(result.id, result);
    options.onResult?.(result);
    budget?.count(result);
    const problem = fileProblem(path, () => journal.result(result));
    if (problem === undefined) return;
    lost.push(`${problem}; the regression was stopped`);
    launcher.stop();
  });
  budget?.end();
  if (known !== undefined && lost.length === 0) lost.push(...correctKnown(known, results, path, journal));
  if (lost.length === 0 && options.stopCode?.() === undefined)
    await options.afterwards?.([...results.values()], (result) => {
      results.set(result.id, result);
      const problem = fileProblem(path, () => journal.result(result));
      if (problem !== undefined) lost.push(problem);
    });
  return { results: [...results.values()], stopped };
}

/** @returns what has kept workers from playing any more: results of before are as good as any */
async function launch(
  { launcher }: RegressionOptions,
  jobs: readonly Job[],
  onResult: (result: JobResult) => void,
): Promise<readonly string[]> {
  try {
    await launcher.run(interleave(jobs), onResult);
    return [];
  } catch (error) {
    if (!(error instanceof PoolError)) throw error;
    return [`the regression was stopped: ${error.message}`];
  }
}

/**
 * At the end it is known which issues are too broad: the results of their runs are written down once more.
 * @returns what could not be written
 */
function correctKnown(known: KnownJudge, results: Map<string, JobResult>, path: string, journal: Journal): string[] {
  for (const result of known.concluded([...results.values()]).results) {
    if (result.status === results.get(result.id)?.status) continue;
    results.set(result.id, result);
    const problem = fileProblem(path, () => journal.result(result));
    if (problem !== undefined) return [problem];
  }
  return [];
}

/** @returns what keeps the last line from being written */
function endJournal(path: string, journal: Journal, { wallMs, exitCode, summary, known }: RegressionReport): string[] {
  const ended = { ended: new Date().toISOString(), wallMs, notRun: summary.notRun, exitCode };
  const end = known.length === 0 ? ended : { ...ended, known };
  const problem = fileProblem(path, () => journal.end(end));
  return problem === undefined ? [] : [problem];
}

/** A string is the reason why there is none. */
function openJournal(path: string, { plan, earlier, newJournal }: RegressionOptions): Journal | string {
  const opened: Journal[] = [];
  const problem = fileProblem(path, () => {
    if (earlier !== undefined) opened.push(JournalWriter.continued(path, earlier.wholeBytes));
    else opened.push(newJournal?.(path, plan) ?? new JournalWriter(path, plan));
  });
  return opened[0] ?? (problem as string);
}

/** @returns one message per report that could not be written */
function writeReports(
  { out, plan: { source, jobs, skipped = [] } }: RegressionOptions,
  report: RegressionReport,
): string[] {
  const { started, results } = report;
  const junit = { name: source, started, hostname: hostname(), folder: out, jobs, results, skipped };
  const json = join(out, 'report.json');
  const xml = join(out, 'junit.xml');
  const problems = [
    fileProblem(json, () => writeJson(json, report)),
    fileProblem(xml, () => writeAtomically(xml, junitXml(junit))),
  ];
  return problems.filter((problem) => problem !== undefined);
}

function reportOf(options: RegressionOptions, results: readonly JobResult[], wallMs: number): RegressionReport {
  const { jobs, source, seed, command, started } = options.plan;
  const place = new Map(jobs.map((job, index) => [job.id, index]));
  const ordered = [...results].sort((a, b) => (place.get(a.id) as number) - (place.get(b.id) as number));
  const summary = summarize(jobs, ordered);
  const stoppedBy = summary.notRun > 0 ? (options.budget?.spent ?? '') : '';
  return {
    format: 1,
    source,
    command,
    seed,
    started,
    wallMs: Math.round(wallMs),
    interrupted: summary.notRun > 0,
    stoppedBy,
    exitCode: options.stopCode?.() ?? exitCodeOf(summary, ordered, stoppedBy !== ''),
    summary,
    failures: failureGroups(ordered),
    known: options.known?.concluded(ordered).entries ?? [],
    results: ordered,
  };
}
