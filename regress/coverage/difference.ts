/** What one database covers and another does not: what a new sequence adds, what a change has lost. */

import { groupKey } from '../../uvm/coverage/model.ts';
import { runsThatHit } from './attribution.ts';
import { countedBins, type ListedBin } from './binList.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from './database.ts';
import { totalsOf } from './totals.ts';

export interface ChangedBin {
  readonly path: string;
  readonly hits: number;
  /** The cheapest run that has hit it. */
  readonly by: CoverageRun | undefined;
}

export interface CoverageDifference {
  /** Covered here and not there. */
  readonly gained: readonly ChangedBin[];
  /** Covered there and not here. */
  readonly lost: readonly ChangedBin[];
  /** Groups that only one of the two has, or that have other bins there. */
  readonly onlyHere: readonly string[];
  readonly onlyThere: readonly string[];
}

/** @param there the database to compare with */
export function differenceOf(here: CoverageDatabase, there: CoverageDatabase): CoverageDifference {
  const refsThere = new Set(there.groups.map(groupRef));
  const refsHere = new Set(here.groups.map(groupRef));
  const keysOnly = (of: CoverageDatabase, other: ReadonlySet<string>): readonly string[] =>
    of.groups.filter((group) => group.instance === undefined && !other.has(groupRef(group))).map(groupKey);
  return {
    gained: coveredOnlyIn(here, there),
    lost: coveredOnlyIn(there, here),
    onlyHere: keysOnly(here, refsThere),
    onlyThere: keysOnly(there, refsHere),
  };
}

function coveredOnlyIn(one: CoverageDatabase, other: CoverageDatabase): readonly ChangedBin[] {
  const before = coveredPaths(other);
  const totals = totalsOf(one);
  const hits = ({ group, number }: ListedBin): number => totals.get(groupRef(group))?.get(number) ?? 0;
  return countedBins(one)
    .filter((listed) => hits(listed) >= listed.item.atLeast && !before.has(listed.path))
    .map((listed) => ({ path: listed.path, hits: hits(listed), by: runsThatHit(listed, one.runs)[0]?.run }));
}

function coveredPaths(database: CoverageDatabase): ReadonlySet<string> {
  const totals = totalsOf(database);
  const covered = countedBins(database).filter(
    ({ group, item, number }) => (totals.get(groupRef(group))?.get(number) ?? 0) >= item.atLeast,
  );
  return new Set(covered.map(({ path }) => path));
}
