/** Which pages of host memory hold what a provider has opened to a NIC. */

import type { AreaItem, AreaKind } from '../../agents/verbs/memoryItems.ts';
import { TARGET } from './pcieGroups.ts';

const TARGETS: Readonly<Record<AreaKind, number>> = {
  cq: TARGET.completionQueue,
  eq: TARGET.eventQueue,
  icm: TARGET.context,
  aq: TARGET.context,
  outbox: TARGET.mailbox,
  inbox: TARGET.mailbox,
  queue: TARGET.workQueue,
  msix: TARGET.interrupt,
};

const PAGE_SHIFT = 12;
const PAGE = 1 << PAGE_SHIFT;
const FIRST_SLOTS = 1 << 12;
const GOLDEN = 0x9e3779b1;

/** A table with open addressing: it is asked for every transaction. Pages that are closed become data again. */
export class AreaPages {
  #slots = FIRST_SLOTS;
  #his = new Int32Array(FIRST_SLOTS);
  #pages = new Int32Array(FIRST_SLOTS);
  /** `TARGET` and 1; 0 where the slot is free. */
  #targets = new Uint8Array(FIRST_SLOTS);
  #used = 0;

  /** `TARGET` of an address. */
  of(hi: number, lo: number): number {
    const target = this.#targets[this.#slot(hi, lo >>> PAGE_SHIFT)] as number;
    return target === 0 ? TARGET.data : target - 1;
  }

  open({ kind, hi, lo, length }: AreaItem): void {
    // Interrupts are known by their mark.
    if (kind !== 'msix') this.#set(hi, lo, length, TARGETS[kind]);
  }

  close({ kind, hi, lo, length }: AreaItem): void {
    // A page of contexts holds those of others too.
    if (kind !== 'msix' && length >= PAGE) this.#set(hi, lo, length, TARGET.data);
  }

  #set(hi: number, lo: number, length: number, target: number): void {
    const first = lo >>> PAGE_SHIFT;
    const last = Math.floor(((lo >>> 0) + Math.max(length, 1) - 1) / PAGE);
    for (let page = first; page <= last; page++) {
      // Pages beyond 4 GiB belong to the next upper half.
      const over = page >= 2 ** 20 ? 1 : 0;
      this.#put((hi + over) | 0, page - over * 2 ** 20, target + 1);
    }
  }

  #put(hi: number, page: number, target: number): void {
    const slot = this.#slot(hi, page);
    if (this.#targets[slot] === 0) this.#used++;
    this.#his[slot] = hi;
    this.#pages[slot] = page;
    this.#targets[slot] = target;
    if (2 * this.#used > this.#slots) this.#grow();
  }

  /** Where a page is, or may be put. */
  #slot(hi: number, page: number): number {
    const mask = this.#slots - 1;
    const his = this.#his;
    const pages = this.#pages;
    const targets = this.#targets;
    let slot = (Math.imul(page ^ Math.imul(hi, 0x85ebca6b), GOLDEN) >>> 8) & mask;
    while (targets[slot] !== 0 && (pages[slot] !== page || his[slot] !== hi)) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [his, pages, targets] = [this.#his, this.#pages, this.#targets];
    this.#slots *= 2;
    this.#his = new Int32Array(this.#slots);
    this.#pages = new Int32Array(this.#slots);
    this.#targets = new Uint8Array(this.#slots);
    this.#used = 0;
    for (const [slot, target] of targets.entries()) {
      if (target !== 0) this.#put(his[slot] as number, pages[slot] as number, target);
    }
  }
}
