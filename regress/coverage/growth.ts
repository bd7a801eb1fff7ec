/** How coverage grew in a regression, run by run in the order in which they were begun. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isClosure, readClosureLog } from '../closure/closureLog.ts';
import { interleave } from '../interleave.ts';
import { JournalError, readJournal } from '../readJournal.ts';
import { countedBins } from './binList.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from './database.ts';
import type { Exclusions } from './exclusions.ts';

export interface GrowthPoint {
  readonly runs: number;
  /** Processor time of the runs so far. */
  readonly seconds: number;
  /** Percent of bins. */
  readonly percent: number;
}

/** One curve. */
export interface Growth {
  readonly name: string;
  readonly points: readonly GrowthPoint[];
}

/**
 * @param database of the regression, with the runs that count
 * @param all whose bins are 100 %: of several regressions that are compared those of all
 * @param order names of its runs
 */
export function growthOf(
  name: string,
  database: CoverageDatabase,
  all: CoverageDatabase,
  order: readonly string[],
  exclusions: Exclusions,
): Growth {
  const counts = new Map<string, Map<number, { left: number }>>();
  let bins = 0;
  for (const listed of countedBins(all)) {
    if (exclusions.ruleOf(listed) !== undefined) continue;
    bins++;
    const ref = groupRef(listed.group);
    const group = counts.get(ref) ?? new Map<number, { left: number }>();
    counts.set(ref, group);
    group.set(listed.number, { left: listed.item.atLeast });
  }
  let covered = 0;
  let seconds = 0;
  const points: GrowthPoint[] = [{ runs: 0, seconds: 0, percent: 0 }];
  for (const [i, run] of inOrder(database.runs, order).entries()) {
    for (const [ref, hits] of Object.entries(run.hits)) {
      const group = counts.get(ref);
      for (let k = 0; group !== undefined && k < hits.length; k += 2) {
        const bin = group.get(hits[k] as number);
        if (bin === undefined || bin.left <= 0) continue;
        bin.left -= hits[k + 1] as number;
        if (bin.left <= 0) covered++;
      }
    }
    seconds += run.cpuMs / 1000;
    points.push({ runs: i + 1, seconds, percent: bins === 0 ? 100 : (100 * covered) / bins });
  }
  return { name, points };
}

function inOrder(runs: readonly CoverageRun[], order: readonly string[]): readonly CoverageRun[] {
  const place = new Map(order.map((name, i) => [name, i]));
  const at = ({ name }: CoverageRun): number => place.get(name) ?? order.length;
  return [...runs].sort((a, b) => at(a) - at(b) || (a.name < b.name ? -1 : 1));
}

/**
 * Names of the runs of a regression, or of the generations of a closure, in the order in which they are begun; empty where
 * the folder has no journal.
 * @throws JournalError for one that cannot be read
 */
export function runOrder(folder: string): readonly string[] {
  if (isClosure(folder)) {
    const log = readClosureLog(folder);
    if (typeof log === 'string') throw new JournalError(log);
    return log.generations.flatMap((generation) => journalOrder(join(folder, generation.folder)));
  }
  return existsSync(join(folder, 'runs.jsonl')) ? journalOrder(folder) : [];
}

function journalOrder(folder: string): readonly string[] {
  return interleave(readJournal(folder).plan.jobs).map(({ id }) => id);
}
