/** A regression as its folder holds it: plan, results in the order of the list, and how it ended. */

import { basename, join, resolve } from 'node:path';
import { whyUnread } from '../../files/dataError.ts';
import { readStoredJson } from '../../files/json.ts';
import { isClosure, readClosureLog } from '../closure/closureLog.ts';
import { type RegressionSummaryFile, SUMMARY_FILE, summaryOf, summarySchema } from '../history/summaryFile.ts';
import type { Job, JobResult } from '../job.ts';
import type { JournalEnd, JournalPlan } from '../journal.ts';
import type { KnownEntry } from '../known/knownJudge.ts';
import { JournalError, readJournal } from '../readJournal.ts';

export interface StoredRegression {
  /** As it was named. */
  readonly folder: string;
  /** Last part of its path. */
  readonly name: string;
  readonly plan: JournalPlan;
  readonly jobs: ReadonlyMap<string, Job>;
  readonly results: readonly JobResult[];
  /** What came of known issues, as the regression has said at its end. */
  readonly known: readonly KnownEntry[];
  /** Undefined: it goes on, or it was cut off. */
  readonly end: JournalEnd | undefined;
}

/** A regression, or those that a closure has played. @throws JournalError */
export function readRegressions(folder: string): readonly StoredRegression[] {
  if (!isClosure(folder)) return [readRegression(folder)];
  const log = readClosureLog(folder);
  if (typeof log === 'string') throw new JournalError(log);
  return log.generations.map((generation) => readRegression(join(folder, generation.folder)));
}

/** @throws JournalError */
function readRegression(folder: string): StoredRegression {
  const { plan, results, end } = readJournal(folder);
  return {
    folder,
    name: basename(resolve(folder)),
    plan,
    jobs: new Map(plan.jobs.map((job) => [job.id, job])),
    results: plan.jobs.flatMap(({ id }) => results.get(id) ?? []),
    end,
    known: end?.known ?? [],
  };
}

/** What history keeps of it; its coverage as its summary has it. */
export function summaryOfStored({ folder, plan, results, end }: StoredRegression): RegressionSummaryFile {
  const made = summaryOf({
    plan,
    results,
    wallMs: end?.wallMs ?? 0,
    exitCode: end?.exitCode ?? 0,
    coverage: undefined,
  });
  return { ...made, coverage: coverageIn(folder) };
}

function coverageIn(folder: string): RegressionSummaryFile['coverage'] {
  try {
    return readStoredJson(join(folder, SUMMARY_FILE), summarySchema).coverage;
  } catch (error) {
    if (whyUnread(error) === undefined) throw error;
    return null;
  }
}
