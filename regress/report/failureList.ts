/** The failures of a regression for people: one paragraph each, the line that repeats it included. */

import { counted } from '../../uvm/report/counted.ts';
import { isExcused, type JobResult, type ShrunkCase } from '../job.ts';

/** Failures listed at most; the rest is in report.json. */
const MAX_LISTED = 50;

/** Characters of a line that are shown. */
const LONGEST = 200;

/** What the page of a run says in short, and where that is. */
function causeLines({ cause }: JobResult): string[] {
  if (cause === undefined) return [];
  const { page, accuses, decides, shrunk } = cause;
  const shown = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`);
  return [
    ...(accuses.length === 0 ? [] : [`    accused ${shown(accuses[0] as string)}`]),
    ...(decides === '' ? [] : [`    decided by ${shown(decides)}`]),
    ...(page === '' ? [] : [`    cause ${page}`]),
    ...(shrunk === undefined ? [] : shrunkLines(shrunk).map((line) => `    ${line}`)),
  ];
}

/** What is left of a run, whether that is legal, and the line that plays it. */
function shrunkLines({ scenario, calls, requests, legal, ended, replay }: ShrunkCase): string[] {
  const size = `${counted(calls, 'call')} and ${counted(requests, 'request')}`;
  return [
    `shrunk to ${size}${ended === '' ? '' : `, ended ${ended}`} (${legal}): ${scenario}`,
    ...(replay === '' ? [] : [`play it: ${replay}`]),
  ];
}

/** Lines for all results that did not pass and are not known, in the order given; empty when all did. */
export function failureList(results: readonly JobResult[]): string[] {
  const failures = results.filter((result) => !isExcused(result));
  const lines = failures.slice(0, MAX_LISTED).flatMap((result) => {
    const log = result.log === '' ? [] : [`    log ${result.log}`];
    const head = `${result.status.toUpperCase()} ${result.id}${result.title === '' ? '' : ` ${result.title}`}`;
    // A run whose arguments have a mistake cannot be repeated.
    const replay = result.replay === '' ? [] : [`    replay: ${result.replay}`];
    return [head, `    ${result.message}`, ...causeLines(result), ...log, ...replay];
  });
  const rest = failures.length - MAX_LISTED;
  return rest > 0 ? [...lines, `... and ${rest} more, in report.json`] : lines;
}
