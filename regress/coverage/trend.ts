/** Coverage of one regression after another: what has come and what has gone since the one before. */

import { countedBins } from './binList.ts';
import { type CoverageDatabase, groupRef } from './database.ts';
import type { Exclusions } from './exclusions.ts';
import { totalsOf } from './totals.ts';

/** A regression, by the name of its folder. */
export interface TrendStep {
  readonly name: string;
  readonly database: CoverageDatabase;
  readonly exclusions: Exclusions;
  /** Runs that did not pass. */
  readonly failed: number;
}

export interface TrendRow {
  readonly name: string;
  readonly runs: number;
  readonly failed: number;
  readonly bins: number;
  readonly covered: number;
  /** Bins covered that the regression before had not, and those that it had. */
  readonly gained: number;
  readonly lost: number;
  /** Processor time of its runs, s. */
  readonly seconds: number;
}

/** @param steps in their order */
export function trendOf(steps: readonly TrendStep[]): readonly TrendRow[] {
  let before: ReadonlySet<string> | undefined;
  return steps.map(({ name, database, exclusions, failed }) => {
    const totals = totalsOf(database);
    const bins = countedBins(database).filter((listed) => exclusions.ruleOf(listed) === undefined);
    const covered = new Set(
      bins
        .filter(({ group, item, number }) => (totals.get(groupRef(group))?.get(number) ?? 0) >= item.atLeast)
        .map(({ path }) => path),
    );
    const last = before ?? covered;
    before = covered;
    return {
      name,
      runs: database.runs.length,
      failed,
      bins: bins.length,
      covered: covered.size,
      gained: [...covered].filter((path) => !last.has(path)).length,
      lost: [...last].filter((path) => !covered.has(path)).length,
      seconds: database.runs.reduce((sum, { cpuMs }) => sum + cpuMs / 1000, 0),
    };
  });
}
