/** Failures of a regression against those of an earlier one, by signature. */

import { type FailureGroup, failureGroups } from '../report/failureGroups.ts';
import type { JobResult } from '../job.ts';

export type Change = 'new' | 'still' | 'gone';

/** A signature that fails in one of two regressions, or in both. */
export interface ComparedSignature {
  readonly change: Change;
  /** Of the later regression; of one that is gone, of the earlier. */
  readonly group: FailureGroup;
  /** Runs in the earlier and in the later one. */
  readonly before: number;
  readonly now: number;
}

/** A run that both have, and that passed in one of them alone. */
export interface ChangedRun {
  readonly id: string;
  readonly before: JobResult['status'];
  readonly now: JobResult['status'];
}

export interface Comparison {
  /** New ones first, then those that still fail, then those that are gone. */
  readonly signatures: readonly ComparedSignature[];
  readonly runs: readonly ChangedRun[];
}

export function compareRegressions(base: readonly JobResult[], now: readonly JobResult[]): Comparison {
  const earlier = new Map(failureGroups(base).map((group) => [keyOf(group), group]));
  const later = new Map(failureGroups(now).map((group) => [keyOf(group), group]));
  const of = (change: Change, group: FailureGroup): ComparedSignature => ({
    change,
    group,
    before: earlier.get(keyOf(group))?.count ?? 0,
    now: later.get(keyOf(group))?.count ?? 0,
  });
  const present = [...later.values()];
  const signatures = [
    ...present.filter((group) => !earlier.has(keyOf(group))).map((group) => of('new', group)),
    ...present.filter((group) => earlier.has(keyOf(group))).map((group) => of('still', group)),
    ...[...earlier.values()].filter((group) => !later.has(keyOf(group))).map((group) => of('gone', group)),
  ];
  const before = new Map(base.map((result) => [result.id, result.status]));
  const runs = now.flatMap(({ id, status }) => {
    const was = before.get(id);
    return was === undefined || (was === 'passed') === (status === 'passed') ? [] : [{ id, before: was, now: status }];
  });
  return { signatures, runs };
}

/** What a signature is, whatever runs have it. */
export function keyOf({ id, text }: Pick<FailureGroup, 'id' | 'text'>): string {
  return `[${id}] ${text}`;
}
