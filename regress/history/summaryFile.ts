/**
 * `summary.json` in the folder of a regression: what history keeps of it. The summaries are the truth; the database of a history
 * is made from them, and can be made again.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isPass, type Job, type JobResult } from '../job.ts';
import type { JournalPlan } from '../journal.ts';
import { failureGroups } from '../report/failureGroups.ts';

export const SUMMARY_FILE = 'summary.json';
const SUMMARY_FORMAT = 'rnic-verify summary 1';

const amount = z.number().min(0);
const whole = z.int().min(0);

export const summarySchema = z.object({
  format: z.literal(SUMMARY_FORMAT),
  /** The same for the same regression wherever its folder lies. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  source: z.string(),
  command: z.string(),
  seed: z.int().min(0).max(0xffff_ffff),
  /** ISO 8601, UTC. */
  started: z.iso.datetime(),
  wallMs: amount,
  exitCode: z.int(),
  /** Hash over the sources that were built; '' where it is not known. */
  sources: z.string(),
  planned: whole,
  /** Runs by verdict; those without a result are in none. */
  counts: z.record(z.string(), whole),
  /** By name of the test. */
  tests: z.array(z.object({ test: z.string(), runs: whole, passed: whole, wallMs: amount, longestMs: amount })),
  /** What did not pass. */
  signatures: z.array(
    z.object({
      id: z.string(),
      text: z.string(),
      runs: whole,
      known: z.boolean(),
      smallest: z.string(),
      replay: z.string(),
    }),
  ),
  /** Bins that were counted, and those covered; null where coverage was not measured. */
  coverage: z.object({ bins: whole, covered: whole }).nullable(),
  /** A line a run: what it was asked for, its verdict, and the hash of its transcript. */
  runs: z.array(z.object({ key: z.string(), id: z.string(), seed: whole, status: z.string(), transcript: z.string() })),
});

export type RegressionSummaryFile = z.infer<typeof summarySchema>;

/** What a summary is made of. */
export interface SummaryFacts {
  readonly plan: JournalPlan;
  /** In the order of the list. */
  readonly results: readonly JobResult[];
  readonly wallMs: number;
  readonly exitCode: number;
  readonly coverage: { readonly bins: number; readonly covered: number } | undefined;
}

export function summaryOf({ plan, results, wallMs, exitCode, coverage }: SummaryFacts): RegressionSummaryFile {
  const jobs = new Map(plan.jobs.map((job) => [job.id, job]));
  const known = new Set(results.filter(({ status }) => status === 'known').map(({ id }) => id));
  return {
    format: SUMMARY_FORMAT,
    id: idOf(plan),
    source: plan.source,
    command: plan.command,
    seed: plan.seed,
    started: plan.started,
    wallMs: Math.round(wallMs),
    exitCode,
    sources: plan.sources,
    planned: plan.jobs.length,
    counts: countsOf(results),
    tests: testsOf(results),
    signatures: failureGroups(results, (result) => !isPass(result)).map(
      ({ id, text, count, smallest, replay, runs }) => ({
        id,
        text,
        runs: count,
        known: runs.every((run) => known.has(run)),
        smallest,
        replay,
      }),
    ),
    coverage: coverage === undefined ? null : { bins: coverage.bins, covered: coverage.covered },
    runs: results.map(({ id, seed, status, transcript }) => ({
      key: keyOf(jobs.get(id)),
      id,
      seed,
      status,
      transcript,
    })),
  };
}

/** Two regressions that began in the same millisecond with the same line and the same runs are one. */
function idOf({ source, command, started, seed, jobs }: JournalPlan): string {
  const text = JSON.stringify([source, command, started, seed, jobs.map(({ id }) => id)]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Equal for runs with equal arguments. */
function keyOf(job: Job | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(job?.argv ?? []))
    .digest('hex')
    .slice(0, 16);
}

function countsOf(results: readonly JobResult[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of results) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

function testsOf(results: readonly JobResult[]): RegressionSummaryFile['tests'] {
  const names = [...new Set(results.map(({ test }) => test))].sort();
  return names.map((test) => {
    const own = results.filter((result) => result.test === test);
    return {
      test,
      runs: own.length,
      passed: own.filter(isPass).length,
      wallMs: Math.round(own.reduce((sum, { wallMs }) => sum + wallMs, 0)),
      longestMs: Math.round(own.reduce((most, { wallMs }) => Math.max(most, wallMs), 0)),
    };
  });
}
