/**
 * The pages of a host that its NIC has been told of, and so may read: queues, ICM pages and mailboxes, and every page
 * that a registered region touches. Kept by page, as that is what a NIC translates by: it may read ahead within one.
 */

import type { ReadablePages } from '../../agents/pcie/readablePages.ts';
import type { MrInfo } from '../../agents/verbs/verbsItems.ts';
import type { AddressMap } from './addressMap.ts';
import type { AreaItem } from '../../agents/verbs/memoryItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import { RegionPages } from './regionPages.ts';

const PAGE = 4096;
const PAGE_SHIFT = 12;
/** Pages of a block, a bit each. */
const BLOCK_SHIFT = 4;
const BLOCK_PAGES = 1 << BLOCK_SHIFT;
/** Pages under one upper half of an address. */
const PAGES_PER_HI = 1 << 20;
/** Slots of the memory of pages found readable, at first and at most: powers of two. */
const FIRST_SLOTS = 1 << 10;
const MOST_SLOTS = 1 << 15;
/** What is added for each time that something was unmapped, above the bits of a page + 1. */
const ERA = 1 << 21;

export class MappedPages implements ReadablePages, VerbsObserver {
  readonly #map: AddressMap;
  /** By upper half of the physical address, then by block: pages of it that an area touches, a bit each. */
  readonly #areas = new Map<number, Map<number, number>>();
  /** By page, for pages that several areas touch: how many more than one. */
  readonly #shared = new Map<number, number>();
  /** Virtual pages of regions. */
  readonly #regions = new RegionPages();
  /** Pages found readable since something was unmapped: upper half, and page + 1 (0 = nothing) with the era, by hash. */
  #found = new Int32Array(2 * FIRST_SLOTS);
  #noted = 0;
  /** Mailboxes are unmapped all the time: what was found before counts no more when this changes. */
  #era = 0;

  constructor(map: AddressMap) {
    this.#map = map;
  }

  areaOpened(area: AreaItem): void {
    this.#area(area, true);
  }

  areaClosed(area: AreaItem): void {
    this.#area(area, false);
  }

  mrRegistered(info: MrInfo): void {
    this.#region(info, true);
  }

  mrDeregistered(info: MrInfo): void {
    this.#region(info, false);
  }

  readable(hi: number, page: number): boolean {
    const found = this.#found;
    const at = slotOf(hi, page, found.length);
    if (found[at + 1] === (this.#era | (page + 1)) && found[at] === hi) return true;
    return this.#lookUp(hi, page);
  }

  #lookUp(hi: number, page: number): boolean {
    if (!this.#inArea(hi, page) && !this.#inRegion(hi, page)) return false;
    if (++this.#noted > this.#found.length && this.#found.length < 2 * MOST_SLOTS) {
      this.#found = new Int32Array(2 * this.#found.length);
      this.#noted = 1;
    }
    const at = slotOf(hi, page, this.#found.length);
    this.#found[at] = hi;
    this.#found[at + 1] = this.#era | (page + 1);
    return true;
  }

  #inArea(hi: number, page: number): boolean {
    return ((this.#areas.get(hi)?.get(page >> BLOCK_SHIFT) ?? 0) & bitOf(page)) !== 0;
  }

  #inRegion(hi: number, page: number): boolean {
    this.#map.reverse(hi, page << PAGE_SHIFT);
    const { process, virtHi, virtLo } = this.#map;
    return this.#regions.holds(process, virtHi, virtLo >>> PAGE_SHIFT);
  }

  #area({ hi, lo, length }: AreaItem, allowed: boolean): void {
    const end = Math.ceil(((lo >>> 0) + length) / PAGE);
    for (let n = lo >>> PAGE_SHIFT; n < end; n++) {
      const upper = hi + Math.floor(n / PAGES_PER_HI);
      if (allowed) this.#touch(upper, n % PAGES_PER_HI);
      else this.#leave(upper, n % PAGES_PER_HI);
    }
    if (!allowed) this.#unmapped();
  }

  /** One more area touches a page. */
  #touch(hi: number, page: number): void {
    let blocks = this.#areas.get(hi);
    if (blocks === undefined) {
      blocks = new Map();
      this.#areas.set(hi, blocks);
    }
    const block = page >> BLOCK_SHIFT;
    const pages = blocks.get(block) ?? 0;
    const shared = hi * PAGES_PER_HI + page;
    if ((pages & bitOf(page)) !== 0) this.#shared.set(shared, (this.#shared.get(shared) ?? 0) + 1);
    else blocks.set(block, pages | bitOf(page));
  }

  /** One area touches a page no more; of one that none touches nothing is left to be undone. */
  #leave(hi: number, page: number): void {
    const shared = hi * PAGES_PER_HI + page;
    const others = this.#shared.get(shared) ?? 0;
    if (others > 1) this.#shared.set(shared, others - 1);
    else if (others === 1) this.#shared.delete(shared);
    else this.#clear(hi, page);
  }

  #clear(hi: number, page: number): void {
    const blocks = this.#areas.get(hi);
    const block = page >> BLOCK_SHIFT;
    const pages = (blocks?.get(block) ?? 0) & ~bitOf(page);
    if (pages !== 0) blocks?.set(block, pages);
    else blocks?.delete(block);
  }

  #region(info: MrInfo, known: boolean): void {
    // As the way back from a physical address will find it.
    this.#map.translate(info.process, info.hi, info.lo);
    this.#map.reverse(this.#map.physHi, this.#map.physLo);
    const { process } = this.#map;
    const first = info.lo >>> PAGE_SHIFT;
    const end = Math.ceil(((info.lo >>> 0) + info.length) / PAGE);
    for (let from = 0, hi = this.#map.virtHi; from < end; from += PAGES_PER_HI, hi++) {
      const page = Math.max(0, first - from);
      if (known) this.#regions.add(process, hi, page, end - from);
      else this.#regions.remove(process, hi, page, end - from);
    }
    if (!known) this.#unmapped();
  }

  #unmapped(): void {
    if (this.#noted === 0) return;
    this.#noted = 0;
    this.#era = (this.#era + ERA) | 0;
    if (this.#era === 0) this.#found.fill(0);
  }
}

/** Of a page: its bit in the block that it belongs to. */
function bitOf(page: number): number {
  return 1 << (page & (BLOCK_PAGES - 1));
}

/** Where a page has its slot in an array of that many words. */
function slotOf(hi: number, page: number, words: number): number {
  const h = Math.imul(page ^ Math.imul(hi, 0x9e37_79b1), 0x85eb_ca6b);
  return (h ^ (h >>> 15)) & (words - 2);
}
