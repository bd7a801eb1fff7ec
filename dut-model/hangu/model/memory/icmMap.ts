/**
 * The ICM map tables of the context and translation modules: which host page backs which page of each table
 * (hangu-interface.md 3.3, 5; hangu-rtl-facts.md 3.1). Pages are mapped by MAP_ICM and must be mapped before use:
 * an access to an unmapped page fails.
 */
import { ICM_ENTRY_BYTES, PAGE_BYTES } from '../../layout/commands.ts';
import type { IcmTable } from '../../layout/addressMap.ts';

const ICM_TABLES: readonly IcmTable[] = ['mtt', 'qpc', 'cqc', 'mpt', 'eqc', 'srqc'];

/** Odd, and changes all bytes. */
const LIFE_STEP = 0x5bd1_e995;

/** One table's base, size and page map. */
export class IcmTableMap {
  baseHi = 0;
  baseLo = 0;
  /** Entries that INIT_HCA allows. */
  entries = 0;
  readonly entryBytes: number;
  #frameHi: Int32Array = new Int32Array(64);
  #frameLo: Int32Array = new Int32Array(64);
  #mapped: Uint8Array = new Uint8Array(64);

  readonly name: IcmTable;

  constructor(name: IcmTable) {
    this.name = name;
    this.entryBytes = ICM_ENTRY_BYTES[name];
  }

  /** Pages that the table can have. */
  get pages(): number {
    return Math.ceil((this.entries * this.entryBytes) / PAGE_BYTES);
  }

  isMapped(page: number): boolean {
    return page < this.#mapped.length && this.#mapped[page] === 1;
  }

  map(page: number, hi: number, lo: number): void {
    if (page >= this.#mapped.length) this.#grow(page + 1);
    this.#mapped[page] = 1;
    this.#frameHi[page] = hi;
    this.#frameLo[page] = lo;
  }

  unmap(page: number): void {
    if (page < this.#mapped.length) this.#mapped[page] = 0;
  }

  unmapAll(): void {
    this.#mapped.fill(0);
  }

  /** Halves of the host address of a mapped page of the table. */
  frameHi(page: number): number {
    return this.#frameHi[page] as number;
  }

  frameLo(page: number): number {
    return this.#frameLo[page] as number;
  }

  #grow(atLeast: number): void {
    let size = this.#mapped.length;
    while (size < atLeast) size *= 2;
    const hi = new Int32Array(size);
    const lo = new Int32Array(size);
    const mapped = new Uint8Array(size);
    hi.set(this.#frameHi);
    lo.set(this.#frameLo);
    mapped.set(this.#mapped);
    this.#frameHi = hi;
    this.#frameLo = lo;
    this.#mapped = mapped;
  }
}

/** All tables of one NIC. */
export class IcmMap {
  readonly qpc = new IcmTableMap('qpc');
  readonly cqc = new IcmTableMap('cqc');
  readonly eqc = new IcmTableMap('eqc');
  readonly srqc = new IcmTableMap('srqc');
  readonly mpt = new IcmTableMap('mpt');
  readonly mtt = new IcmTableMap('mtt');
  /** Part of the mark of every valid entry: what a bring-up before this one has left in host memory is not valid. */
  life = 0;

  /** The table whose virtual range holds `hi`, or null. Ranges are 16 TiB apart. */
  tableAt(hi: number): IcmTableMap | null {
    let best: IcmTableMap | null = null;
    for (const name of ICM_TABLES) {
      const t = this[name];
      if (t.entries > 0 && t.baseHi <= hi && (best === null || t.baseHi > best.baseHi)) best = t;
    }
    return best;
  }

  reset(): void {
    this.life = (this.life + LIFE_STEP) | 0;
    for (const name of ICM_TABLES) {
      this[name].entries = 0;
      this[name].unmapAll();
    }
  }
}
