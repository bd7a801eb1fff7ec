/**
 * Registrations: keys, translation entries, and the commands that write them. Everything that the NIC addresses goes
 * through here, regions of sequences as well as rings.
 */

import type { IcmTable } from '../../../rdma/hangu/addressMap.ts';
import { HANGU_LIMITS } from '../../../rdma/hangu/limits.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { AddressMap } from '../../addressMap.ts';
import { HostApiError } from '../../hostErrors.ts';
import { IndexAllocator } from '../../indexAllocator.ts';
import { RangeAllocator } from '../../rangeAllocator.ts';
import type { HanguCommands, PageSource } from './commands.ts';
import { Registration } from './hanguObjects.ts';

/** Makes ICM pages available for entries of a table. */
export interface IcmMapper {
  ensure(table: IcmTable, index: number, count: number): Proc<void>;
}

/** A range to register. `process` 0 is the kernel, whose addresses are physical. */
export interface Range {
  readonly process: number;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  readonly pd: number;
  /** `MPT_PERMISSION` bits. */
  readonly permissions: number;
  /** Ring: accessed by offset, entered with start 0 as published. */
  readonly ring: boolean;
}

export class MrTable {
  readonly #commands: HanguCommands;
  readonly #icm: IcmMapper;
  readonly #map: AddressMap;
  readonly #where: string;
  readonly #keys = new IndexAllocator(1, HANGU_LIMITS.maxMpts - 1);
  readonly #mtts = new RangeAllocator(HANGU_LIMITS.maxMtts);

  constructor(commands: HanguCommands, icm: IcmMapper, map: AddressMap, where: string) {
    this.#commands = commands;
    this.#icm = icm;
    this.#map = map;
    this.#where = where;
  }

  /** Registrations and translation entries in use. */
  get keysInUse(): number {
    return this.#keys.inUse;
  }

  get mttsInUse(): number {
    return this.#mtts.inUse;
  }

  /** @throws HostApiError of kind LIMIT when a table is full. */
  *register(range: Range): Proc<Registration> {
    const reg = this.#reserve(range);
    try {
      yield* this.#icm.ensure('mtt', reg.mtt, reg.pages);
      yield* this.#icm.ensure('mpt', reg.key, 1);
      yield* this.#commands.register(reg.mtt, reg.pages, new MappedPages(this.#map, range), {
        key: reg.key,
        pd: range.pd,
        startHi: range.ring ? 0 : range.hi,
        startLo: range.ring ? 0 : range.lo,
        length: range.length,
        permissions: range.permissions,
        mtt: reg.mtt,
      });
      return reg;
    } catch (error) {
      this.#release(reg);
      throw error;
    }
  }

  *deregister(reg: Registration): Proc<void> {
    yield* this.#commands.hw2swMpt(reg.key);
    this.#release(reg);
  }

  #reserve(range: Range): Registration {
    const pages = Math.ceil(((range.lo & 0xfff) + range.length) / 4096);
    const key = this.#keys.alloc();
    if (key < 0) throw this.#full(`all ${HANGU_LIMITS.maxMpts - 1} memory keys are in use`);
    const mtt = this.#mtts.alloc(pages);
    if (mtt >= 0) return new Registration(key, mtt, pages);
    this.#keys.free(key);
    throw this.#full(`${pages} more translation entries do not fit into ${HANGU_LIMITS.maxMtts}`);
  }

  #release(reg: Registration): void {
    this.#keys.free(reg.key);
    this.#mtts.free(reg.mtt, reg.pages);
  }

  #full(what: string): HostApiError {
    return new HostApiError('LIMIT', this.#where, what, 'register fewer or smaller regions at a time');
  }
}

/** Physical pages of a virtual range. */
class MappedPages implements PageSource {
  physHi = 0;
  physLo = 0;
  readonly #map: AddressMap;
  readonly #range: Range;

  constructor(map: AddressMap, range: Range) {
    this.#map = map;
    this.#range = range;
  }

  page(i: number): void {
    const { process, hi, lo } = this.#range;
    const at = ((lo & ~0xfff) >>> 0) + i * 4096;
    this.#map.translate(process, hi + Math.floor(at / 2 ** 32), at | 0);
    this.physHi = this.#map.physHi;
    this.physLo = this.#map.physLo;
  }
}
