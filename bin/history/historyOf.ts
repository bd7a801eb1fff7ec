/** The history that regressions of a project write by themselves. */

import { join } from 'node:path';
import { History } from '../../regress/history/history.ts';
import { HistoryError } from '../../regress/history/historySchema.ts';
import type { RegressionSummaryFile } from '../../regress/history/summaryFile.ts';
import { outFolderOf } from '../project/projectDefaults.ts';
import type { ProjectDefaults } from '../project/projectValues.ts';

/** In the folder in which regressions have folders of their own. */
export function historyFile(defaults: ProjectDefaults): string {
  return join(outFolderOf(defaults), 'history.sqlite');
}

/** Regressions of a trend. */
const MOST = 60;

export interface KeptHistory {
  /** Of the same source, oldest first. */
  readonly summaries: readonly RegressionSummaryFile[];
  /** Why it could not be written; undefined where it was, or where there is no database. */
  readonly problem?: string;
}

/** Adds a regression. Where this Node has no database, nothing is kept: the summary can be imported later. */
export async function keepHistory(summary: RegressionSummaryFile, path: string): Promise<KeptHistory> {
  try {
    const history = await History.open(path);
    if (history === undefined) return { summaries: [] };
    try {
      history.add(summary);
      return { summaries: history.summaries(MOST, summary.source) };
    } finally {
      history.close();
    }
  } catch (error) {
    // A history is no part of a regression: what keeps it from being written costs it nothing.
    const isOfDatabase = error instanceof HistoryError || (error instanceof Error && 'errcode' in error);
    if (!isOfDatabase) throw error;
    return { summaries: [], problem: error.message };
  }
}
