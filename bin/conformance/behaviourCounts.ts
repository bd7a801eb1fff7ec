/** How many behaviours of each table a regression has shown. */

import { behaviourOfJob } from '../../regress/conformance/behaviourJobs.ts';
import type { BehaviourTable } from '../../regress/conformance/behaviours.ts';
import { isPass, type Job, type JobResult, type SkippedJob } from '../../regress/job.ts';
import Table from 'cli-table3';

/** What came of a behaviour. */
export type BehaviourVerdict = 'passed' | 'failed' | 'skipped' | 'outside' | 'waits' | 'not run';

/** What a regression knows of its runs. */
export interface PlayedBehaviours {
  readonly jobs: readonly Job[];
  readonly results: readonly JobResult[];
  readonly skipped: readonly SkippedJob[];
}

/** Of a regression that has not begun. */
export const NOTHING: PlayedBehaviours = { jobs: [], results: [], skipped: [] };

/** Verdicts of all behaviours by their ids: a behaviour passes when all of its runs do. */
export function verdictsOf(
  tables: readonly BehaviourTable[],
  { jobs, results, skipped }: PlayedBehaviours,
): ReadonlyMap<string, BehaviourVerdict> {
  const byJob = new Map(results.map((result) => [result.id, result]));
  const runs = new Map<string, (JobResult | undefined)[]>();
  for (const { id } of jobs) {
    const behaviour = behaviourOfJob(id);
    runs.set(behaviour, [...(runs.get(behaviour) ?? []), byJob.get(id)]);
  }
  const left = new Set(skipped.map(({ job }) => behaviourOfJob(job.id)));
  const verdict = (id: string): BehaviourVerdict => {
    const own = runs.get(id);
    if (own === undefined) return left.has(id) ? 'skipped' : 'not run';
    if (own.some((result) => result !== undefined && !isPass(result))) return 'failed';
    return own.includes(undefined) ? 'not run' : left.has(id) ? 'skipped' : 'passed';
  };
  const all = tables.flatMap(({ behaviours }) => behaviours);
  return new Map(all.map(({ id, shown }) => [id, shown.by === 'runs' ? verdict(id) : shown.by]));
}

const COLUMNS: readonly (readonly [verdict: BehaviourVerdict, title: string])[] = [
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['skipped', 'skipped by capability'],
  ['outside', 'outside'],
  ['waits', 'waits'],
  ['not run', 'not run'],
];

function isWaiting({ behaviours }: BehaviourTable): boolean {
  return behaviours.some(({ shown }) => shown.by === 'waits');
}

/** A line for all behaviours that wait, by what they wait for: `waiting for memory windows: 75, shared receive queues: 25`. */
function waitsLine(tables: readonly BehaviourTable[]): string {
  const counts = new Map<string, number>();
  for (const { shown } of tables.flatMap(({ behaviours }) => behaviours))
    if (shown.by === 'waits') counts.set(shown.reason, (counts.get(shown.reason) ?? 0) + 1);
  const most = [...counts].sort(([, a], [, b]) => b - a);
  return `waiting for ${most.map(([what, count]) => `${what}: ${count}`).join(', ')}`;
}

/** A table with a row for each list of behaviours, and what those wait for that have no case yet. */
export function countsTable(
  tables: readonly BehaviourTable[],
  verdicts: ReadonlyMap<string, BehaviourVerdict>,
): string {
  const table = new Table({
    head: ['behaviours', 'ids', ...COLUMNS.map(([, title]) => title)],
    colAligns: ['left', 'right', ...COLUMNS.map(() => 'right' as const)],
    style: { head: [], border: [], compact: true },
  });
  for (const { name, behaviours } of tables) {
    const count = (verdict: BehaviourVerdict): number =>
      behaviours.filter(({ id }) => verdicts.get(id) === verdict).length;
    table.push([name, behaviours.length, ...COLUMNS.map(([verdict]) => count(verdict))]);
  }
  const text = table.toString();
  return tables.some(isWaiting) ? `${text}\n${waitsLine(tables)}` : text;
}
