/** The table at the end of a regression. */

import Table from 'cli-table3';
import { formatDuration } from './formatDuration.ts';
import type { FamilySummary, RegressionSummary } from './summary.ts';

/**
 * One row per family and one for all, before it one per list where there are several; columns for what went wrong appear only when something did. The run time
 * is the sum of what the runs took, each by the clock on the wall: with more workers than processors they wait for each
 * other in it.
 */
export function summaryTable(summary: RegressionSummary): string {
  const { lists = [], families, total } = summary;
  const byFamily = tableOf('family', families.length > 1 ? [...families, total] : families, summary);
  return lists.length === 0 ? byFamily : `${tableOf('list', lists, summary)}\n\n${byFamily}`;
}

function tableOf(what: string, rows: readonly FamilySummary[], summary: RegressionSummary): string {
  const columns = COLUMNS.filter((c) => c.always === true || c.value(summary.total) > 0);
  const table = new Table({
    head: [what, 'runs', ...columns.map((c) => c.title), 'checks', 'run time'],
    colAligns: ['left', 'right', ...columns.map(() => 'right' as const), 'right', 'right'],
    style: { head: [], border: [], compact: true },
    chars: BORDERS,
  });
  for (const row of rows) {
    table.push([row.family, row.planned, ...columns.map((c) => c.value(row)), row.checks, formatDuration(row.wallMs)]);
  }
  return table.toString();
}

export interface Column {
  readonly title: string;
  readonly always?: boolean;
  value(row: FamilySummary): number;
}

/** Those of verdicts. */
export const COLUMNS: readonly Column[] = [
  { title: 'passed', always: true, value: (row) => row.counts.passed },
  { title: 'failed', always: true, value: (row) => row.counts.failed },
  { title: 'known', value: (row) => row.counts.known },
  { title: 'vacuous', value: (row) => row.counts.vacuous },
  { title: 'nondeterministic', value: (row) => row.counts.nondeterministic },
  { title: 'error', value: (row) => row.counts.error },
  { title: 'crashed', value: (row) => row.counts.crashed },
  { title: 'time-out', value: (row) => row.counts.timeout },
  { title: 'usage', value: (row) => row.counts.usage },
  { title: 'not run', value: (row) => row.planned - Object.values(row.counts).reduce((a, b) => a + b, 0) },
];

const BORDERS = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: ' ',
};
