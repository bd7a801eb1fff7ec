/**
 * Memory that the NIC may write although no work request names it: completion and event queues, ICM pages, the
 * outbox, MSI-X addresses; and work queues, which it may only read. Found by physical page.
 */

import type { AreaKind } from './scoreboardMemory.ts';
import { PAGE_BYTES, PAGE_MASK, PAGE_SHIFT } from './scoreboardMemory.ts';

/** Bytes of a completion queue entry. */
export const CQE_SIZE = 32;

/** One physically contiguous area, as asked for. */
export interface AreaRequest {
  readonly host: number;
  readonly kind: AreaKind;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  /** Offset of the piece in its queue. */
  readonly offset: number;
}

/** One physically contiguous allowed area. */
export class Area implements AreaRequest {
  readonly host: number;
  readonly kind: AreaKind;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  readonly offset: number;
  /** Completion queue that the area is a piece of, for `ringId`; 0 for other areas. */
  readonly ring: number;

  constructor(a: AreaRequest, ring: number) {
    this.host = a.host;
    this.kind = a.kind;
    this.hi = a.hi;
    this.lo = a.lo;
    this.length = a.length;
    this.offset = a.offset;
    this.ring = ring;
  }
}

/** Most pages of an area that get entries of their own; larger areas are searched one by one. */
const MAX_PAGES = 1 << 16;
const STRIDE = 4;
const RING_STRIDE = 4;
/** Last page below 4 GiB. */
const TOP_PAGE = (1 << 20) - 1;

export class ControlAreas {
  /** Open-addressing hash: host, upper half, page, index into `#lists` + 1. */
  #slots = new Int32Array(1024 * STRIDE);
  #used = 0;
  readonly #lists: Area[][] = [];
  readonly #large: Area[] = [];
  /** By completion queue, whose pieces may lie on several pages: offset of the next entry, size in bytes, number. */
  #rings = new Int32Array(64 * RING_STRIDE);
  #ringCount = 1;
  readonly #ringByKey = new Map<number, number>();

  /** Opens an area. Pieces with the same kind and `id` >= 0 form one queue of `ringBytes` bytes. */
  allow(area: AreaRequest, id: number, ringBytes: number): void {
    const full = new Area(area, area.kind === 'cq' ? this.#ring(area.host, id, ringBytes) : 0);
    const pages = pageCount(area.lo, area.length);
    if (pages > MAX_PAGES) {
      this.#large.push(full);
      return;
    }
    let hi = area.hi;
    let page = area.lo >>> PAGE_SHIFT;
    for (let i = 0; i < pages; i++) {
      this.#list(area.host, hi, page).push(full);
      if (page++ === TOP_PAGE) {
        page = 0;
        hi = (hi + 1) | 0;
      }
    }
  }

  /** Closes every area that overlaps the range. The pages stay known as control pages. */
  forbid(host: number, hi: number, lo: number, length: number): void {
    const pages = Math.min(pageCount(lo, length), MAX_PAGES);
    let upper = hi;
    let page = lo >>> PAGE_SHIFT;
    for (let i = 0; i < pages; i++) {
      const list = this.listOf(host, upper, page);
      if (list > 0) this.#close(this.#lists[list - 1] as Area[], host, hi, lo, length);
      if (page++ === TOP_PAGE) {
        page = 0;
        upper = (upper + 1) | 0;
      }
    }
    this.#close(this.#large, host, hi, lo, length);
  }

  /** Offset in a completion queue at which the next entry is expected. */
  ringNext(ring: number): number {
    return this.#rings[ring * RING_STRIDE] as number;
  }

  /** Expects the next entry of a completion queue at an offset; one at its end goes to the start. */
  setRingNext(ring: number, next: number): void {
    const at = ring * RING_STRIDE;
    this.#rings[at] = next >= (this.#rings[at + 1] as number) ? next - (this.#rings[at + 1] as number) : next;
  }

  /** Bytes of a completion queue. */
  ringBytes(ring: number): number {
    return this.#rings[ring * RING_STRIDE + 1] as number;
  }

  /** Number of a completion queue, -1 when it has none. */
  ringId(ring: number): number {
    return this.#rings[ring * RING_STRIDE + 2] as number;
  }

  /** True when the page holds, or once held, an area. */
  isControlPage(host: number, hi: number, page: number): boolean {
    if (this.listOf(host, hi, page) > 0) return true;
    return this.#large.length > 0 && this.#inLarge(host, hi, page << PAGE_SHIFT, 1) !== undefined;
  }

  /** Number of the list of a control page for `areaIn`, 0 when it has none. Stays valid. */
  listOf(host: number, hi: number, page: number): number {
    return this.#slots[this.#find(host, hi, page) + 3] as number;
  }

  /** The open area that holds the whole range, or undefined. */
  areaOf(host: number, hi: number, lo: number, length: number): Area | undefined {
    return this.areaIn(this.listOf(host, hi, lo >>> PAGE_SHIFT), host, hi, lo, length);
  }

  /** As `areaOf`, when the list of the page is known. */
  areaIn(listNumber: number, host: number, hi: number, lo: number, length: number): Area | undefined {
    if (listNumber > 0) {
      const list = this.#lists[listNumber - 1] as Area[];
      for (let i = 0; i < list.length; i++) if (holds(list[i] as Area, hi, lo, length)) return list[i];
    }
    return this.#large.length > 0 ? this.#inLarge(host, hi, lo, length) : undefined;
  }

  /** The only area of a page, when nothing else may hold a write there; else undefined. */
  onlyArea(listNumber: number): Area | undefined {
    if (listNumber === 0 || this.#large.length > 0) return undefined;
    const list = this.#lists[listNumber - 1] as Area[];
    return list.length === 1 ? list[0] : undefined;
  }

  #inLarge(host: number, hi: number, lo: number, length: number): Area | undefined {
    return this.#large.find((a) => a.host === host && holds(a, hi, lo, length));
  }

  #close(list: Area[], host: number, hi: number, lo: number, length: number): void {
    for (let i = list.length - 1; i >= 0; i--) {
      const a = list[i] as Area;
      if (a.host !== host || !overlaps(a, hi, lo, length)) continue;
      if (a.ring > 0) this.#ringByKey.delete(ringKey(a.host, this.ringId(a.ring)));
      list.splice(i, 1);
    }
  }

  #ring(host: number, id: number, bytes: number): number {
    const known = id < 0 ? undefined : this.#ringByKey.get(ringKey(host, id));
    if (known !== undefined) return known;
    const ring = this.#ringCount++;
    const at = ring * RING_STRIDE;
    if (at >= this.#rings.length) {
      const wider = new Int32Array(this.#rings.length * 2);
      wider.set(this.#rings);
      this.#rings = wider;
    }
    this.#rings[at + 1] = bytes;
    this.#rings[at + 2] = id;
    if (id >= 0) this.#ringByKey.set(ringKey(host, id), ring);
    return ring;
  }

  #list(host: number, hi: number, page: number): Area[] {
    let s = this.#find(host, hi, page);
    if (this.#slots[s + 3] === 0) {
      if (++this.#used * STRIDE * 2 > this.#slots.length) {
        this.#rehash();
        s = this.#find(host, hi, page);
      }
      this.#lists.push([]);
      this.#slots[s] = host;
      this.#slots[s + 1] = hi;
      this.#slots[s + 2] = page;
      this.#slots[s + 3] = this.#lists.length;
    }
    return this.#lists[(this.#slots[s + 3] as number) - 1] as Area[];
  }

  /** Offset of the page's slot, or of the free slot where it would go. */
  #find(host: number, hi: number, page: number): number {
    const t = this.#slots;
    const mask = t.length / STRIDE - 1;
    let h = Math.imul(page ^ Math.imul(hi ^ (host << 20), 0x9e3779b1), 0x85ebca6b);
    h ^= h >>> 15;
    for (let i = h & mask; ; i = (i + 1) & mask) {
      const s = i * STRIDE;
      if (t[s + 3] === 0 || (t[s + 2] === page && t[s + 1] === hi && t[s] === host)) return s;
    }
  }

  #rehash(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (let s = 0; s < old.length; s += STRIDE) {
      if (old[s + 3] === 0) continue;
      const to = this.#find(old[s] as number, old[s + 1] as number, old[s + 2] as number);
      for (let i = 0; i < STRIDE; i++) this.#slots[to + i] = old[s + i] as number;
    }
  }
}

function ringKey(host: number, id: number): number {
  return host * 4294967296 + id;
}

function holds(a: Area, hi: number, lo: number, length: number): boolean {
  const from = distance(a, hi, lo);
  return from >= 0 && from + length <= a.length;
}

function overlaps(a: Area, hi: number, lo: number, length: number): boolean {
  const d = distance(a, hi, lo);
  return d < a.length && d + length > 0;
}

/** Bytes from the start of a range to an address; exact while the two lie within 2^52 of each other. */
function distance(a: Area, hi: number, lo: number): number {
  if (hi === a.hi) return (lo >>> 0) - (a.lo >>> 0);
  return (hi - a.hi) * 4294967296 + (lo >>> 0) - (a.lo >>> 0);
}

function pageCount(lo: number, length: number): number {
  return length <= 0 ? 0 : Math.ceil(((lo & PAGE_MASK) + length) / PAGE_BYTES);
}
