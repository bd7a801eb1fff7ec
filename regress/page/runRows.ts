/** The runs of a page as data for its script, as much of them as a page can hold. */

import { isPass, type JobResult } from '../job.ts';

/** Place of each in a row. */
const COLUMNS = [
  'run',
  'verdict',
  'test',
  'seed',
  'wallMs',
  'simulatedUs',
  'checks',
  'what',
  'replay',
  'anchor',
] as const;

export interface RunRows {
  /** JSON that stands in an element of the page. */
  readonly data: string;
  /** What was left out; '' for nothing. */
  readonly note: string;
}

const PS_IN_US = 1_000_000;
/** Characters of what went wrong. */
const LONGEST = 200;

/**
 * @param anchorOf where the page shows the failure of a run; '' = nowhere
 * @param mostBytes of the data
 */
export function runRows(
  results: readonly JobResult[],
  anchorOf: (result: JobResult) => string,
  mostBytes: number,
): RunRows {
  const failed = results.filter((result) => !isPass(result));
  const ways: readonly (readonly [readonly JobResult[], boolean, string])[] = [
    [results, true, ''],
    [results, false, 'Lines that repeat runs that passed are left out here: there are too many.'],
    [failed, true, `The ${results.length - failed.length} runs that passed are left out here: there are too many.`],
  ];
  for (const [shown, withReplay, note] of ways) {
    const data = dataOf(shown, withReplay, anchorOf);
    if (Buffer.byteLength(data) <= mostBytes) return { data, note };
  }
  return { data: dataOf([], false, anchorOf), note: 'The runs are left out here: there are too many.' };
}

function dataOf(results: readonly JobResult[], withReplay: boolean, anchorOf: (result: JobResult) => string): string {
  const runs = results.map((result) => [
    result.id,
    result.status,
    result.test,
    result.seed,
    Math.round(result.wallMs * 10) / 10,
    Math.round(result.simulatedTimePs / PS_IN_US),
    result.checks,
    whatOf(result),
    withReplay || !isPass(result) ? result.replay : '',
    anchorOf(result),
  ]);
  // In an element of the page: nothing in it may look like the end of that.
  return JSON.stringify({ columns: COLUMNS, runs }).replaceAll('<', '\\u003c');
}

function whatOf({ title, message }: JobResult): string {
  const text = message === '' ? title : message;
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`;
}
