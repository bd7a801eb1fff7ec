/** Runs that passed only when they were tried again, over a whole regression. */

import { isPass, type JobResult } from '../job.ts';

/** Runs named before the rest is counted. */
const NAMED = 5;

/** One line about the runs whose process had died before they passed; none when there was no such run. */
export function retriedLines(results: readonly JobResult[]): string[] {
  const retried = results.filter((result) => isPass(result) && result.attempts > 1);
  if (retried.length === 0) return [];
  const more = retried.length > NAMED ? ` and ${retried.length - NAMED} more` : '';
  const ids = retried.slice(0, NAMED).map(({ id }) => id);
  const runs = retried.length === 1 ? 'run' : 'runs';
  return [
    `warning: ${retried.length} ${runs} passed only when tried again, after the process had died: ${ids.join(', ')}${more}`,
  ];
}
