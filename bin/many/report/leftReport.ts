/** What a regression leaves for readers when it has ended: its page, and its summary for histories. */

import { join, resolve } from 'node:path';
import { fileProblem } from '../../../files/fileError.ts';
import { writeAtomically } from '../../../regress/atomicFile.ts';
import { type RegressionSummaryFile, SUMMARY_FILE } from '../../../regress/history/summaryFile.ts';
import { readRegressions } from '../../../regress/page/storedRegression.ts';
import { JournalError } from '../../../regress/readJournal.ts';
import { pageIn, RegressionReporter } from './regressionReporter.ts';

export interface LeftReport {
  /** Path of the page; undefined where there is none. */
  readonly page: string | undefined;
  /** What could not be written. */
  readonly lost: readonly string[];
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
