/**
 * Virtual to physical addresses of one host: the published area map (hangu-interface.md 3.2) with scattered pages.
 *
 * A process's virtual address becomes physical by inserting the process number into bits [58:48] and exchanging the
 * page number within its area (data 4 GiB, work queue 8 MiB, completion queue 1 MiB) by a seeded bijection. Both
 * directions are computed, nothing is stored. Kernel addresses (mailboxes, ICM, event queues) map to themselves.
 */

import { hash32 } from '../../../../uvm/random/hash.ts';
import type { AddressLayout, AddressMap, MapMode } from '../../../../env/memory/addressMap.ts';
import { permute, unpermute } from '../../../../env/memory/pagePermutation.ts';

/** Kinds of area, as far as the upper half of an address tells them apart. */
export const AREA = { kernel: 0, cq: 1, queue: 2, data: 3, shared: 4 } as const;
export type Area = (typeof AREA)[keyof typeof AREA];

/** log2 of the pages of an area; index is `Area`. */
const AREA_PAGE_BITS = [0, 8, 11, 20, 11] as const;
/** Shift of the lower half that leaves the bits naming the area; 32 = none. */
const AREA_NAME_SHIFT = [32, 20, 23, 32, 23] as const;

/** Set in the upper half of addresses of data. */
const DATA_BIT = 0x8000;

/** Area kind of a virtual or physical address; process bits are ignored. */
export function areaOf(hi: number): Area {
  const low = hi & 0xffff;
  if ((low & DATA_BIT) !== 0) return AREA.data;
  if ((low & 0xffc0) === 0x40) return AREA.queue;
  if ((low & 0xfffe) === 2) return AREA.cq;
  if ((low & 0xffc0) === 0x80) return AREA.shared;
  return AREA.kernel;
}

export class HanguAddressMap implements AddressMap {
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

  /** Physical address of a process's virtual address, in `physHi`, `physLo`. */
  translate(process: number, hi: number, lo: number): void {
    const physHi = (hi & 0xffff) | (process << 16);
    this.physHi = physHi;
    const area = areaOf(hi);
    if (!this.#scattered || area === AREA.kernel) {
      this.physLo = lo | 0;
      return;
    }
    const bits = AREA_PAGE_BITS[area] as number;
    const span = (1 << bits) - 1;
    const page = permute((lo >>> 12) & span, bits, this.#areaKey(physHi, lo, area));
    this.physLo = (lo & ~(span << 12)) | (page << 12);
  }

  /** Process and virtual address of a physical one, in `process`, `virtHi`, `virtLo`. */
  reverse(physHi: number, physLo: number): void {
    this.process = (physHi >>> 16) & 0x7ff;
    this.virtHi = physHi & 0xffff;
    const area = areaOf(physHi);
    if (!this.#scattered || area === AREA.kernel) {
      this.virtLo = physLo | 0;
      return;
    }
    const bits = AREA_PAGE_BITS[area] as number;
    const span = (1 << bits) - 1;
    const page = unpermute((physLo >>> 12) & span, bits, this.#areaKey(physHi, physLo, area));
    this.virtLo = (physLo & ~(span << 12)) | (page << 12);
  }

  isData(physHi: number): boolean {
    return (physHi & DATA_BIT) !== 0;
  }

  /** The bits that name the area are the same on both sides, so both directions find the same key. */
  #areaKey(physHi: number, lo: number, area: Area): number {
    const shift = AREA_NAME_SHIFT[area] as number;
    return hash32(this.#key, physHi, shift === 32 ? 0 : lo >>> shift);
  }
}

export const HANGU_LAYOUT: AddressLayout = { map: (key, mode) => new HanguAddressMap(key, mode) };
