/**
 * One regression: jobs through a launcher, results into the journal as they end, reports at the end.
 *
 * Looks into no run: it sees jobs and results only. Shrinking, triage, coverage and resuming read the journal and the
 * run records afterwards, or listen through `onResult`.
 */

import { hostname } from 'node:os';
import { join } from 'node:path';
import { writeAtomically, writeJson } from './atomicFile.ts';
import { interleave } from './interleave.ts';
import type { Job, JobResult } from './job.ts';
import { JournalWriter } from './journal.ts';
import type { Launcher } from './launcher.ts';
import { junitXml } from './report/junit.ts';
import { exitCodeOf, type RegressionSummary, summarize } from './report/summary.ts';

/** What a regression plays, where, and where it leaves its reports. */
export interface RegressionOptions {
  /** What the user named: `lists/smoke.yaml`. */
  readonly source: string;
  /** Seed from which those of the runs are derived. */
  readonly seed: number;
  readonly jobs: readonly Job[];
  readonly launcher: Launcher;
  /** Folder for journal and reports. */
  readonly out: string;
  /** The line that repeats the regression. */
  readonly command: string;
  readonly onResult?: (result: JobResult) => void;
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
  readonly exitCode: number;
  readonly summary: RegressionSummary;
  /** In the order of the list. */
  readonly results: readonly JobResult[];
}

/** Plays all jobs and writes `runs.jsonl`, `report.json` and `junit.xml`. */
export async function runRegression(options: RegressionOptions): Promise<RegressionReport> {
  const { jobs, launcher, out, source, seed } = options;
  const started = new Date();
  const start = performance.now();
  const journal = new JournalWriter(join(out, 'runs.jsonl'), { source, seed, jobs });
  const results: JobResult[] = [];
  try {
    await launcher.run(interleave(jobs), (result) => {
      results.push(result);
      journal.result(result);
      options.onResult?.(result);
    });
  } finally {
    journal.close();
  }
  const report = reportOf(options, results, started, performance.now() - start);
  writeJson(join(out, 'report.json'), report);
  const junit = { name: source, started: report.started, hostname: hostname(), jobs, results: report.results };
  writeAtomically(join(out, 'junit.xml'), junitXml(junit));
  return report;
}

function reportOf(
  options: RegressionOptions,
  results: readonly JobResult[],
  started: Date,
  wallMs: number,
): RegressionReport {
  const { jobs, source, seed, command } = options;
  const place = new Map(jobs.map((job, index) => [job.id, index]));
  const ordered = [...results].sort((a, b) => (place.get(a.id) as number) - (place.get(b.id) as number));
  const summary = summarize(
    jobs.map((job) => job.family),
    ordered,
  );
  return {
    format: 1,
    source,
    command,
    seed,
    started: started.toISOString(),
    wallMs: Math.round(wallMs),
    interrupted: summary.notRun > 0,
    exitCode: exitCodeOf(summary, ordered),
    summary,
    results: ordered,
  };
}
