/**
 * Virtual to physical: key to MPT entry, checks, page to MTT entry (hangu-rtl-facts.md 3.6).
 *
 * Checks in order: key, protection domain, permissions, bounds with both ends. "Relative" accesses (queues) give an
 * offset from the start of the region, "absolute" ones (data) a virtual address, or an offset when the region is
 * zero-based.
 *
 * A request that waits for its MTT entry carries what the MPT said, as it does in the hardware's pipeline: it is not
 * checked twice, and two that evict each other's MPT entries still both come to an end.
 *
 * What the entries of the regions and pages used last said is noted: the same look-ups are made of the caches in the
 * same order, only not decoded and computed again.
 */
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import type { MemoryTarget } from '../../../roce/memoryTarget.ts';
import { type EntryTable, FAILED, MISS } from './entryTable.ts';
import type { IcmMap } from './icmMap.ts';
import { MPT_DW, mptMarker, Region } from './region.ts';
import { TWO_32 } from '../../../../uvm/bytes/words.ts';
import { PAGE_BYTES } from '../../layout/commands.ts';
import { KEY_TAG_BITS, MPT_KIND, MPT_PERMISSION } from '../../layout/contexts.ts';

/** Result of a translation: done, wait for `resume`, or the check that failed (one-hot as in the hardware); `failed`: reading an entry did. */
export const XLATE = { ok: 0, wait: -1, pd: 1, permission: 2, key: 4, bounds: 8, table: 16, failed: 32 } as const;

/** Regions noted, a power of two. */
const NOTED = 2048;
/** Rights of the other side; and what says that an entry is a region that opens something. */
const REMOTE = MPT_PERMISSION.remoteWrite | MPT_PERMISSION.remoteRead | MPT_PERMISSION.remoteAtomic;
const USUAL = MPT_KIND.region | MPT_KIND.free;
/** 2^32 over the golden ratio: multiples of it are spread evenly. */
const SPREAD = 0x9e3779b1;

/**
 * An access that passed the region's checks and waits for its page: what the region said, bytes of the region from here
 * on, number of the page of 4 KiB from the first entry of the region on, byte in it.
 */
interface Carried {
  readonly key: number;
  readonly pd: number;
  readonly flags: number;
  readonly hi: number;
  readonly lo: number;
  readonly left: number;
  readonly seg: number;
  readonly page: number;
  readonly pageLog: number;
  readonly inside: number;
}

export class Translation {
  /** Result of the last successful `translate`: what the address lies in, the address there, and bytes up to the end of its page. */
  target: MemoryTarget;
  paHi = 0;
  paLo = 0;
  available = 0;
  /** Bits of a key below its index in the table. */
  tagBits = 0;
  /** Queue pair for which remote memory is asked for: of windows that belong to one. */
  qpn = -1;
  /** Windows of type 2 are of type 2A. */
  anyDomainWindows = false;

  protected readonly bytes: ByteStore;
  readonly #mpt: EntryTable;
  readonly #mtt: EntryTable;
  readonly #icm: IcmMap;
  /** Where nothing is noted yet, `#nowhere` fills the place: no access is in it. */
  readonly #nowhere = new Region();
  readonly #regions = new Array<Region>(NOTED).fill(this.#nowhere);
  /** The region of the last access, if that was noted. */
  #near = this.#nowhere;
  readonly #carried = new Map<Resumable, Carried>();
  #carrying = 0;
  readonly #targets: readonly MemoryTarget[];
  /** Lower half of the address of the page that was looked up last. */
  #pageLo = 0;

  /** @param targets host memory first */
  constructor(
    bytes: ByteStore,
    icm: IcmMap,
    mpt: EntryTable,
    mtt: EntryTable,
    targets: readonly [MemoryTarget, ...MemoryTarget[]],
  ) {
    this.bytes = bytes;
    this.#icm = icm;
    this.#mpt = mpt;
    this.#mtt = mtt;
    this.#targets = targets;
    [this.target] = targets;
  }

  /**
   * Translates the first byte of an access of `length` bytes (at least 1) at virtual address (hi, lo) through `key`.
   * @param need `MPT_PERMISSION` bits asked for
   * @param relative true for queues: (hi, lo) is an offset from the region's start
   * @param asker resumed when the result is `XLATE.wait`; call again then
   */
  translate(
    key: number,
    pd: number,
    hi: number,
    lo: number,
    length: number,
    need: number,
    relative: boolean,
    asker: Resumable,
  ): number {
    // The common case: a noted region, in the page of it that was asked for last.
    const g = this.#regions[placeOf(key)] as Region;
    const at = (lo - g.from) | 0;
    if (
      g.key !== key ||
      g.pd !== pd ||
      g.queue !== (relative ? 1 : 0) ||
      (g.flags & need) !== need ||
      g.hi !== hi ||
      at < 0 ||
      at >= g.span ||
      length > g.rest - at ||
      (this.#carrying > 0 && this.#carried.has(asker)) ||
      !this.#mpt.again(g.entry, g.record, g.changes) ||
      !this.#mtt.again(g.pageEntry, g.pageRecord, g.pageChanges)
    ) {
      return this.#search(key, pd, hi, lo, length, need, relative, asker);
    }
    this.#near = g;
    this.#locate(g, at + g.inside);
    return XLATE.ok;
  }

  /**
   * As `translate` with the same protection domain, permissions and kind of access, right after that: nothing else has
   * been asked of this translation and its caches in between. Finds what lies in the same page of the same region.
   * @returns false when it does not; ask `translate` then
   */
  next(key: number, hi: number, lo: number, length: number): boolean {
    const g = this.#near;
    const at = (lo - g.from) | 0;
    if (g.key !== key || g.hi !== hi || at < 0 || at >= g.span || length > g.rest - at) return false;
    this.#locate(g, at + g.inside);
    return true;
  }

  /** The regions have changed: whoever waits for a page is checked again. */
  forget(): void {
    // Seldom does anybody wait, and emptying an empty map is not free.
    if (this.#carrying === 0) return;
    this.#carried.clear();
    this.#carrying = 0;
  }

  /** An asker that may have waited does not come back for its page. Who asks for something is used for something else. */
  drop(asker: Resumable): void {
    if (this.#carrying === 0) return;
    this.#carried.delete(asker);
    this.#carrying = this.#carried.size;
  }

  /** The result: byte `inside` of the page that is noted. */
  #locate(g: Region, inside: number): void {
    this.target = g.target as MemoryTarget;
    this.paHi = g.paHi;
    this.paLo = g.paLo | inside;
    this.available = PAGE_BYTES - inside;
  }

  /** MTT index of page `page` of a region whose first entry is `seg`; overridable for planting. */
  protected mttIndex(seg: number, page: number): number {
    return seg + page;
  }

  /**
   * Which target a page lies in, by its MTT entry: a kind with memory of its own has a bit for that, which belongs to no
   * address (`addressOf`). @returns 0 for host memory
   */
  protected targetOf(_lo: number, _hi: number): number {
    return 0;
  }

  /** Lower half of the address of a page within its target, by that of its MTT entry. */
  protected addressOf(lo: number): number {
    return lo;
  }

  /**
   * log2 of the pages of 4 KiB that each translation entry of a region stands for, by the page size of its MPT entry. The hardware of
   * HanGu keeps that, and has pages of 4 KiB only.
   */
  pageLogOf(_pageSize: number): number {
    return 0;
  }

  /** Which of the pages of 4 KiB of an entry page `page` is; overridable for planting. */
  protected partOf(page: number, pageLog: number): number {
    return page % 2 ** pageLog;
  }

  /** Place of a key in the table; overridable for planting. */
  indexOf(key: number): number {
    return (key >>> this.tagBits) & (this.#icm.mpt.entries - 1);
  }

  /** Bits of a key of which each entry keeps the index and the tag. */
  set tagged(isSo: boolean) {
    this.tagBits = isSo ? KEY_TAG_BITS : 0;
  }

  /** Whether an entry is that of a key; overridable for planting. */
  protected sameKey(entry: number, key: number): boolean {
    return entry === (key | 0);
  }

  /** What an entry that requests change opens, if anything; overridable for planting. @param qpn that it is bound to @returns XLATE */
  protected opensChanged(flags: number, qpn: number, need: number): number {
    if ((flags & MPT_KIND.free) !== 0) return XLATE.key;
    if ((flags & MPT_KIND.region) !== 0) return XLATE.ok;
    if ((need & REMOTE) === 0 || ((flags & MPT_KIND.type2) !== 0 && !this.sameQueuePair(qpn))) return XLATE.key;
    return XLATE.ok;
  }

  /** Whether domains do not count for an entry: windows of type 2A. */
  protected isAnyDomain(flags: number): boolean {
    return this.anyDomainWindows && (flags & (MPT_KIND.region | MPT_KIND.type2)) === MPT_KIND.type2;
  }

  /** Whether a window of type 2 is bound to the queue pair for which it is asked; overridable for planting. */
  protected sameQueuePair(qpn: number): boolean {
    return qpn === this.qpn;
  }

  /** Whether a region of one protection domain opens to a queue pair of another; overridable for planting. */
  protected sameDomain(region: number, pair: number): boolean {
    return region === pair;
  }

  /** As `translate`, by what the caches hold. */
  #search(
    key: number,
    pd: number,
    hi: number,
    lo: number,
    length: number,
    need: number,
    relative: boolean,
    asker: Resumable,
  ): number {
    this.#near = this.#nowhere;
    if (this.#carrying > 0) {
      const known = this.#carried.get(asker);
      if (known !== undefined && allows(known, key, pd, hi, lo, length, need)) return this.#goOn(known, asker);
      this.drop(asker);
    }
    const place = placeOf(key);
    let g = this.#regions[place] as Region;
    const queue = relative ? 1 : 0;
    const same = g.key === key && g.pd === pd && g.queue === queue && (g.flags & need) === need;
    const there = same && this.#mpt.again(g.entry, g.record, g.changes);
    if (!there) {
      const entered = this.#enter(key, pd, need, relative, asker);
      if (entered !== XLATE.ok) return entered;
      g = this.#regions[place] as Region;
    }
    // Nearly all accesses lie in the first 4 GiB of their region: 32-bit arithmetic. What does not fit is left to `#far`.
    const offset = (lo - g.baseLo) | 0;
    const borrow = lo >>> 0 < g.baseLo >>> 0 ? 1 : 0;
    const size = g.lengthHi === 0 ? g.lengthLo : -1;
    const left = (size - offset) >>> 0;
    if (hi !== g.baseHi + borrow || offset >>> 0 >= size >>> 0 || length > left) {
      return this.#far(g, hi, lo, length, asker);
    }
    const from = (offset & 0xfff) + g.skip;
    const inside = from & 0xfff;
    const found = this.#page(g, hi, lo, left, (offset >>> 12) + (from >> 12), inside, asker);
    // With many more regions in use than are noted, none is asked for twice while it is: its page is not noted at once.
    if (found !== XLATE.ok || !there) return found;
    g.notePage(this.target, this.paHi, this.#pageLo, hi, lo, inside, offset, size, this.#mtt);
    this.#near = g;
    return XLATE.ok;
  }

  /** Checks key, protection domain and permissions, and notes the key's region. */
  #enter(key: number, pd: number, need: number, relative: boolean, asker: Resumable): number {
    const at = this.#mpt.lookup(this.indexOf(key), asker);
    if (at < 0) return missing(at, XLATE.key);
    const e = at >> 2;
    const w = this.bytes.i32;
    const held = w[e + MPT_DW.key] as number;
    if (!this.sameKey(held, key) || w[e + MPT_DW.marker] !== mptMarker(held, this.#icm.life)) return XLATE.key;
    const flags = w[e + MPT_DW.flags] as number;
    if (!this.sameDomain(w[e + MPT_DW.pd] as number, pd | 0) && !this.isAnyDomain(flags)) return XLATE.pd;
    if ((flags & USUAL) !== MPT_KIND.region) {
      const opened = this.opensChanged(flags, w[e + MPT_DW.qpn] as number, need);
      if (opened !== XLATE.ok) return opened;
    }
    if ((flags & need) !== need) return XLATE.permission;
    const place = placeOf(key);
    if (this.#regions[place] === this.#nowhere) this.#regions[place] = new Region();
    (this.#regions[place] as Region).note(w, e, relative, this.#mpt, this.pageLogOf(w[e + MPT_DW.pageSize] as number));
    return XLATE.ok;
  }

  /** The general case: any offset that a number holds, and the exact check of the bounds. */
  #far(g: Region, hi: number, lo: number, length: number, asker: Resumable): number {
    const offset = (hi - g.baseHi) * TWO_32 + ((lo >>> 0) - (g.baseLo >>> 0));
    const left = g.lengthHi * TWO_32 + (g.lengthLo >>> 0) - offset;
    if (offset < 0 || length > left) return XLATE.bounds;
    const inPage = offset + g.skip;
    return this.#page(g, hi, lo, left, Math.floor(inPage / PAGE_BYTES), inPage & 0xfff, asker);
  }

  /** Page `number` of 4 KiB of a region: looks it up, or has the access carried until that can be done. */
  #page(g: Region, hi: number, lo: number, left: number, number: number, inside: number, asker: Resumable): number {
    const { key, pd, flags, seg, pageLog } = g;
    const page = number + g.ahead;
    const found = this.#look(seg, page, pageLog, inside, asker);
    if (found === XLATE.wait) {
      this.#carried.set(asker, { key, pd, flags, hi, lo, left, seg, page, pageLog, inside });
      this.#carrying = this.#carried.size;
    }
    return found;
  }

  /** An access that has been checked before, and waited for its page. */
  #goOn(known: Carried, asker: Resumable): number {
    const found = this.#look(known.seg, known.page, known.pageLog, known.inside, asker);
    if (found !== XLATE.wait) this.#carried.delete(asker);
    this.#carrying = this.#carried.size;
    return found;
  }

  /** Physical address of byte `inside` of page `page` of 4 KiB behind the start of entry `seg`, by the MTT entry that it lies in. */
  #look(seg: number, page: number, pageLog: number, inside: number, asker: Resumable): number {
    const index = this.mttIndex(seg, pageLog === 0 ? page : Math.floor(page / 2 ** pageLog));
    const at = this.#mtt.lookup(index, asker);
    if (at < 0) return missing(at, XLATE.table);
    const e = (at >> 2) + (index & 3) * 2;
    const w = this.bytes.i32;
    const lo = w[e] as number;
    const hi = w[e + 1] as number;
    this.target = this.#targets[this.targetOf(lo, hi)] as MemoryTarget;
    this.#pageLo = this.addressOf(lo);
    if (pageLog !== 0) this.#pageLo |= this.partOf(page, pageLog) * PAGE_BYTES;
    this.paLo = this.#pageLo | inside;
    this.paHi = hi;
    this.available = PAGE_BYTES - inside;
    return XLATE.ok;
  }
}

/** What a look-up that found no entry means. @param unmapped where there is none */
function missing(at: number, unmapped: number): number {
  if (at === MISS) return XLATE.wait;
  return at === FAILED ? XLATE.failed : unmapped;
}

/**
 * Where the region of a key is noted. Neighbours are noted side by side; blocks of keys are spread, since the regions
 * of a queue pair have keys that differ by multiples of the number of queue pairs.
 */
function placeOf(key: number): number {
  return (key ^ (Math.imul(key >>> 9, SPREAD) >>> 21)) & (NOTED - 1);
}

/** True when what a region said of an access that waits covers this one: nearly always it is the same, made again. */
function allows(
  known: Carried,
  key: number,
  pd: number,
  hi: number,
  lo: number,
  length: number,
  need: number,
): boolean {
  const here = known.key === key && known.hi === hi && known.lo === lo;
  return here && known.pd === pd && (known.flags & need) === need && length <= known.left;
}
