/**
 * Memory that the NIC may write although no work request names it: completion and event queues, ICM pages, the
 * outbox, MSI-X addresses; and work queues, which it may only read. Found by physical page.
 */

import type { AreaKind } from './scoreboardMemory.ts';
import { PAGE_SHIFT } from './scoreboardMemory.ts';

/** Bytes of a completion queue entry. */
export const CQE_SIZE = 32;

/** A queue whose entries must be written one after the other; its pieces may lie on several pages. */
export class Ring {
  readonly id: number;
  readonly bytes: number;
  /** Offset at which the next entry is expected. */
  next = 0;

  constructor(id: number, bytes: number) {
    this.id = id;
    this.bytes = bytes;
  }
}

/** One physically contiguous allowed area. */
export interface Area {
  readonly host: number;
  readonly kind: AreaKind;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  /** Queue that the area is a piece of, and the offset of the piece in it. */
  readonly ring: Ring;
  readonly offset: number;
}

/** Most pages of an area that get entries of their own; larger areas are searched one by one. */
const MAX_PAGES = 1 << 16;
const STRIDE = 4;

export class ControlAreas {
  /** Open-addressing hash: host, upper half, page, index into `#lists` + 1. */
  #slots = new Int32Array(1024 * STRIDE);
  #used = 0;
  readonly #lists: Area[][] = [];
  readonly #large: Area[] = [];
  readonly #rings = new Map<string, Ring>();

  /** Opens an area. Pieces with the same kind and `id` >= 0 form one queue of `ringBytes` bytes. */
  allow(area: Omit<Area, 'ring'>, id: number, ringBytes: number): void {
    const full = { ...area, ring: this.#ring(area, id, ringBytes) };
    const pages = pagesOf(area);
    if (pages.count > MAX_PAGES) this.#large.push(full);
    else for (let i = 0; i < pages.count; i++) this.#list(area.host, pages.hi(i), pages.page(i)).push(full);
  }

  /** Closes every area that overlaps the range. The pages stay known as control pages. */
  forbid(host: number, hi: number, lo: number, length: number): void {
    const range = { host, hi, lo, length };
    const pages = pagesOf(range);
    for (let i = 0; i < pages.count && i < MAX_PAGES; i++) {
      const s = this.#find(host, pages.hi(i), pages.page(i));
      const at = this.#slots[s + 3] as number;
      if (at > 0) this.#close(this.#lists[at - 1] as Area[], range);
    }
    this.#close(this.#large, range);
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

  #inLarge(host: number, hi: number, lo: number, length: number): Area | undefined {
    return this.#large.find((a) => a.host === host && holds(a, hi, lo, length));
  }

  #close(list: Area[], range: { host: number; hi: number; lo: number; length: number }): void {
    for (let i = list.length - 1; i >= 0; i--) {
      const a = list[i] as Area;
      if (a.host !== range.host || !overlap(a, range)) continue;
      this.#rings.delete(ringKey(a, a.ring.id));
      list.splice(i, 1);
    }
  }

  #ring(area: Omit<Area, 'ring'>, id: number, bytes: number): Ring {
    if (id < 0) return new Ring(id, bytes);
    const key = ringKey(area, id);
    let ring = this.#rings.get(key);
    if (ring === undefined) {
      ring = new Ring(id, bytes);
      this.#rings.set(key, ring);
    }
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
      this.#slots.set([host, hi, page, this.#lists.length], s);
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
      this.#slots.set(old.subarray(s, s + STRIDE), to);
    }
  }
}

interface Range {
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
}

function ringKey(area: { host: number; kind: AreaKind }, id: number): string {
  return `${area.host} ${area.kind} ${id}`;
}

function holds(a: Range, hi: number, lo: number, length: number): boolean {
  const from = distance(a, hi, lo);
  return from >= 0 && from + length <= a.length;
}

function overlap(a: Range, b: Range): boolean {
  const d = distance(a, b.hi, b.lo);
  return d < a.length && d + b.length > 0;
}

/** Bytes from the start of a range to an address; exact while the two lie within 2^52 of each other. */
function distance(a: Range, hi: number, lo: number): number {
  if (hi === a.hi) return (lo >>> 0) - (a.lo >>> 0);
  return (hi - a.hi) * 4294967296 + (lo >>> 0) - (a.lo >>> 0);
}

function pagesOf(range: Range): { count: number; hi(i: number): number; page(i: number): number } {
  const first = range.lo >>> PAGE_SHIFT;
  const count = range.length <= 0 ? 0 : Math.ceil(((range.lo & 0xfff) + range.length) / 4096);
  return {
    count,
    hi: (i) => (range.hi + Math.floor((first + i) / 0x100000)) | 0,
    page: (i) => (first + i) % 0x100000,
  };
}
