import { readFileSync } from 'node:fs';
import type { JobResult } from '../../../regress/job.ts';
import type { JournalEnd, JournalPlan } from '../../../regress/journal.ts';

/** What a journal says, by kind of line. Every line must be complete. */
export function journalLines(path: string): { plans: JournalPlan[]; results: JobResult[]; ends: JournalEnd[] } {
  const text = readFileSync(path, 'utf8');
  if (!text.endsWith('\n')) throw new Error(`${path}: the last line has no end`);
  const lines = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    plans: lines.filter((line) => line.kind === 'plan').map((line) => line.plan as JournalPlan),
    results: lines.filter((line) => line.kind === 'result').map((line) => line.result as JobResult),
    ends: lines.filter((line) => line.kind === 'end').map((line) => line.end as JournalEnd),
  };
}
