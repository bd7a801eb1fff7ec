/** The bins that runs are ranked by: those that all of them together cover. */

import { countedBins } from './binList.ts';
import { type CoverageDatabase, type CoverageRun, groupRef } from './database.ts';
import type { Exclusions } from './exclusions.ts';
import { totalsOf } from './totals.ts';

export class Targets {
  /** Hits that each target needs. */
  readonly needed: Float64Array;
  /** By group and bin: number of the target. */
  readonly #numbers = new Map<string, Map<number, number>>();

  constructor(database: CoverageDatabase, exclusions: Exclusions) {
    const totals = totalsOf(database);
    const needed: number[] = [];
    for (const listed of countedBins(database)) {
      const { group, item, number } = listed;
      const ref = groupRef(group);
      if ((totals.get(ref)?.get(number) ?? 0) < item.atLeast || exclusions.ruleOf(listed) !== undefined) continue;
      const numbers = this.#numbers.get(ref) ?? new Map<number, number>();
      numbers.set(number, needed.length);
      this.#numbers.set(ref, numbers);
      needed.push(item.atLeast);
    }
    this.needed = Float64Array.from(needed);
  }

  /** What a run has of them: target, count, target, count … */
  of({ hits }: CoverageRun): Float64Array {
    const found: number[] = [];
    for (const [ref, list] of Object.entries(hits)) {
      const numbers = this.#numbers.get(ref);
      if (numbers === undefined) continue;
      for (let i = 0; i < list.length; i += 2) {
        const target = numbers.get(list[i] as number);
        if (target !== undefined) found.push(target, list[i + 1] as number);
      }
    }
    return Float64Array.from(found);
  }
}
