/** Which runs have hit which bins, and what is still open: what closure learns from. */

import { countedBins, type ListedBin } from '../coverage/binList.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from '../coverage/database.ts';
import type { Exclusions } from '../coverage/exclusions.ts';

/** A run and how near it came to what is open. */
export interface ScoredRun {
  readonly run: CoverageRun;
  readonly score: number;
}

export class HitIndex {
  readonly runs: readonly CoverageRun[];
  readonly holes: readonly ListedBin[];
  /** By group and bin: places in `runs`. */
  readonly #hitBy = new Map<string, Map<number, number[]>>();
  readonly #runAt: ReadonlyMap<string, number>;

  /** @param database with the runs that count, in any order */
  constructor(database: CoverageDatabase, exclusions: Exclusions) {
    // By name, which tells generation and place: the order of the plan.
    this.runs = [...database.runs].sort((a, b) => (a.name < b.name ? -1 : 1));
    this.#runAt = new Map(this.runs.map(({ id }, i) => [id, i]));
    for (const run of this.runs) this.#add(run);
    this.holes = countedBins(database).filter((listed) => this.#isOpen(listed, exclusions));
  }

  /** Runs that have hit a bin, by place. */
  runsOf(group: ListedBin['group'], bin: number): readonly number[] {
    return this.#hitBy.get(groupRef(group))?.get(bin) ?? [];
  }

  /**
   * How near each run came to what is open: each bin that it has hit in an item with holes counts the more, the fewer
   * runs have hit it and the more of the item is open.
   */
  nearness(): readonly ScoredRun[] {
    const scores = new Float64Array(this.runs.length);
    for (const { group, first, bins, open } of this.#openItems()) {
      for (let bin = first; bin < first + bins; bin++) {
        const hitters = this.runsOf(group, bin);
        for (const run of hitters) scores[run] = (scores[run] as number) + open / bins / hitters.length;
      }
    }
    return this.runs.map((run, i) => ({ run, score: scores[i] as number }));
  }

  /**
   * Runs that have hit most of what surrounds a hole: of a cross the bins that it combines, else the bins beside it. The
   * nearest first, of equal ones the cheapest.
   * @param most runs that are wanted
   */
  nearest({ group, item, bin, number }: ListedBin, most: number): readonly CoverageRun[] {
    const first = firstOf(group, item.name);
    const around =
      bin.at === undefined
        ? [number - 1, number + 1].filter((n) => n >= first && n < first + item.bins.length)
        : (item.of ?? []).map((name, i) => firstOf(group, name) + (bin.at?.[0]?.[i] as number));
    const counts = new Map<number, number>();
    for (const n of around) for (const run of this.runsOf(group, n)) counts.set(run, (counts.get(run) ?? 0) + 1);
    return [...counts]
      .sort(([a, x], [b, y]) => y - x || this.#events(a) - this.#events(b) || a - b)
      .slice(0, most)
      .map(([run]) => this.runs[run] as CoverageRun);
  }

  #events(run: number): number {
    return (this.runs[run] as CoverageRun).events;
  }

  #add({ id, hits }: CoverageRun): void {
    const place = this.#runAt.get(id) as number;
    for (const [ref, list] of Object.entries(hits)) {
      const bins = this.#hitBy.get(ref) ?? new Map<number, number[]>();
      this.#hitBy.set(ref, bins);
      for (let i = 0; i < list.length; i += 2) {
        const bin = list[i] as number;
        const runs = bins.get(bin);
        if (runs === undefined) bins.set(bin, [place]);
        else runs.push(place);
      }
    }
  }

  #isOpen(listed: ListedBin, exclusions: Exclusions): boolean {
    if (exclusions.ruleOf(listed) !== undefined) return false;
    const { group, item, number } = listed;
    const hitters = this.runsOf(group, number);
    // Hits of one run may be many; where one is enough nobody has to count them.
    if (item.atLeast === 1) return hitters.length === 0;
    const ref = groupRef(group);
    const hits = hitters.reduce(
      (sum, run) => sum + countOf((this.runs[run] as CoverageRun).hits[ref] ?? [], number),
      0,
    );
    return hits < item.atLeast;
  }

  #openItems(): readonly OpenItem[] {
    const items = new Map<string, OpenItem>();
    for (const { group, item } of this.holes) {
      const key = `${groupRef(group)} ${item.name}`;
      const found = items.get(key);
      if (found !== undefined) found.open++;
      else items.set(key, { group, first: firstOf(group, item.name), bins: item.bins.length, open: 1 });
    }
    return [...items.values()];
  }
}

interface OpenItem {
  readonly group: ListedBin['group'];
  /** Number of its first bin in the group, and how many it has. */
  readonly first: number;
  readonly bins: number;
  open: number;
}

function countOf(hits: readonly number[], bin: number): number {
  for (let i = 0; i < hits.length; i += 2) if (hits[i] === bin) return hits[i + 1] as number;
  return 0;
}

function firstOf({ items }: ListedBin['group'], name: string): number {
  let first = 0;
  for (const item of items) {
    if (item.name === name) break;
    first += item.bins.length;
  }
  return first;
}
