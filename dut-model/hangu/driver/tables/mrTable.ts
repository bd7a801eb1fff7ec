/**
 * Registrations: keys, translation entries, and the commands that write them. Everything that the NIC addresses goes
 * through here, regions of sequences as well as rings.
 */

import type { IcmTable } from '../../layout/addressMap.ts';
import { MPT_PERMISSION } from '../../layout/contexts.ts';
import type { HanguSettings } from '../hanguSettings.ts';
import { widened } from '../../../../uvm/bytes/widened.ts';
import type { Proc } from '../../../../uvm/kernel/process.ts';
import type { AddressMap } from '../../../../env/memory/addressMap.ts';
import { HostApiError } from '../../../../env/verbs/hostErrors.ts';
import { KeyNumbers, type KeyTags } from './keyNumbers.ts';
import type { FirstNumbers } from '../../../../env/settings/firstNumbers.ts';
import { RangeAllocator } from '../../../../env/memory/rangeAllocator.ts';
import type { HanguCommands, PageSource } from '../commands/commands.ts';
import type { MptFields } from '../commands/contextImages.ts';
import { carried } from '../../../../uvm/bytes/words.ts';
import { PAGE_BYTES } from '../../layout/commands.ts';

const USUAL_PAGE_LOG = Math.log2(PAGE_BYTES);

/** Makes ICM pages available for entries of a table. */
export interface IcmMapper {
  ensure(table: IcmTable, index: number, count: number): Proc<void>;
}

/**
 * A range to register. `process` 0 is the kernel, whose addresses are physical; `permissions` are `MPT_PERMISSION`
 * bits; a ring is accessed by offset and entered with start 0, as published. A translation entry stands for 2^`pageLog` bytes.
 */
export class Range {
  readonly process: number;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  readonly pd: number;
  readonly permissions: number;
  readonly ring: boolean;
  readonly pageLog: number;

  constructor(
    process: number,
    hi: number,
    lo: number,
    length: number,
    pd: number,
    permissions: number,
    ring: boolean,
    pageLog = USUAL_PAGE_LOG,
  ) {
    this.pageLog = pageLog;
    this.process = process;
    this.hi = hi;
    this.lo = lo;
    this.length = length;
    this.pd = pd;
    this.permissions = permissions;
    this.ring = ring;
  }

  /** Pages that it touches: none where it has no bytes. */
  get pages(): number {
    const bytes = 2 ** this.pageLog;
    return this.length === 0 ? 0 : Math.ceil(((this.lo & (bytes - 1)) + this.length) / bytes);
  }
}

export class MrTable {
  readonly #commands: HanguCommands;
  readonly #icm: IcmMapper;
  readonly #map: AddressMap;
  readonly #where: string;
  readonly #entriesOf: Pick<HanguSettings, 'mpts' | 'mtts'>;
  readonly #keys: KeyNumbers;
  readonly #mtts: RangeAllocator;
  /** By index of a key: first translation entry, and number of them. */
  #entries = new Int32Array(512);

  /**
   * @param first key and translation entry to begin with, 0 = the first that there is
   * @param entries of the tables of the NIC
   */
  constructor(
    commands: HanguCommands,
    icm: IcmMapper,
    map: AddressMap,
    where: string,
    first: Pick<FirstNumbers, 'key' | 'mtt'>,
    entries: Pick<HanguSettings, 'mpts' | 'mtts'>,
  ) {
    this.#entriesOf = entries;
    this.#keys = new KeyNumbers(entries.mpts, first.key);
    this.#mtts = new RangeAllocator(entries.mtts, first.mtt);
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

  /** The device is opened: how keys are given out. */
  opens(tags: KeyTags): void {
    this.#keys.opens(tags);
  }

  get numbers(): KeyNumbers {
    return this.#keys;
  }

  /** Gives keys out from the beginning; nothing is registered. */
  restart(): void {
    this.#keys.restart();
  }

  /** Keys whose entries lie in [first, last] of a table. Slow: it looks at all. */
  keysIn(table: 'mpt' | 'mtt', first: number, last: number): number[] {
    const found: number[] = [];
    for (let index = 1; 2 * index < this.#entries.length; index++) {
      const key = this.#keys.keyAt(index);
      if (key === undefined) continue;
      const from = table === 'mpt' ? index : this.#firstEntry(key);
      const count = table === 'mpt' ? 1 : (this.#entries[2 * index + 1] as number);
      if (from <= last && from + count > first) found.push(key);
    }
    return found;
  }

  /** Nothing is registered any more; keys are given out from the beginning. */
  clear(): void {
    this.#keys.clear();
    this.#mtts.clear();
  }

  /** @returns the key of the range. @throws HostApiError of kind LIMIT when a table is full. */
  *register(range: Range): Proc<number> {
    const [key] = yield* this.registerAll([range]);
    return key as number;
  }

  /** Registers the ring of a queue, which is accessed by offsets. @returns its key */
  registerRing(process: number, hi: number, lo: number, length: number, pd: number, rights: number): Proc<number> {
    return this.register(new Range(process, hi, lo, length, pd, rights | MPT_PERMISSION.zeroBased, true));
  }

  /**
   * Registers ranges together, with their translation entries next to each other, so that a few commands write them.
   * @param ranges at least one
   * @returns the key of each
   * @throws HostApiError of kind LIMIT when a table is full
   */
  *registerAll(ranges: readonly Range[]): Proc<readonly number[]> {
    const pages = ranges.reduce((sum, range) => sum + range.pages, 0);
    const keys = this.#reserve(ranges, pages);
    try {
      const first = this.#firstEntry(keys[0] as number);
      if (pages > 0) yield* this.#icm.ensure('mtt', first, pages);
      for (const key of keys) yield* this.#icm.ensure('mpt', this.#keys.indexOf(key), 1);
      const mpts = ranges.map((range, i) => this.#protection(range, keys[i] as number));
      yield* this.#commands.register(first, pages, new MappedPages(this.#map, ranges), mpts);
      return keys;
    } catch (error) {
      this.#release(keys);
      throw error;
    }
  }

  /**
   * Enters what requests are to change: a window, or a region with room for `pages`.
   * @param flags of its entry
   * @returns its first key
   * @throws HostApiError of kind LIMIT when a table is full
   */
  *registerChanged(flags: number, pd: number, pages: number): Proc<number> {
    const key = this.#reserveOne(pages);
    const index = this.#keys.indexOf(key);
    try {
      const mtt = this.#firstEntry(key);
      if (pages > 0) yield* this.#icm.ensure('mtt', mtt, pages);
      yield* this.#icm.ensure('mpt', index, 1);
      const place = { startHi: 0, startLo: 0, length: 0, permissions: 0, mtt };
      yield* this.#commands.register(0, 0, NO_PAGES, [{ key, index, pd, ...place, flags, pages }]);
      return key;
    } catch (error) {
      this.#release([key]);
      throw error;
    }
  }

  /** @throws CommandError where the NIC refuses it, with windows bound: the regions in front of that are deregistered */
  *deregister(keys: readonly number[]): Proc<void> {
    yield* this.#commands.deregister(keys.map((key) => this.#keys.indexOf(key)));
    this.#release(keys);
  }

  #reserve(ranges: readonly Range[], pages: number): number[] {
    if (this.#keys.left < ranges.length) throw this.#full(`all ${this.#entriesOf.mpts - 1} memory keys are in use`);
    let entry = pages === 0 ? 0 : this.#mtts.alloc(pages);
    if (entry < 0) throw this.#full(`${pages} more translation entries do not fit into ${this.#entriesOf.mtts}`);
    return ranges.map((range) => {
      const key = this.#keys.alloc();
      this.#note(key, entry, range.pages);
      entry += range.pages;
      return key;
    });
  }

  #reserveOne(pages: number): number {
    if (this.#keys.left < 1) throw this.#full(`all ${this.#entriesOf.mpts - 1} memory keys are in use`);
    const entry = pages === 0 ? 0 : this.#mtts.alloc(pages);
    if (entry < 0) throw this.#full(`${pages} more translation entries do not fit into ${this.#entriesOf.mtts}`);
    const key = this.#keys.alloc();
    this.#note(key, entry, pages);
    return key;
  }

  #note(key: number, entry: number, pages: number): void {
    const at = 2 * this.#keys.indexOf(key);
    if (at >= this.#entries.length) this.#entries = widened(this.#entries, at + 2);
    this.#entries[at] = entry;
    this.#entries[at + 1] = pages;
  }

  #release(keys: readonly number[]): void {
    for (const key of keys) {
      const count = this.#entries[2 * this.#keys.indexOf(key) + 1] as number;
      if (count > 0) this.#mtts.free(this.#firstEntry(key), count);
      this.#keys.free(key);
    }
  }

  #firstEntry(key: number): number {
    return this.#entries[2 * this.#keys.indexOf(key)] as number;
  }

  #protection(range: Range, key: number): MptFields {
    return {
      key,
      index: this.#keys.indexOf(key),
      pd: range.pd,
      startHi: range.ring ? 0 : range.hi,
      startLo: range.ring ? 0 : range.lo,
      length: range.length,
      permissions: range.permissions,
      mtt: this.#firstEntry(key),
      pageSize: range.pageLog - USUAL_PAGE_LOG,
    };
  }

  #full(what: string): HostApiError {
    return new HostApiError('LIMIT', this.#where, what, 'register fewer or smaller regions at a time');
  }
}

/** Of what requests are to change. */
const NO_PAGES: PageSource = {
  physHi: 0,
  physLo: 0,
  next: () => undefined,
};

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
    while (this.#page === this.#pages) {
      this.#page = 0;
      this.#pages = (this.#ranges[++this.#range] as Range).pages;
    }
    const { process, hi, lo, pageLog } = this.#ranges[this.#range] as Range;
    const bytes = 2 ** pageLog;
    const at = ((lo & ~(bytes - 1)) >>> 0) + this.#page++ * bytes;
    this.#map.translate(process, carried(hi, at), at | 0);
    this.physHi = this.#map.physHi;
    this.physLo = this.#map.physLo;
  }
}
