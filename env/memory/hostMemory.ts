/**
 * The room of host memory: pages, areas of the address map of a NIC kind (`addressMap`), numbers and ranges handed out
 * (`indexAllocator`, `rangeAllocator`), the data that software fills and reads (`hostData`). PCIe slaves read and write it,
 * providers place their rings and contexts in it, the scoreboard reads it through `hostSpaces`.
 *
 * Memory of one host: 4 KiB pages in the run's byte store, found through an open-addressing table.
 *
 * Pages nobody has written are not stored. Their bytes are a function of (key of the host, page address), so reading
 * them is stable and free, and whoever knows the key can predict them.
 */

import { type HostMemoryPort, UNWRITTEN } from '../../agents/pcie/hostMemoryPort.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { hash32 } from '../../uvm/random/hash.ts';
import { PAGE_BYTES } from '../../uvm/bytes/byteStore.ts';

const PAGES_PER_HI = 1 << 20;
/** Words of a table slot: upper half of the address, page number + 1 (0 = free slot), byte-store offset / 4096. */
const SLOT = 3;
const FIRST_CAPACITY = 1024;
/** No index of a slot. */
const NO_SLOT = -1;

/** Sparse memory with 64-bit addresses given as two 32-bit halves; the one that the PCIe slave serves. */
export class HostMemory implements HostMemoryPort {
  readonly bytes: ByteStore;
  readonly #key: number = 0;

  #capacity = FIRST_CAPACITY;
  #table = new Int32Array(FIRST_CAPACITY * SLOT);
  #pages = 0;
  /** The page found last; -1 offset when it was not there. */
  #lastHi = 0;
  #lastPage = -1;
  #lastOffset = -1;

  /**
   * @param bytes owner of the bytes.
   * @param key seed of the never-written bytes, different for each host.
   */
  constructor(bytes: ByteStore, key: number) {
    this.bytes = bytes;
    this.#key = key | 0;
  }

  /** Pages that are stored. */
  get pages(): number {
    return this.#pages;
  }

  /** Copies `length` bytes at (hi, lo) to the byte-store offset `dst`. */
  read(hi: number, lo: number, length: number, dst: number): void {
    const inPage = lo & 0xfff;
    if (inPage + length <= PAGE_BYTES) this.#readPart(hi, lo >>> 12, inPage, length, dst);
    else this.#readLong(hi, lo, length, dst);
  }

  /** Copies `length` bytes from the byte-store offset `src` to (hi, lo). */
  write(hi: number, lo: number, length: number, src: number): void {
    const inPage = lo & 0xfff;
    if (inPage + length <= PAGE_BYTES) this.#writePart(hi, lo >>> 12, inPage, length, src);
    else this.#writeLong(hi, lo, length, src);
  }

  /**
   * Byte-store offset of a range that lies in one stored page; `UNWRITTEN` when the page is not stored; -1 for a range
   * in several pages: then `read` gives its bytes.
   */
  readFrom(hi: number, lo: number, length: number): number {
    const inPage = lo & 0xfff;
    if (inPage + length > PAGE_BYTES) return -1;
    const offset = this.readPage(hi, lo >>> 12);
    return offset < 0 ? UNWRITTEN : offset + inPage;
  }

  /**
   * Byte-store offset of a range that lies in one page and is about to be overwritten as a whole, or -1: then `write`
   * takes its bytes.
   */
  writeTo(hi: number, lo: number, length: number): number {
    const inPage = lo & 0xfff;
    if (inPage + length > PAGE_BYTES || length === 0) return -1;
    return this.#pageFor(hi, lo >>> 12, inPage, length) + inPage;
  }

  /** Byte-store offset of page number `page` (address bits [31:12]) under `hi`, or -1 when nobody has written it. */
  readPage(hi: number, page: number): number {
    if (page === this.#lastPage && hi === this.#lastHi) return this.#lastOffset;
    const offset = this.#find(hi, page);
    this.#lastHi = hi;
    this.#lastPage = page;
    this.#lastOffset = offset;
    return offset;
  }

  /** Byte-store offset of a page, which is created with its never-written bytes if need be. */
  pageForWrite(hi: number, page: number): number {
    const found = this.readPage(hi, page);
    if (found >= 0) return found;
    const offset = this.#insert(hi, page);
    this.bytes.fillSeeded(this.pageKey(hi, page), 0, offset, PAGE_BYTES);
    return offset;
  }

  /** Key of `fillSeeded` for the never-written bytes of a page; position 0 is the first byte of the page. */
  pageKey(hi: number, page: number): number {
    return hash32(this.#key, hi, page);
  }

  /** The 32-bit little-endian word at a 4-byte aligned address, signed. */
  read32(hi: number, lo: number): number {
    const page = this.pageForWrite(hi, lo >>> 12);
    return this.bytes.i32[(page + (lo & 0xffc)) >>> 2] as number;
  }

  /** Stores a 32-bit little-endian word at a 4-byte aligned address. */
  write32(hi: number, lo: number, value: number): void {
    const page = this.pageForWrite(hi, lo >>> 12);
    this.bytes.i32[(page + (lo & 0xffc)) >>> 2] = value;
  }

  /**
   * Visits every stored page in the order of the store, which is that of first writes as far as pages are not used
   * again: what was written together lies together, in the store and in the tables of whoever asks about the pages.
   */
  forEachPage(visit: (hi: number, page: number, offset: number) => void): void {
    const table = this.#table;
    const order = this.#inOrder();
    for (let i = 0; i < order.length; i++) {
      const at = order[i] as number;
      if (at === NO_SLOT) continue;
      visit(table[at] as number, (table[at + 1] as number) - 1, ((table[at + 2] as number) >>> 0) * PAGE_BYTES);
    }
  }

  /** Index of the slot of each page of the store from the first to the last one in use, `NO_SLOT` between them. */
  #inOrder(): Int32Array {
    const table = this.#table;
    let first = Number.POSITIVE_INFINITY;
    let last = -1;
    for (let at = 0; at < table.length; at += SLOT) {
      if (table[at + 1] === 0) continue;
      const unit = (table[at + 2] as number) >>> 0;
      if (unit < first) first = unit;
      if (unit > last) last = unit;
    }
    const order = new Int32Array(Math.max(0, last - first + 1)).fill(NO_SLOT);
    for (let at = 0; at < table.length; at += SLOT) {
      if (table[at + 1] !== 0) order[((table[at + 2] as number) >>> 0) - first] = at;
    }
    return order;
  }

  #readPart(hi: number, page: number, inPage: number, length: number, dst: number): void {
    const offset = this.readPage(hi, page);
    if (offset >= 0) this.bytes.copy(dst, offset + inPage, length);
    else this.bytes.fillSeeded(this.pageKey(hi, page), inPage, dst, length);
  }

  #writePart(hi: number, page: number, inPage: number, length: number, src: number): void {
    if (length === 0) return;
    this.bytes.copy(this.#pageFor(hi, page, inPage, length) + inPage, src, length);
  }

  /** Offset of a page of which `length` bytes from `inPage` on are about to be written. */
  #pageFor(hi: number, page: number, inPage: number, length: number): number {
    const found = this.readPage(hi, page);
    if (found >= 0) return found;
    const offset = this.#insert(hi, page);
    this.#fillAround(hi, page, offset, inPage, inPage + length);
    return offset;
  }

  /** Gives a new page its never-written bytes before `from` and from `to` on; what lies between is about to be written. */
  #fillAround(hi: number, page: number, offset: number, from: number, to: number): void {
    if (from === 0 && to === PAGE_BYTES) return;
    const key = this.pageKey(hi, page);
    if (from > 0) this.bytes.fillSeeded(key, 0, offset, from);
    if (to < PAGE_BYTES) this.bytes.fillSeeded(key, to, offset + to, PAGE_BYTES - to);
  }

  #readLong(hi: number, lo: number, length: number, dst: number): void {
    let atHi = hi;
    let atLo = lo;
    for (let done = 0; done < length; ) {
      const n = Math.min(PAGE_BYTES - (atLo & 0xfff), length - done);
      this.#readPart(atHi, atLo >>> 12, atLo & 0xfff, n, dst + done);
      done += n;
      if (carries(atLo, n)) atHi = (atHi + 1) | 0;
      atLo = (atLo + n) | 0;
    }
  }

  #writeLong(hi: number, lo: number, length: number, src: number): void {
    let atHi = hi;
    let atLo = lo;
    for (let done = 0; done < length; ) {
      const n = Math.min(PAGE_BYTES - (atLo & 0xfff), length - done);
      this.#writePart(atHi, atLo >>> 12, atLo & 0xfff, n, src + done);
      done += n;
      if (carries(atLo, n)) atHi = (atHi + 1) | 0;
      atLo = (atLo + n) | 0;
    }
  }

  #find(hi: number, page: number): number {
    const table = this.#table;
    const mask = this.#capacity - 1;
    let slot = slotHash(hi, page) & mask;
    for (;;) {
      const at = slot * SLOT;
      const p = table[at + 1] as number;
      if (p === 0) return -1;
      if (p === page + 1 && table[at] === hi) return ((table[at + 2] as number) >>> 0) * PAGE_BYTES;
      slot = (slot + 1) & mask;
    }
  }

  /** Adds a page that is known to be absent; its bytes are whatever the store had there. */
  #insert(hi: number, page: number): number {
    if (this.#pages * 5 >= this.#capacity * 3) this.#grow();
    const offset = this.bytes.allocPage();
    place(this.#table, this.#capacity - 1, hi, page + 1, offset / PAGE_BYTES);
    this.#pages++;
    this.#lastHi = hi;
    this.#lastPage = page;
    this.#lastOffset = offset;
    return offset;
  }

  #grow(): void {
    const old = this.#table;
    this.#capacity *= 2;
    this.#table = new Int32Array(this.#capacity * SLOT);
    for (let at = 0; at < old.length; at += SLOT) {
      const page = old[at + 1] as number;
      if (page !== 0) place(this.#table, this.#capacity - 1, old[at] as number, page, old[at + 2] as number);
    }
  }
}

/** True when `lo + n` passes 2^32. `n` is at most a page. */
function carries(lo: number, n: number): boolean {
  return lo >>> 12 === PAGES_PER_HI - 1 && (lo & 0xfff) + n >= PAGE_BYTES;
}

function slotHash(hi: number, page: number): number {
  const h = Math.imul(hi ^ Math.imul(page, 0x9e37_79b1), 0x85eb_ca6b);
  return h ^ (h >>> 15);
}

function place(table: Int32Array, mask: number, hi: number, pageAndOne: number, unit: number): void {
  let slot = slotHash(hi, pageAndOne - 1) & mask;
  while (table[slot * SLOT + 1] !== 0) slot = (slot + 1) & mask;
  table[slot * SLOT] = hi;
  table[slot * SLOT + 1] = pageAndOne;
  table[slot * SLOT + 2] = unit;
}
