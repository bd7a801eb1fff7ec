/**
 * Which shipped test, sequence or list entry hits which bin, with the arguments that make it do so and what that costs: so
 * that nobody is told to write a sequence for a bin that the library hits.
 */

import { z } from 'zod';
import { countedBins } from './binList.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from './database.ts';
import { hitsOf } from './totals.ts';

const SHIPPED_BINS_FORMAT = 'rnic-verify shipped bins 1';

export const shippedBinsSchema = z.strictObject({
  format: z.literal(SHIPPED_BINS_FORMAT),
  runs: z.array(
    z.strictObject({
      /** Sequence, test or list entry. */
      name: z.string(),
      /** Arguments of `hca_test`. */
      line: z.string(),
      /** What it costs: events of the scheduler. */
      events: z.number().min(0),
      /** How often it hits bins, by their paths. */
      bins: z.record(z.string(), z.number().min(1)),
    }),
  ),
});

export type ShippedBins = z.infer<typeof shippedBinsSchema>;

/** What hits a bin. */
export interface ShippedHit {
  readonly name: string;
  readonly line: string;
  readonly events: number;
  readonly hits: number;
}

/** No index. */
export const NO_SHIPPED_BINS: ShippedBins = { format: SHIPPED_BINS_FORMAT, runs: [] };

/** Each bin with the cheapest run that hits it often enough, or else the one that hits it most. */
export function shippedBinsOf(database: CoverageDatabase): ShippedBins {
  const byRun = new Map<CoverageRun, Record<string, number>>();
  const runs = database.runs.filter(({ passed }) => passed).toSorted((a, b) => a.events - b.events);
  for (const { path, group, item, number } of countedBins(database)) {
    const ref = groupRef(group);
    const hitting = runs.filter(({ hits }) => ref in hits).map((run) => ({ run, hits: hitsOf(run, group, number) }));
    const enough = hitting.find(({ hits }) => hits >= item.atLeast);
    const best =
      enough ?? hitting.reduce((most, each) => (each.hits > most.hits ? each : most), { run: runs[0], hits: 0 });
    if (best.run === undefined || best.hits === 0) continue;
    const bins = byRun.get(best.run) ?? {};
    bins[path] = best.hits;
    byRun.set(best.run, bins);
  }
  const indexed = [...byRun].map(([run, bins]) => ({ name: nameOf(run), line: lineOf(run), events: run.events, bins }));
  return { format: SHIPPED_BINS_FORMAT, runs: indexed.toSorted((a, b) => (a.line < b.line ? -1 : 1)) };
}

/** @returns what hits a bin, by its path */
export function shippedHits({ runs }: ShippedBins): Map<string, ShippedHit> {
  const found = new Map<string, ShippedHit>();
  for (const { name, line, events, bins } of runs)
    for (const [path, hits] of Object.entries(bins)) found.set(path, { name, line, events, hits });
  return found;
}

function nameOf({ plusargs, test }: CoverageRun): string {
  const sequence = plusargs.find((arg) => arg.startsWith('+UVM_TEST_SEQ='));
  return sequence?.slice('+UVM_TEST_SEQ='.length) ?? test;
}

/** Without the program, and without what has it measured. */
function lineOf({ replay }: CoverageRun): string {
  return replay
    .replace(/^.*?hca_test /, '')
    .split(' ')
    .filter((word) => !/^\+COV\b/.test(word))
    .join(' ');
}
