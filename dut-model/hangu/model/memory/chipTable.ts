/** A table on the chip: every entry that INIT_HCA allows is there, nothing is fetched and nothing written back. */
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { type EntryTable, UNMAPPED } from './entryTable.ts';
import type { IcmTableMap } from './icmMap.ts';

export class ChipTable implements EntryTable {
  latest = -1;
  changes = 0;
  readonly #table: IcmTableMap;
  readonly #bytes: ByteStore;
  readonly #base: number;
  readonly #size: number;
  readonly #capacity: number;
  /** log2 of the entries of a line, as the users of a table count them. */
  readonly #shift: number;
  readonly #lineBytes: number;

  /** @param capacity entries, a power of two @param entriesPerLine a power of two: look-ups return the line of an entry */
  constructor(table: IcmTableMap, bytes: ByteStore, capacity: number, entriesPerLine = 1) {
    this.#table = table;
    this.#bytes = bytes;
    this.#capacity = capacity;
    this.#shift = 31 - Math.clz32(entriesPerLine);
    this.#lineBytes = table.entryBytes * entriesPerLine;
    this.#size = capacity * table.entryBytes;
    this.#base = bytes.alloc(this.#size, 64);
  }

  /** Lines are their own records. */
  get latestRecord(): number {
    return this.latest;
  }

  lookup(index: number): number {
    if (!this.holds(index)) return UNMAPPED;
    this.latest = index >>> this.#shift;
    return this.#base + this.latest * this.#lineBytes;
  }

  allocate(index: number): number {
    return this.lookup(index);
  }

  again(tag: number, _record: number, changes: number): boolean {
    if (changes !== this.changes || tag < 0) return false;
    this.latest = tag;
    return true;
  }

  touch(_at: number): void {}

  touchRecord(_record: number): void {}

  alter(_at: number): void {
    this.changes = (this.changes + 1) | 0;
  }

  pin(index: number): boolean {
    return this.holds(index);
  }

  unpin(_index: number): void {}

  wake(): void {}

  holds(index: number): boolean {
    return index >>> 0 < Math.min(this.#table.entries, this.#capacity);
  }

  flushPages(_first: number, _count: number): void {
    this.alter(0);
  }

  clear(): void {
    this.#bytes.zero(this.#base, this.#size);
    this.latest = -1;
    this.alter(0);
  }
}
