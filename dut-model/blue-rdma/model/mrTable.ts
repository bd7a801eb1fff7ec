/** Regions and pages: the two levels of translation (blue-rdma.md section 9), and the checks on the way. */
import { INDEX_SHIFT, PAGE_BYTES } from '../layout/limits.ts';
import { TWO_32 } from '../../../uvm/bytes/words.ts';

/** Result of a check, in the order of the checks. */
export const REGION_CHECK = { ok: 0, range: 1, key: 2, access: 3, bounds: 4 } as const;

export class MrTable {
  /** Result of `translate`: physical address, and bytes up to the end of its page. */
  paHi = 0;
  paLo = 0;
  available = 0;

  readonly entries: number;
  readonly pages: number;
  readonly #valid: Uint8Array;
  readonly #key: Int32Array;
  readonly #baseHi: Int32Array;
  readonly #baseLo: Int32Array;
  readonly #length: Float64Array;
  readonly #access: Uint8Array;
  readonly #firstPage: Int32Array;
  readonly #pageHi: Int32Array;
  readonly #pageLo: Int32Array;

  constructor(entries: number, pages: number) {
    this.entries = entries;
    this.pages = pages;
    this.#valid = new Uint8Array(entries);
    this.#key = new Int32Array(entries);
    this.#baseHi = new Int32Array(entries);
    this.#baseLo = new Int32Array(entries);
    this.#length = new Float64Array(entries);
    this.#access = new Uint8Array(entries);
    this.#firstPage = new Int32Array(entries);
    this.#pageHi = new Int32Array(pages);
    this.#pageLo = new Int32Array(pages);
  }

  reset(): void {
    this.#valid.fill(0);
  }

  /** Sets an entry; a length of 0 makes it invalid. @returns false when there is no such entry. */
  set(key: number, baseHi: number, baseLo: number, length: number, access: number, firstPage: number): boolean {
    const index = key >>> INDEX_SHIFT;
    if (index >= this.entries) return false;
    this.#valid[index] = length === 0 ? 0 : 1;
    this.#key[index] = key;
    this.#baseHi[index] = baseHi;
    this.#baseLo[index] = baseLo;
    this.#length[index] = length;
    this.#access[index] = access;
    this.#firstPage[index] = firstPage;
    return true;
  }

  /** Hardware keeps [63:21] of the address of a page. */
  setPage(index: number, hi: number, lo: number): void {
    this.#pageHi[index] = hi;
    this.#pageLo[index] = lo & -PAGE_BYTES;
  }

  /**
   * Holds an access of `length` bytes (at least 1) at a virtual address against a key.
   * @param access `ACCESS` bits that the region must have
   * @returns `REGION_CHECK`
   */
  check(key: number, hi: number, lo: number, length: number, access: number): number {
    const index = key >>> INDEX_SHIFT;
    if (index >= this.entries) return REGION_CHECK.range;
    if (this.#valid[index] !== 1 || !this.isKey(this.#key[index] as number, key)) return REGION_CHECK.key;
    if (((this.#access[index] as number) & access) !== access) return REGION_CHECK.access;
    return this.holds(index, hi, lo, length) ? REGION_CHECK.ok : REGION_CHECK.bounds;
  }

  /** Finds the first byte of an access that has been checked. */
  translate(key: number, hi: number, lo: number): void {
    const index = key >>> INDEX_SHIFT;
    const page = this.pageOf(index, hi, lo);
    const inPage = lo & (PAGE_BYTES - 1);
    this.paHi = this.#pageHi[page] as number;
    this.paLo = (this.#pageLo[page] as number) | inPage;
    this.available = PAGE_BYTES - inPage;
  }

  /** Whether a key is that of an entry; overridable for planting. */
  protected isKey(own: number, key: number): boolean {
    return own === (key | 0);
  }

  /** Bounds in 64-bit arithmetic: an offset that a double cannot hold is far beyond any region. Overridable for planting. */
  protected holds(index: number, hi: number, lo: number, length: number): boolean {
    const offset = this.offsetOf(index, hi, lo);
    return offset >= 0 && offset <= this.lengthOf(index) - length;
  }

  /** Index of the page of an address in the page table; overridable for planting. */
  protected pageOf(index: number, hi: number, lo: number): number {
    const inFirst = (this.#baseLo[index] as number) & (PAGE_BYTES - 1);
    const pages = Math.floor((this.offsetOf(index, hi, lo) + inFirst) / PAGE_BYTES);
    return (this.#firstPage[index] as number) + pages;
  }

  protected lengthOf(index: number): number {
    return this.#length[index] as number;
  }

  /** Distance of an unsigned address from the start of a region. */
  protected offsetOf(index: number, hi: number, lo: number): number {
    const upper = (hi >>> 0) - ((this.#baseHi[index] as number) >>> 0);
    return upper * TWO_32 + ((lo >>> 0) - ((this.#baseLo[index] as number) >>> 0));
  }
}
