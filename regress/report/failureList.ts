/** The failures of a regression for people: one paragraph each, the line that repeats it included. */

import { isPass, type JobResult } from '../job.ts';

/** Failures listed at most; the rest is in report.json. */
const MAX_LISTED = 50;

/** Lines for all results that did not pass, in the order given; empty when all did. */
export function failureList(results: readonly JobResult[]): string[] {
  const failures = results.filter((result) => !isPass(result));
  const lines = failures.slice(0, MAX_LISTED).flatMap((result) => {
    const log = result.log === '' ? [] : [`    log ${result.log}`];
    const head = `${result.status.toUpperCase()} ${result.id}${result.title === '' ? '' : ` ${result.title}`}`;
    // A run whose arguments have a mistake cannot be repeated.
    const replay = result.replay === '' ? [] : [`    replay: ${result.replay}`];
    return [head, `    ${result.message}`, ...log, ...replay];
  });
  const rest = failures.length - MAX_LISTED;
  return rest > 0 ? [...lines, `... and ${rest} more, in report.json`] : lines;
}
