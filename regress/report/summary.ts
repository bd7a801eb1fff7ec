/** Counts of a regression: what tables, reports and the exit code are made of. */

import { isFailure, type Job, type JobResult, type JobStatus } from '../job.ts';

/** Sums of the runs of one entry or script. `wallMs` is that of the runs added up. */
export interface FamilySummary {
  readonly family: string;
  readonly planned: number;
  readonly counts: Readonly<Record<JobStatus, number>>;
  readonly wallMs: number;
  readonly simulatedTimePs: number;
  readonly checks: number;
}

/** Sums by family, and of all. */
export interface RegressionSummary {
  readonly families: readonly FamilySummary[];
  /** By list or script, its name as `family`, where there are several; else absent. */
  readonly lists?: readonly FamilySummary[];
  readonly total: FamilySummary;
  /** Runs without a result: the regression was stopped. */
  readonly notRun: number;
}

const NO_COUNTS: Readonly<Record<JobStatus, number>> = {
  passed: 0,
  failed: 0,
  known: 0,
  vacuous: 0,
  nondeterministic: 0,
  error: 0,
  crashed: 0,
  timeout: 0,
  usage: 0,
};

/**
 * @param planned every job, in the order of the list
 * @param results of the jobs that have ended, in any order
 */
export function summarize(
  planned: readonly Pick<Job, 'id' | 'family' | 'list'>[],
  results: readonly JobResult[],
): RegressionSummary {
  const families = [...new Set(planned.map(({ family }) => family))].map((family) => {
    const own = results.filter((r) => r.family === family);
    return summaryOf(family, planned.filter((job) => job.family === family).length, own);
  });
  const total = summaryOf('total', planned.length, results);
  return { families, ...listsOf(planned, results), total, notRun: planned.length - results.length };
}

function listsOf(
  planned: readonly Pick<Job, 'id' | 'list'>[],
  results: readonly JobResult[],
): Pick<RegressionSummary, 'lists'> {
  const listOf = new Map(planned.flatMap(({ id, list }) => (list === undefined ? [] : [[id, list] as const])));
  if (listOf.size === 0) return {};
  const lists = [...new Set(listOf.values())].map((list) => {
    const own = results.filter(({ id }) => listOf.get(id) === list);
    return summaryOf(list, planned.filter((job) => job.list === list).length, own);
  });
  return { lists };
}

/**
 * Exit code: 0 all passed or failed by known issues alone, 1 a check failed or nothing was checked, 3 something kept runs from being judged, be it their
 * arguments; 2 when that was so for all runs, so that nothing was run.
 * @param limited a limit of the user's own kept the others from being begun: those that were played decide
 */
export function exitCodeOf(summary: RegressionSummary, results: readonly JobResult[], limited = false): number {
  if (results.some(isFailure)) return 1;
  const { usage, known } = summary.total.counts;
  const passed = summary.total.counts.passed + known;
  if (passed === summary.total.planned || (limited && passed > 0 && passed === results.length)) return 0;
  return usage === summary.total.planned ? 2 : 3;
}

function summaryOf(family: string, planned: number, results: readonly JobResult[]): FamilySummary {
  const counts = { ...NO_COUNTS };
  let wallMs = 0;
  let simulatedTimePs = 0;
  let checks = 0;
  for (const result of results) {
    counts[result.status]++;
    wallMs += result.wallMs;
    simulatedTimePs += result.simulatedTimePs;
    checks += result.checks;
  }
  return { family, planned, counts, wallMs, simulatedTimePs, checks };
}
