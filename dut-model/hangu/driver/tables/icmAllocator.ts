/**
 * Which ICM pages are mapped. Pages are mapped by the address of the entry that needs them, one table at a time, and
 * in as few commands as the limit of pages per command allows.
 */

import type { IcmTable } from '../../layout/addressMap.ts';
import { ICM_ENTRY_BYTES, MAX_ICM_PAGES_PER_CHUNK, PAGE_BYTES } from '../../layout/commands.ts';

/** Pages `first` .. `first + pages - 1` of a table. */
export interface IcmChunk {
  readonly table: IcmTable;
  readonly first: number;
  readonly pages: number;
}

/** Bookkeeping of mapped pages; the commands are somebody else's. */
export class IcmAllocator {
  readonly #mapped = new Map<IcmTable, Set<number>>();

  /** Pages that hold entries `index` .. `index + count - 1` and are not mapped yet; they count as mapped from here. */
  need(table: IcmTable, index: number, count = 1): readonly IcmChunk[] {
    const first = pageOf(table, index);
    const last = pageOf(table, index + count - 1);
    const mapped = this.#table(table);
    if (first === last && mapped.has(first)) return NOTHING;
    const chunks: IcmChunk[] = [];
    for (let page = first; page <= last; ) {
      if (mapped.has(page)) {
        page++;
        continue;
      }
      const pages = this.#runOfUnmapped(mapped, page, last);
      for (let i = 0; i < pages; i++) mapped.add(page + i);
      chunks.push({ table, first: page, pages });
      page += pages;
    }
    return chunks;
  }

  /** All mapped pages as chunks, in table order; nothing is mapped from here on. */
  releaseAll(): readonly IcmChunk[] {
    const chunks: IcmChunk[] = [];
    for (const [table, mapped] of this.#mapped) {
      const pages = [...mapped].sort((a, b) => a - b);
      for (let i = 0; i < pages.length; ) {
        const first = pages[i] as number;
        let n = 1;
        while (n < MAX_ICM_PAGES_PER_CHUNK && pages[i + n] === first + n) n++;
        chunks.push({ table, first, pages: n });
        i += n;
      }
    }
    this.#mapped.clear();
    return chunks;
  }

  /** Mapped pages of all tables. */
  get pages(): number {
    let n = 0;
    for (const mapped of this.#mapped.values()) n += mapped.size;
    return n;
  }

  #runOfUnmapped(mapped: ReadonlySet<number>, from: number, last: number): number {
    let n = 1;
    while (n < MAX_ICM_PAGES_PER_CHUNK && from + n <= last && !mapped.has(from + n)) n++;
    return n;
  }

  #table(table: IcmTable): Set<number> {
    let mapped = this.#mapped.get(table);
    if (mapped === undefined) {
      mapped = new Set();
      this.#mapped.set(table, mapped);
    }
    return mapped;
  }
}

const NOTHING: readonly IcmChunk[] = [];

/** Page of a table that holds entry `index`. */
export function pageOf(table: IcmTable, index: number): number {
  return Math.floor((index * ICM_ENTRY_BYTES[table]) / PAGE_BYTES);
}
