/**
 * Memory that the NIC may write although no work request names it: completion and event queues, ICM pages, the
 * outbox, MSI-X addresses; and work queues and the inbox, which it may only read. Found by physical page, or, where an area
 * has several, by block of pages: the ACK queue of each of thousands of queue pairs has nine.
 */

import type { AreaKind } from '../../../agents/verbs/memoryItems.ts';
import { widened } from '../../../uvm/bytes/widened.ts';
import { PAGE_MASK, PAGE_SHIFT, pageCount, TOP_PAGE } from '../scoreboardMemory.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';

// Fields of an area, added to its number.
export const A_HI = 0;
export const A_LO = 1;
/** Offset of the piece in its queue. */
export const A_OFFSET = 2;
/** Completion queue that the area is a piece of, for `ringId`; 0 for other areas. */
export const A_RING = 3;
const A_LENGTH = 4;
const A_LENGTH_HI = 5;
/** Kind in the low bits, host above. */
const A_KIND = 6;
/** Next area of the same page; next free record. */
const A_NEXT = 7;
const AREA_STRIDE = 8;

const KINDS: readonly AreaKind[] = ['cq', 'eq', 'icm', 'outbox', 'msix', 'queue', 'inbox', 'aq'];
const KIND_BITS = 3;

/** Most pages of an area that get entries of their own; larger areas are searched one by one. */
const MAX_PAGES = 1 << 16;
/** From so many pages on an area goes by its blocks. */
const WIDE = 4;
const BLOCK_SHIFT = 4;
const BLOCK_PAGES = 1 << BLOCK_SHIFT;
/** A block in place of a page in the hash: above the numbers of pages, which have 20 bits. */
const BLOCK = 1 << 20;
const STRIDE = 4;
const RING_STRIDE = 4;
/** Where the next entry of a queue is expected that goes on in another ring. */
export const ANYWHERE = -1;
/** No area; also the list of the large ones, which has no page. */
export const NO_AREA = 0;
const LARGE = 0;
/** No list: that of the large areas is nobody's own. */
const NO_LIST = 0;

/** A part of an area that stays open when the rest closes: bytes from its start, length and offset in its queue. */
interface Rest {
  readonly hi: number;
  readonly lo: number;
  readonly from: number;
  readonly length: number;
  readonly offset: number;
  readonly ring: number;
  readonly code: number;
}

/** Areas are named by their offset in `words`; an area of several pages or blocks has a record for each. */
export class ControlAreas {
  /** All fields of all areas. Replaced when it grows. */
  words = new Int32Array(64 * AREA_STRIDE);
  #top = AREA_STRIDE;
  #free = NO_AREA;
  /** Open-addressing hash: host, upper half, page or block, number of its list. */
  #slots = new Int32Array(1024 * STRIDE);
  #used = 0;
  /** First area by list, in the order in which they were opened. */
  #first = new Int32Array(64);
  /** By list of a block: pages that its wide areas touch or have touched, a bit each. Their areas are in its list, with all that come later. */
  #touched = new Int32Array(64);
  /** By completion queue, whose pieces may lie on several pages: offset of the next entry, size in bytes, number, size of an entry. */
  #rings = new Int32Array(64 * RING_STRIDE);
  #ringCount = 1;
  /** By host: completion queue by its number. */
  readonly #ringsOf: Int32Array[] = [];

  /** Makes room for areas that are to come, of one page each. */
  reserve(count: number): void {
    const words = (count + 1) * AREA_STRIDE;
    if (words > this.words.length) this.words = widened(this.words, words);
    if (count >= this.#first.length) this.#first = widened(this.#first, count + 1);
    let slots = this.#slots.length;
    while (count * STRIDE * 2 > slots) slots *= 2;
    if (slots > this.#slots.length) this.#rehash(slots);
  }

  /**
   * Opens an area. Pieces with the same kind and `id` >= 0 form one queue of `ringBytes` bytes, with entries of `entryBytes`.
   * @param continues the queue goes on here, wherever it is then, and has another ring so far
   * @param start offset in a completion queue of the entry that is written first
   */
  allow(
    host: number,
    kind: AreaKind,
    hi: number,
    lo: number,
    length: number,
    id: number,
    offset: number,
    ringBytes: number,
    entryBytes: number,
    continues = false,
    start = 0,
  ): void {
    const ring = kind === 'cq' ? this.#ring(host, id, ringBytes, entryBytes, continues && offset === 0, start) : 0;
    const code = KINDS.indexOf(kind) | (host << KIND_BITS);
    const pages = pageCount(lo, length);
    if (pages > MAX_PAGES) {
      this.#append(LARGE, hi, lo, length, offset, ring, code);
      return;
    }
    let upper = hi;
    let page = lo >>> PAGE_SHIFT;
    let block = NO_LIST;
    for (let i = 0; i < pages; i++) {
      const list = pages < WIDE ? this.#list(host, upper, page) : this.#wideList(host, upper, page);
      if (pages < WIDE || list !== block) this.#append(list, hi, lo, length, offset, ring, code);
      block = list;
      if (page++ === TOP_PAGE) {
        page = 0;
        upper = (upper + 1) | 0;
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
      if (list > 0) this.#close(list, host, hi, lo, length);
      if (page++ === TOP_PAGE) {
        page = 0;
        upper = (upper + 1) | 0;
      }
    }
    this.#close(LARGE, host, hi, lo, length);
  }

  kind(area: number): AreaKind {
    return KINDS[(this.words[area + A_KIND] as number) & ((1 << KIND_BITS) - 1)] as AreaKind;
  }

  /** Whether the NIC may read an area, but not write it. */
  isReadOnly(area: number): boolean {
    const kind = this.kind(area);
    return kind === 'queue' || kind === 'inbox';
  }

  /** Bytes of an area. */
  length(area: number): number {
    const w = this.words;
    return (w[area + A_LENGTH_HI] as number) * TWO_32 + ((w[area + A_LENGTH] as number) >>> 0);
  }

  /** Offset in a completion queue at which the next entry is expected, or `ANYWHERE`. */
  ringNext(ring: number): number {
    return this.#rings[ring * RING_STRIDE] as number;
  }

  /** Expects the next entry of a completion queue at an offset; one at its end goes to the start. */
  setRingNext(ring: number, next: number): void {
    const at = ring * RING_STRIDE;
    this.#rings[at] = next >= (this.#rings[at + 1] as number) ? next - (this.#rings[at + 1] as number) : next;
  }

  /** Bytes of an entry of a completion queue. */
  ringEntry(ring: number): number {
    return this.#rings[ring * RING_STRIDE + 3] as number;
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
    return this.#holder(LARGE, host, hi, page << PAGE_SHIFT, 1) !== NO_AREA;
  }

  /** Number of the list of a control page for `areaIn`, 0 when it has none. Stays valid. */
  listOf(host: number, hi: number, page: number): number {
    const own = this.#slots[this.#find(host, hi, page) + 3] as number;
    if (own > 0) return own;
    const block = this.#slots[this.#find(host, hi, BLOCK + (page >> BLOCK_SHIFT)) + 3] as number;
    return block > 0 && ((this.#touched[block] as number) & bitOf(page)) !== 0 ? block : NO_LIST;
  }

  /** The open area that holds the whole range, or `NO_AREA`. */
  areaOf(host: number, hi: number, lo: number, length: number): number {
    return this.areaIn(this.listOf(host, hi, lo >>> PAGE_SHIFT), host, hi, lo, length);
  }

  /** As `areaOf`, when the list of the page is known. */
  areaIn(list: number, host: number, hi: number, lo: number, length: number): number {
    const area = list > 0 ? this.#holder(list, host, hi, lo, length) : NO_AREA;
    return area !== NO_AREA ? area : this.#holder(LARGE, host, hi, lo, length);
  }

  /** The only area of a page, when nothing else may hold a write there; else `NO_AREA`. */
  onlyArea(list: number): number {
    if (list === LARGE || this.#first[LARGE] !== NO_AREA) return NO_AREA;
    const area = this.#first[list] as number;
    return area !== NO_AREA && this.words[area + A_NEXT] === NO_AREA ? area : NO_AREA;
  }

  #holder(list: number, host: number, hi: number, lo: number, length: number): number {
    const w = this.words;
    for (let a = this.#first[list] as number; a !== NO_AREA; a = w[a + A_NEXT] as number) {
      if ((w[a + A_KIND] as number) >> KIND_BITS !== host) continue;
      const from = this.#distance(a, hi, lo);
      if (from >= 0 && from + length <= this.length(a)) return a;
    }
    return NO_AREA;
  }

  #append(list: number, hi: number, lo: number, length: number, offset: number, ring: number, code: number): void {
    const a = this.#take();
    const w = this.words;
    w[a + A_HI] = hi;
    w[a + A_LO] = lo;
    w[a + A_LENGTH] = length | 0;
    w[a + A_LENGTH_HI] = Math.floor(length / TWO_32);
    w[a + A_OFFSET] = offset;
    w[a + A_RING] = ring;
    w[a + A_KIND] = code;
    w[a + A_NEXT] = NO_AREA;
    let last = this.#first[list] as number;
    if (last === NO_AREA) {
      this.#first[list] = a;
      return;
    }
    while (w[last + A_NEXT] !== NO_AREA) last = w[last + A_NEXT] as number;
    w[last + A_NEXT] = a;
  }

  #take(): number {
    const a = this.#free;
    if (a !== NO_AREA) {
      this.#free = this.words[a + A_NEXT] as number;
      return a;
    }
    const top = this.#top;
    this.#top += AREA_STRIDE;
    if (this.#top > this.words.length) this.words = widened(this.words, this.#top);
    return top;
  }

  #close(list: number, host: number, hi: number, lo: number, length: number): void {
    const w = this.words;
    // The list of a block of pages has wide areas, also for pages that stay open.
    const isBlock = (this.#touched[list] ?? 0) !== 0;
    const rest: Rest[] = [];
    let before = NO_AREA;
    for (let a = this.#first[list] as number; a !== NO_AREA; ) {
      const next = w[a + A_NEXT] as number;
      if ((w[a + A_KIND] as number) >> KIND_BITS === host && this.#overlaps(a, hi, lo, length)) {
        this.#forgetRing(host, w[a + A_RING] as number);
        if (before === NO_AREA) this.#first[list] = next;
        else w[before + A_NEXT] = next;
        if (isBlock) rest.push(...this.#restOf(a, hi, lo, length));
        w[a + A_NEXT] = this.#free;
        this.#free = a;
      } else before = a;
      a = next;
    }
    for (const { from, length: left, offset, ring, code, ...at } of rest)
      this.#append(list, at.hi + Math.floor((at.lo + from) / TWO_32), (at.lo + from) | 0, left, offset, ring, code);
  }

  /** What is left of an area, in whole pages, when a range of it closes. */
  #restOf(a: number, hi: number, lo: number, length: number): readonly Rest[] {
    const w = this.words;
    const begin = this.#distance(a, hi, lo);
    const end = begin + length;
    const size = this.length(a);
    const [until, since] = [begin - (lo & PAGE_MASK), end + (-(lo + length) & PAGE_MASK)];
    const area = {
      hi: w[a + A_HI] as number,
      lo: (w[a + A_LO] as number) >>> 0,
      ring: w[a + A_RING] as number,
      code: w[a + A_KIND] as number,
    };
    const offset = w[a + A_OFFSET] as number;
    return [
      { ...area, from: 0, length: until, offset },
      { ...area, from: since, length: size - since, offset: offset + since },
    ].filter(({ length: left }) => left > 0);
  }

  #overlaps(area: number, hi: number, lo: number, length: number): boolean {
    const d = this.#distance(area, hi, lo);
    return d < this.length(area) && d + length > 0;
  }

  /** Bytes from the start of an area to an address; exact while the two lie within 2^52 of each other. */
  #distance(area: number, hi: number, lo: number): number {
    const w = this.words;
    return (hi - (w[area + A_HI] as number)) * TWO_32 + (lo >>> 0) - ((w[area + A_LO] as number) >>> 0);
  }

  #ring(host: number, id: number, bytes: number, entryBytes: number, another: boolean, start: number): number {
    const known = id < 0 || another ? 0 : (this.#ringsOf[host]?.[id] ?? 0);
    if (known > 0) return known;
    const ring = this.#ringCount++;
    const at = ring * RING_STRIDE;
    if (at >= this.#rings.length) this.#rings = widened(this.#rings, at + RING_STRIDE);
    this.#rings[at] = another ? ANYWHERE : start;
    this.#rings[at + 1] = bytes;
    this.#rings[at + 2] = id;
    this.#rings[at + 3] = entryBytes;
    if (id >= 0) this.#nameRing(host, id, ring);
    return ring;
  }

  #nameRing(host: number, id: number, ring: number): void {
    let table = this.#ringsOf[host] ?? new Int32Array(64);
    if (id >= table.length) table = widened(table, id + 1);
    this.#ringsOf[host] = table;
    table[id] = ring;
  }

  /** A piece of it has closed: pieces to come belong to a new queue of the same number. */
  #forgetRing(host: number, ring: number): void {
    const id = ring > 0 ? this.ringId(ring) : -1;
    const table = this.#ringsOf[host];
    if (id >= 0 && table?.[id] === ring) table[id] = 0;
  }

  /** The list that areas of a page go to. */
  #list(host: number, hi: number, page: number): number {
    const known = this.listOf(host, hi, page);
    return known > 0 ? known : this.#newList(host, hi, page);
  }

  /** The list that a wide area goes to for one of its pages: that of the page where it has one, else that of its block. */
  #wideList(host: number, hi: number, page: number): number {
    const known = this.listOf(host, hi, page);
    if (known > 0) return known;
    const block = this.#newList(host, hi, BLOCK + (page >> BLOCK_SHIFT));
    if (block >= this.#touched.length) this.#touched = widened(this.#touched, block + 1);
    this.#touched[block] = (this.#touched[block] as number) | bitOf(page);
    return block;
  }

  /** The list of a page or a block, a new one where it has none. */
  #newList(host: number, hi: number, page: number): number {
    let s = this.#find(host, hi, page);
    if (this.#slots[s + 3] === 0) {
      if (++this.#used * STRIDE * 2 > this.#slots.length) {
        this.#rehash(2 * this.#slots.length);
        s = this.#find(host, hi, page);
      }
      if (this.#used >= this.#first.length) this.#first = widened(this.#first, this.#used + 1);
      this.#slots[s] = host;
      this.#slots[s + 1] = hi;
      this.#slots[s + 2] = page;
      this.#slots[s + 3] = this.#used;
    }
    return this.#slots[s + 3] as number;
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

  #rehash(words: number): void {
    const old = this.#slots;
    this.#slots = new Int32Array(words);
    for (let s = 0; s < old.length; s += STRIDE) {
      if (old[s + 3] === 0) continue;
      const to = this.#find(old[s] as number, old[s + 1] as number, old[s + 2] as number);
      for (let i = 0; i < STRIDE; i++) this.#slots[to + i] = old[s + i] as number;
    }
  }
}

/** Of a page: its bit in the block that it belongs to. */
function bitOf(page: number): number {
  return 1 << (page & (BLOCK_PAGES - 1));
}
