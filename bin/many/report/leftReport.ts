/** What a regression leaves for readers when it has ended: its page, and its summary for histories. */

import { join, resolve } from 'node:path';
import { fileProblem } from '../../../files/fileError.ts';
import { writeAtomically } from '../../../regress/atomicFile.ts';
import type { Total } from '../../../regress/coverage/totalLine.ts';
import { type RegressionSummaryFile, SUMMARY_FILE, summaryOf } from '../../../regress/history/summaryFile.ts';
import type { JournalPlan } from '../../../regress/journal.ts';
import { readRegressions } from '../../../regress/page/storedRegression.ts';
import { JournalError } from '../../../regress/readJournal.ts';
import type { RegressionReport } from '../../../regress/regression.ts';
import { type KeptHistory, keepHistory } from '../../history/historyOf.ts';
import { pageIn, RegressionReporter } from './regressionReporter.ts';

export interface LeftReport {
  /** Path of the page; undefined where there is none. */
  readonly page: string | undefined;
  /** What could not be written. */
  readonly lost: readonly string[];
  /** Why the history does not know of it; undefined where it does, or need not. */
  readonly unhistoried?: string | undefined;
}

/** A regression that has ended. */
export interface EndedRegression {
  readonly plan: JournalPlan;
  readonly report: RegressionReport;
  readonly coverage: Total | undefined;
  /** Undefined: the history does not learn of it. */
  readonly historyPath: string | undefined;
}

/** The page of the regression and its summary, from what its folder holds now, and its place in the history. */
export async function leaveReports(
  folder: string,
  { plan, report, coverage, historyPath }: EndedRegression,
): Promise<LeftReport> {
  const { results, wallMs, exitCode } = report;
  const summary = summaryOf({ plan, results, wallMs, exitCode, coverage: coverage?.coverage });
  const unwritten = leaveSummary(folder, summary);
  const { summaries, problem }: KeptHistory =
    historyPath === undefined ? { summaries: [] } : await keepHistory(summary, historyPath);
  const { page, lost } = leavePage(folder, summaries);
  return { page, lost: [...unwritten, ...lost], unhistoried: problem };
}

/**
 * @param folder of the regression or of a closure
 * @param history regressions for its trend
 */
export function leavePage(folder: string, history: readonly RegressionSummaryFile[] = []): LeftReport {
  const page = pageIn(folder);
  try {
    const problem = new RegressionReporter(readRegressions(folder), { history, pageFolder: resolve(folder) }).writePage(
      page,
    );
    return problem === undefined ? { page, lost: [] } : { page: undefined, lost: [problem] };
  } catch (error) {
    // Why its journal cannot be read was said when it could not be written.
    if (error instanceof JournalError) return { page: undefined, lost: [] };
    throw error;
  }
}

/** @returns what could not be written */
export function leaveSummary(folder: string, summary: RegressionSummaryFile): readonly string[] {
  const path = join(folder, SUMMARY_FILE);
  const problem = fileProblem(path, () => writeAtomically(path, `${JSON.stringify(summary)}\n`));
  return problem === undefined ? [] : [problem];
}
