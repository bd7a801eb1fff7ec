/**
 * Values that no bin and no step tells apart are one class. A look-up finds the class of a value: in a table where the
 * values are close together, otherwise by bisection of the few places where the class changes.
 */

import { contains, type Interval } from './intervals.ts';

/** Span of values up to which there is a table. */
const TABLE_SPAN = 1 << 13;

/** Where the class is that of values which are in no set. */
export const NO_CLASS = 0;

export class ValueClasses {
  /** Numbered from 0, which is `NO_CLASS`. */
  readonly count: number;
  /** By class: which of the sets its values are in. */
  readonly members: readonly (readonly number[])[];
  /** Least value of the table, and how many there are; 0 where the span is too large. */
  readonly low: number;
  readonly span: number;
  /** By value - low. */
  readonly table: Uint16Array;
  /** Where a class begins, ascending, and which. */
  readonly #cuts: Float64Array;
  readonly #classAt: Uint16Array;

  /** @param sets of values, in any number and overlapping as they like; @throws RangeError for more classes than 65535 */
  constructor(sets: readonly (readonly Interval[])[]) {
    const cuts = [...new Set(sets.flat().flatMap(([low, high]) => [low, high + 1]))].sort((a, b) => a - b);
    const { classAt, members } = classify(sets, cuts);
    this.members = members;
    this.count = members.length;
    if (this.count > 0xffff) throw new RangeError(`the bins tell ${this.count} classes of values apart; use fewer`);
    this.#cuts = Float64Array.from(cuts);
    this.#classAt = Uint16Array.from(classAt);
    this.low = cuts[0] ?? 0;
    const span = (cuts.at(-1) ?? 0) - this.low;
    const small = span <= TABLE_SPAN;
    this.span = small ? span : 0;
    this.table = new Uint16Array(this.span);
    if (!small) return;
    for (const [i, cut] of cuts.entries()) {
      this.table.fill(classAt[i] as number, cut - this.low, (cuts[i + 1] ?? cut) - this.low);
    }
  }

  /** @param value what is no whole number counts as what it is above */
  of(value: number): number {
    const at = value - this.low;
    if (at >= 0 && at < this.span) return this.table[at | 0] as number;
    return this.span > 0 ? NO_CLASS : this.#search(value);
  }

  #search(value: number): number {
    const cuts = this.#cuts;
    let from = 0;
    let to = cuts.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((cuts[middle] as number) <= value) from = middle + 1;
      else to = middle;
    }
    return from === 0 ? NO_CLASS : (this.#classAt[from - 1] as number);
  }
}

function classify(
  sets: readonly (readonly Interval[])[],
  cuts: readonly number[],
): { readonly classAt: readonly number[]; readonly members: readonly (readonly number[])[] } {
  const members: number[][] = [[]];
  const known = new Map<string, number>([['', NO_CLASS]]);
  const classAt = cuts.map((cut) => {
    const inside = sets.flatMap((set, i) => (contains(set, cut) ? [i] : []));
    const key = inside.join();
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, members.length);
    members.push(inside);
    return members.length - 1;
  });
  return { classAt, members };
}
