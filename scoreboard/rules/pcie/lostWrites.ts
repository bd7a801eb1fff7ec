/**
 * Posted writes that a fault rule of PCIe has poisoned on their way: they never reach memory, and no NIC can know. What their
 * ranges hold afterwards nobody can say, for who had been posted by then; what is posted later is judged as ever.
 */

import type { FailedAccess } from '../../../agents/pcie/faults/failedAccess.ts';
import type { DataPages } from '../../memory/dataPages.ts';
import { PAGE_MASK, PAGE_SHIFT, type ScoreboardMemory } from '../../memory/scoreboardMemory.ts';

/** Bytes [from, to) of a page of data, and when they were lost, ps. */
interface LostRange {
  readonly page: number;
  readonly from: number;
  readonly to: number;
  readonly time: number;
}

export class LostWrites {
  readonly #memory: ScoreboardMemory;
  readonly #pages: DataPages;
  readonly #ranges: LostRange[] = [];

  constructor(memory: ScoreboardMemory, pages: DataPages) {
    this.#memory = memory;
    this.#pages = pages;
  }

  /** Whether there are any. */
  get any(): boolean {
    return this.#ranges.length > 0;
  }

  /** A write of data never reaches memory. Its range lies in one page. */
  add({ host, hi, lo, length, time }: FailedAccess): void {
    const memory = this.#memory;
    memory.reverse(host, hi, lo);
    const { process, virtHi, virtLo } = memory;
    if (process < 0) return;
    const page = this.#pages.at(host, process, virtHi, virtLo >>> PAGE_SHIFT);
    const from = virtLo & PAGE_MASK;
    this.#ranges.push({ page, from, to: from + length, time });
  }

  /** Whether any byte of [from, to) of a page was lost since `postedAt` (ps). */
  touch(page: number, from: number, to: number, postedAt: number): boolean {
    return this.#ranges.some((r) => r.page === page && r.from < to && r.to > from && r.time >= postedAt);
  }
}
