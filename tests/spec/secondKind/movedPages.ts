import type { AddressMap } from '../../../env/memory/addressMap.ts';

/** Of the upper half of an address of data: every other page has this bit changed. */
const MOVED = 0x4000;
const PAGE_BIT = 0x1000;

/** Another map with pages of data elsewhere: neighbours in virtual memory lie far from each other in the upper half too. */
export class MovedPages implements AddressMap {
  physHi = 0;
  physLo = 0;
  process = 0;
  virtHi = 0;
  virtLo = 0;
  readonly #inner: AddressMap;

  constructor(inner: AddressMap) {
    this.#inner = inner;
  }

  translate(process: number, hi: number, lo: number): void {
    this.#inner.translate(process, hi, lo);
    const { physHi, physLo } = this.#inner;
    this.physLo = physLo;
    this.physHi = this.#inner.isData(physHi, physLo) ? moved(physHi, physLo) : physHi;
  }

  reverse(physHi: number, physLo: number): void {
    this.#inner.reverse(this.isData(physHi, physLo) ? moved(physHi, physLo) : physHi, physLo);
    this.process = this.#inner.process;
    this.virtHi = this.#inner.virtHi;
    this.virtLo = this.#inner.virtLo;
  }

  isData(physHi: number, physLo: number): boolean {
    return this.#inner.isData(physHi, physLo);
  }
}

/** Undoes itself. */
function moved(hi: number, lo: number): number {
  return (lo & PAGE_BIT) === 0 ? hi : hi ^ MOVED;
}
