/** Which runs have hit a bin. */

import { binsOf, binsOfGroup, type ListedBin, matching } from './binList.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from './database.ts';
import { hitsOf } from './totals.ts';

export interface Attribution {
  readonly path: string;
  readonly hits: number;
  /** The cheapest first. */
  readonly runs: readonly { readonly run: CoverageRun; readonly hits: number }[];
}

/** @param pattern of bins, items or groups */
export function attributionOf(database: CoverageDatabase, pattern: string): readonly Attribution[] {
  return matching(binsOf(database), pattern).map((listed) => {
    const runs = runsThatHit(listed, database.runs);
    return { path: listed.path, hits: runs.reduce((sum, { hits }) => sum + hits, 0), runs };
  });
}

/** The cheapest run that has hit each bin, by the paths of the bins; none for those that nothing has hit. */
export function cheapestRuns({ groups, runs }: CoverageDatabase): Map<string, CoverageRun> {
  const paths = new Map(groups.map((group) => [groupRef(group), binsOfGroup(group).map(({ path }) => path)]));
  const found = new Map<string, CoverageRun>();
  for (const run of runs.toSorted((a, b) => a.events - b.events)) {
    for (const [ref, hits] of Object.entries(run.hits)) {
      const names = paths.get(ref) ?? [];
      for (let i = 0; i < hits.length; i += 2) {
        const path = names[hits[i] as number];
        if (path !== undefined && !found.has(path)) found.set(path, run);
      }
    }
  }
  return found;
}

/** The cheapest first; of equal cost in the order of the database. */
export function runsThatHit(
  { group, number }: ListedBin,
  runs: readonly CoverageRun[],
): readonly { readonly run: CoverageRun; readonly hits: number }[] {
  const ref = groupRef(group);
  return runs
    .filter((run) => run.hits[ref] !== undefined)
    .map((run) => ({ run, hits: hitsOf(run, group, number) }))
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => a.run.events - b.run.events);
}
