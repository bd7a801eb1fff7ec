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
import type { MptFields } from './contextImages.ts';
import { Registration } from './hanguObjects.ts';

const PAGE = 4096;

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
    const [reg] = yield* this.registerAll([range]);
    return reg as Registration;
  }

  /**
   * Registers ranges together, with their translation entries next to each other, so that a few commands write them.
   * @param ranges at least one
   * @throws HostApiError of kind LIMIT when a table is full
   */
  *registerAll(ranges: readonly Range[]): Proc<Registration[]> {
    const regs = this.#reserve(ranges);
    try {
      const first = (regs[0] as Registration).mtt;
      const pages = regs.reduce((sum, reg) => sum + reg.pages, 0);
      yield* this.#icm.ensure('mtt', first, pages);
      for (const reg of regs) yield* this.#icm.ensure('mpt', reg.key, 1);
      const mpts = ranges.map((range, i) => protection(range, regs[i] as Registration));
      yield* this.#commands.register(first, pages, new MappedPages(this.#map, ranges), mpts);
      return regs;
    } catch (error) {
      this.#release(regs);
      throw error;
    }
  }

  *deregister(regs: readonly Registration[]): Proc<void> {
    yield* this.#commands.deregister(regs.map((reg) => reg.key));
    this.#release(regs);
  }

  #reserve(ranges: readonly Range[]): Registration[] {
    const pages = ranges.map(pagesOf);
    const total = pages.reduce((sum, n) => sum + n, 0);
    if (this.#keys.left < ranges.length) throw this.#full(`all ${HANGU_LIMITS.maxMpts - 1} memory keys are in use`);
    let mtt = this.#mtts.alloc(total);
    if (mtt < 0) throw this.#full(`${total} more translation entries do not fit into ${HANGU_LIMITS.maxMtts}`);
    return pages.map((n) => {
      const reg = new Registration(this.#keys.alloc(), mtt, n);
      mtt += n;
      return reg;
    });
  }

  #release(regs: readonly Registration[]): void {
    for (const reg of regs) {
      this.#keys.free(reg.key);
      this.#mtts.free(reg.mtt, reg.pages);
    }
  }

  #full(what: string): HostApiError {
    return new HostApiError('LIMIT', this.#where, what, 'register fewer or smaller regions at a time');
  }
}

function pagesOf(range: Range): number {
  return Math.ceil(((range.lo & (PAGE - 1)) + range.length) / PAGE);
}

function protection(range: Range, reg: Registration): MptFields {
  return {
    key: reg.key,
    pd: range.pd,
    startHi: range.ring ? 0 : range.hi,
    startLo: range.ring ? 0 : range.lo,
    length: range.length,
    permissions: range.permissions,
    mtt: reg.mtt,
  };
}

/** Physical pages of virtual ranges, one range after the other. */
class MappedPages implements PageSource {
  physHi = 0;
  physLo = 0;
  readonly #map: AddressMap;
  readonly #ranges: readonly Range[];
  #range = -1;
  #page = 0;
  #pages = 0;

  constructor(map: AddressMap, ranges: readonly Range[]) {
    this.#map = map;
    this.#ranges = ranges;
  }

  next(): void {
    if (this.#page === this.#pages) {
      this.#page = 0;
      this.#pages = pagesOf(this.#ranges[++this.#range] as Range);
    }
    const { process, hi, lo } = this.#ranges[this.#range] as Range;
    const at = ((lo & ~(PAGE - 1)) >>> 0) + this.#page++ * PAGE;
    this.#map.translate(process, hi + Math.floor(at / 2 ** 32), at | 0);
    this.physHi = this.#map.physHi;
    this.physLo = this.#map.physLo;
  }
}
