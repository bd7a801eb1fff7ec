/** How much is covered (IEEE 1800-2017 19.11): bins of an item, weighted means of items, groups and totals. */

import { binCount, type GroupModel, type ItemModel } from './model.ts';

export interface Coverage {
  /** Bins that are to be covered. */
  readonly bins: number;
  /** Of those, bins with enough hits. */
  readonly covered: number;
  /** Weighted mean in percent; 100 where there is nothing to cover. */
  readonly percent: number;
}

/** Tells how often a bin of a group was hit. */
export interface Counts {
  get(bin: number): number | undefined;
}

/** Tells which bins of a group are not to be covered, though they could be. */
export interface Excluded {
  has(bin: number): boolean;
}

const NONE: Excluded = new Set<number>();

/** @param first number of the first bin of the item in its group */
export function itemCoverage(item: ItemModel, first: number, counts: Counts, excluded = NONE): Coverage {
  let bins = 0;
  let covered = 0;
  for (const [i, { kind }] of item.bins.entries()) {
    if (kind !== 'bins' || excluded.has(first + i)) continue;
    bins++;
    if ((counts.get(first + i) ?? 0) >= item.atLeast) covered++;
  }
  return { bins, covered, percent: percentOf(covered, bins) };
}

/** The weighted mean of the items that have something to cover. */
export function groupCoverage(group: GroupModel, counts: Counts, excluded = NONE): Coverage {
  let first = 0;
  const items = group.items.map((item) => {
    const coverage = itemCoverage(item, first, counts, excluded);
    first += item.bins.length;
    return { weight: item.weight, coverage };
  });
  return meanOf(items);
}

/** The weighted mean of parts, and the sums of their bins. Parts without bins do not count. */
export function meanOf(parts: readonly { readonly weight: number; readonly coverage: Coverage }[]): Coverage {
  const full = parts.filter(({ coverage }) => coverage.bins > 0);
  const weight = full.reduce((sum, part) => sum + part.weight, 0);
  const weighted = full.reduce((sum, part) => sum + part.weight * part.coverage.percent, 0);
  const bins = full.reduce((sum, { coverage }) => sum + coverage.bins, 0);
  const covered = full.reduce((sum, { coverage }) => sum + coverage.covered, 0);
  return { bins, covered, percent: weight === 0 ? 100 : weighted / weight };
}

/** Bins covered of bins, in percent: what gates count. */
export function percentOf(covered: number, bins: number): number {
  return bins === 0 ? 100 : (100 * covered) / bins;
}

/** The item that a bin belongs to, and its place there. */
export function binAt(group: GroupModel, bin: number): { readonly item: ItemModel; readonly index: number } {
  let index = bin;
  for (const item of group.items) {
    if (index < item.bins.length) return { item, index };
    index -= item.bins.length;
  }
  throw new RangeError(`${group.name} has ${binCount(group)} bins, and no bin ${bin}`);
}
