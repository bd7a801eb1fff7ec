/** Errors that report settings kept from counting, over a whole regression. */

import { isPass, type JobResult } from '../job.ts';

/** One line about the runs that passed with errors switched off or lowered; none when there was no such run. */
export function switchedOffLines(results: readonly JobResult[]): string[] {
  const passed = results.filter((result) => isPass(result) && result.switchedOff > 0);
  const [first] = passed;
  if (first === undefined) return [];
  const errors = passed.reduce((sum, { switchedOff }) => sum + switchedOff, 0);
  const where = `first ${first.id}${first.log === '' ? '' : `, log ${first.log}`}`;
  return [
    `warning: ${passed.length} of ${results.length} runs passed with switched-off errors (${errors} in all; ${where})`,
  ];
}
