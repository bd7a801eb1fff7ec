/**
 * Virtual to physical addresses of a host with a blue-rdma NIC. A process's data address becomes physical by inserting the
 * process number into bits [58:48] and exchanging the 2 MiB page within its 4 GiB area by a seeded bijection. The rest is
 * the kernel's and maps to itself: rings have to be contiguous.
 */
import { PAGE_SHIFT } from '../../layout/limits.ts';
import { BLUE_DATA } from '../../layout/addressMap.ts';
import { hash32 } from '../../../../uvm/random/hash.ts';
import type { AddressLayout, AddressMap, MapMode } from '../../../../env/memory/addressMap.ts';
import { permute, unpermute } from '../../../../env/memory/pagePermutation.ts';

/** log2 of the pages of an area. */
const PAGE_BITS = 32 - PAGE_SHIFT;
const IN_PAGE = (1 << PAGE_SHIFT) - 1;
const PROCESS_MASK = 0x7ff;

export class BlueAddressMap implements AddressMap {
  physHi = 0;
  physLo = 0;
  process = 0;
  virtHi = 0;
  virtLo = 0;

  readonly #key: number;
  readonly #scattered: boolean;

  /** @param key selects the scatter; different for each host and seed. */
  constructor(key: number, mode: MapMode = 'scattered') {
    this.#key = key | 0;
    this.#scattered = mode === 'scattered';
  }

  translate(process: number, hi: number, lo: number): void {
    const physHi = (hi & 0xffff) | (process << 16);
    this.physHi = physHi;
    if (!this.#scattered || !this.isData(hi)) this.physLo = lo | 0;
    else {
      const page = permute(lo >>> PAGE_SHIFT, PAGE_BITS, hash32(this.#key, physHi, 0));
      this.physLo = (lo & IN_PAGE) | (page << PAGE_SHIFT);
    }
  }

  reverse(physHi: number, physLo: number): void {
    this.process = (physHi >>> 16) & PROCESS_MASK;
    this.virtHi = physHi & 0xffff;
    if (!this.#scattered || !this.isData(physHi)) this.virtLo = physLo | 0;
    else {
      const page = unpermute(physLo >>> PAGE_SHIFT, PAGE_BITS, hash32(this.#key, physHi, 0));
      this.virtLo = (physLo & IN_PAGE) | (page << PAGE_SHIFT);
    }
  }

  isData(physHi: number): boolean {
    return (physHi & BLUE_DATA.hi) !== 0;
  }
}

export const BLUE_LAYOUT: AddressLayout = { map: (key, mode) => new BlueAddressMap(key, mode) };
