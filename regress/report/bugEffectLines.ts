/** What planted bugs did to runs that pass with them, over a whole regression. */

import { isPass, type JobResult } from '../job.ts';

/** Effects that are told apart at most; the rest is in report.json. */
const MAX_SHOWN = 10;

/** A line for each effect, with the number of runs and the first of them; none where no run passed with a planted bug. */
export function bugEffectLines(results: readonly JobResult[]): string[] {
  const byEffect = new Map<string, JobResult[]>();
  for (const result of results) {
    if (!isPass(result) || result.bugEffect === undefined) continue;
    byEffect.set(result.bugEffect, [...(byEffect.get(result.bugEffect) ?? []), result]);
  }
  const lines = [...byEffect].map(([effect, runs]) => {
    const first = `first ${(runs[0] as JobResult).id}`;
    return `warning: ${runs.length} of ${results.length} runs passed with a planted bug: ${effect} (${first})`;
  });
  const rest = lines.length - MAX_SHOWN;
  return rest > 0 ? [...lines.slice(0, MAX_SHOWN), `... and ${rest} more, in report.json`] : lines;
}
