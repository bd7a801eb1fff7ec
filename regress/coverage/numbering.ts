/** The numbers of bins in a store: those of all groups in the order in which lines name them. */

import { binCount, type GroupModel, type SparseHits } from '../../uvm/coverage/model.ts';
import { groupRef } from './database.ts';

export class BinNumbering {
  readonly #firsts = new Map<string, number>();
  readonly #refs: { readonly ref: string; readonly first: number; readonly end: number }[] = [];
  #end = 0;

  /** Bins that have a number. */
  get count(): number {
    return this.#end;
  }

  knows(group: GroupModel): boolean {
    return this.#firsts.has(groupRef(group));
  }

  add(group: GroupModel): void {
    const ref = groupRef(group);
    const first = this.#end;
    this.#end += binCount(group);
    this.#firsts.set(ref, first);
    this.#refs.push({ ref, first, end: this.#end });
  }

  /** Hits of all groups as one list in ascending order. */
  flat(hits: Readonly<Record<string, SparseHits>>): readonly number[] {
    const ordered = Object.entries(hits)
      .map(([ref, list]) => ({ first: this.#firsts.get(ref) as number, list }))
      .sort((a, b) => a.first - b.first);
    return ordered.flatMap(({ first, list }) => list.map((value, i) => (i % 2 === 0 ? first + value : value)));
  }

  /** The reverse; groups without hits have an empty list. */
  byGroup(flat: readonly number[]): Readonly<Record<string, SparseHits>> {
    const hits: Record<string, number[]> = {};
    let at = 0;
    for (const { ref, first, end } of this.#refs) {
      const list: number[] = [];
      for (; at < flat.length && (flat[at] as number) < end; at += 2) {
        list.push((flat[at] as number) - first, flat[at + 1] as number);
      }
      hits[ref] = list;
    }
    return hits;
  }
}
