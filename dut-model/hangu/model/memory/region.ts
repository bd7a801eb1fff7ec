/**
 * A memory region as the translation notes it: what its MPT entry says, and the page of it that was asked for last.
 * Valid as long as the caches hold the entries unaltered: nobody has to be told of it.
 */
import { MPT_KIND, MPT_PERMISSION } from '../../layout/contexts.ts';
import type { MemoryTarget } from '../../../roce/memoryTarget.ts';
import type { EntryTable } from './entryTable.ts';
import { PAGE_BYTES } from '../../layout/commands.ts';

/** Dword indices of an MPT entry as stored in ICM (little-endian). */
export const MPT_DW = {
  flags: 0,
  pageSize: 1,
  key: 2,
  pd: 3,
  startLo: 4,
  startHi: 5,
  lengthLo: 6,
  lengthHi: 7,
  mttSeg: 8,
  mttSz: 9,
  marker: 10,
  /** Of a region: windows that are bound to it. Of a bound window: key of its region, and queue pair of one of type 2. */
  windows: 11,
  parent: 12,
  qpn: 13,
} as const;
const PAGE_SHIFT = Math.log2(PAGE_BYTES);
const MARKER = 0x48474d50;
/** Of `Region.queue`. */
const WINDOW = 2;

/**
 * Marks a valid entry; depends on the key, so that memory which was never written does not pass for one.
 * @param life of the `IcmMap`
 */
export function mptMarker(key: number, life: number): number {
  return key ^ MARKER ^ life;
}

export class Region {
  key = 0;
  pd = 0;
  flags = 0;
  /**
   * 1 when it was entered for relative accesses, otherwise 0: V8 compares numbers faster than truth values. `WINDOW` for a window, of
   * which each access is checked anew: who may use it depends on the queue pair.
   */
  queue = 0;
  /** What addresses count from, distance of that from the start of its page, and the region's length. */
  baseHi = 0;
  baseLo = 0;
  skip = 0;
  lengthHi = 0;
  lengthLo = 0;
  /** First entry of its translation table; log2 of the pages of 4 KiB that an entry stands for, and those of the first one in front of the region. */
  seg = 0;
  pageLog = 0;
  ahead = 0;
  /** Where the MPT entry was found: tag and record of its line, and what the cache had counted then. */
  entry = -1;
  record = 0;
  changes = 0;

  /** Address of the first byte of the noted page that is in the region; its distance from the start of the page. */
  hi = 0;
  from = 0;
  inside = 0;
  /** Bytes from there to the ends of the page and of the region. */
  span = 0;
  rest = 0;
  paHi = 0;
  paLo = 0;
  /** What the page lies in; nobody asks before it is noted. */
  target: MemoryTarget | null = null;
  /** Where the MTT entry was found: tag and record of its line, and what the cache had counted then. */
  pageEntry = -1;
  pageRecord = 0;
  pageChanges = 0;

  /**
   * Takes over the entry at dword `e`, the latest of `mpt`.
   * @param pageLog log2 of the pages of 4 KiB that an entry of its translation table stands for
   */
  note(w: Int32Array, e: number, relative: boolean, mpt: EntryTable, pageLog: number): void {
    const flags = w[e + MPT_DW.flags] as number;
    const startLo = w[e + MPT_DW.startLo] as number;
    const absolute = !relative && (flags & MPT_PERMISSION.zeroBased) === 0;
    this.key = w[e + MPT_DW.key] as number;
    this.pd = w[e + MPT_DW.pd] as number;
    this.flags = flags;
    this.queue = (flags & MPT_KIND.region) === 0 ? WINDOW : relative ? 1 : 0;
    this.baseHi = absolute ? (w[e + MPT_DW.startHi] as number) : 0;
    this.baseLo = absolute ? startLo : 0;
    // Regions start on the page of their first byte: the offset within it comes from the start address.
    this.skip = relative ? 0 : startLo & (PAGE_BYTES - 1);
    this.pageLog = pageLog;
    this.ahead = relative ? 0 : (startLo >>> PAGE_SHIFT) & ((1 << pageLog) - 1);
    this.lengthHi = w[e + MPT_DW.lengthHi] as number;
    this.lengthLo = w[e + MPT_DW.lengthLo] as number;
    this.seg = w[e + MPT_DW.mttSeg] as number;
    this.entry = mpt.latest;
    this.record = mpt.latestRecord;
    this.changes = mpt.changes;
    this.span = 0;
  }

  /**
   * Takes over the page of a target whose MTT entry is the latest of `mtt`.
   * @param lo lower half of the address of byte `inside` of the page, which is byte `offset` of the region's `size`
   */
  notePage(
    target: MemoryTarget,
    paHi: number,
    paLo: number,
    hi: number,
    lo: number,
    inside: number,
    offset: number,
    size: number,
    mtt: EntryTable,
  ): void {
    const back = offset >>> 0 < inside ? offset : inside;
    const rest = (size - offset + back) >>> 0;
    // All in one half of the address space that the lower halves count: pages of addresses start at multiples of their
    // size, and offsets end with the region.
    this.hi = hi;
    this.from = (lo - back) | 0;
    this.inside = inside - back;
    this.span = PAGE_BYTES - this.inside;
    this.rest = Math.min(rest, 0x7fff_ffff);
    this.target = target;
    this.paHi = paHi;
    this.paLo = paLo;
    this.pageEntry = mtt.latest;
    this.pageRecord = mtt.latestRecord;
    this.pageChanges = mtt.changes;
  }
}
