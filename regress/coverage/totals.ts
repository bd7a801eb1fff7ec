/** Hits of all runs together. */

import type { GroupModel } from '../../uvm/coverage/model.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from './database.ts';

/** Counts by bin of one group. */
export type GroupCounts = ReadonlyMap<number, number>;

/** By `groupRef`. */
export type Totals = ReadonlyMap<string, GroupCounts>;

export function totalsOf({ groups, runs }: CoverageDatabase): Totals {
  const totals = new Map(groups.map((group) => [groupRef(group), new Map<number, number>()]));
  for (const run of runs) {
    for (const [ref, hits] of Object.entries(run.hits)) {
      const counts = totals.get(ref);
      if (counts === undefined) continue;
      for (let i = 0; i < hits.length; i += 2) {
        const bin = hits[i] as number;
        counts.set(bin, (counts.get(bin) ?? 0) + (hits[i + 1] as number));
      }
    }
  }
  return totals;
}

/** How often a run has hit a bin of a group. */
export function hitsOf({ hits }: CoverageRun, group: GroupModel, bin: number): number {
  const list = hits[groupRef(group)] ?? [];
  for (let i = 0; i < list.length; i += 2) if (list[i] === bin) return list[i + 1] as number;
  return 0;
}
