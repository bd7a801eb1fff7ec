/** Arguments without effect, over a whole regression. */

import type { JobResult } from '../job.ts';

/** One line per argument, with the number of runs that made no use of it. */
export function unusedLines(results: readonly JobResult[]): string[] {
  const counts = new Map<string, number>();
  for (const { unused } of results) for (const text of unused) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].map(([text, count]) => `warning: ${text} (${count} of ${results.length} runs)`);
}
