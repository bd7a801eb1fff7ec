/** Which pages of host memory hold what a provider has opened to a NIC. */

import type { AreaItem, AreaKind } from '../../agents/verbs/memoryItems.ts';
import { TARGET } from './pcieGroups.ts';

const TARGETS: Readonly<Record<AreaKind, number>> = {
  cq: TARGET.completionQueue,
  eq: TARGET.eventQueue,
  icm: TARGET.context,
  outbox: TARGET.mailbox,
  inbox: TARGET.mailbox,
  queue: TARGET.workQueue,
  msix: TARGET.interrupt,
};

const PAGE_SHIFT = 12;

export class AreaPages {
  readonly #pages = new Map<number, number>();

  /** `TARGET` of an address. */
  of(hi: number, lo: number): number {
    return this.#pages.get(pageOf(hi, lo)) ?? TARGET.data;
  }

  open({ kind, hi, lo, length }: AreaItem): void {
    // Interrupts are known by their mark.
    if (kind === 'msix') return;
    for (let offset = 0; offset < length; offset += 1 << PAGE_SHIFT)
      this.#pages.set(pageAt(hi, lo, offset), TARGETS[kind]);
    this.#pages.set(pageAt(hi, lo, Math.max(0, length - 1)), TARGETS[kind]);
  }

  close({ kind, hi, lo, length }: AreaItem): void {
    // A page of contexts holds those of others too.
    if (kind === 'msix' || length < 1 << PAGE_SHIFT) return;
    for (let offset = 0; offset < length; offset += 1 << PAGE_SHIFT) this.#pages.delete(pageAt(hi, lo, offset));
  }
}

function pageOf(hi: number, lo: number): number {
  return (hi >>> 0) * 0x10_0000 + (lo >>> PAGE_SHIFT);
}

function pageAt(hi: number, lo: number, offset: number): number {
  return pageOf(hi, 0) + ((lo >>> 0) + offset - (((lo >>> 0) + offset) % (1 << PAGE_SHIFT))) / (1 << PAGE_SHIFT);
}
