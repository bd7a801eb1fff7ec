/**
 * Virtual to physical: key to MPT entry, checks, page to MTT entry (hangu-rtl-facts.md 3.6).
 *
 * Checks in order: key, protection domain, permissions, bounds with both ends. "Relative" accesses (queues) give an
 * offset from the start of the region, "absolute" ones (data) a virtual address, or an offset when the region is
 * zero-based.
 *
 * A request that waits for its MTT entry carries what the MPT said, as it does in the hardware's pipeline: it is not
 * checked twice, and two that evict each other's MPT entries still both come to an end.
 */
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { MPT_PERMISSION } from '../../rdma/hangu/contexts.ts';
import type { Resumable } from '../roce/rxPacket.ts';
import { MISS } from './icmCache.ts';
import type { IcmCache } from './icmCache.ts';
import type { IcmMap } from './icmMap.ts';

/** Result of a translation: done, wait for `resume`, or the check that failed (one-hot as in the hardware). */
export const XLATE = { ok: 0, wait: -1, pd: 1, permission: 2, key: 4, bounds: 8, table: 16 } as const;

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
} as const;
const MARKER = 0x48474d50;

/** Marks a valid entry; depends on the key, so that memory which was never written does not pass for one. */
export function mptMarker(key: number): number {
  return (key ^ MARKER) | 0;
}

/** An access that passed the region's checks and waits for its page: number of that page in the region, byte in it. */
interface Carried {
  readonly key: number;
  readonly hi: number;
  readonly lo: number;
  readonly seg: number;
  readonly page: number;
  readonly inside: number;
}

/** No entry of a table has this number. */
const NO_ENTRY = -2;

export class Translation {
  /** Result of the last successful `translate`: address, and bytes up to the end of its page. */
  paHi = 0;
  paLo = 0;
  available = 0;

  protected readonly bytes: ByteStore;
  readonly #mpt: IcmCache;
  readonly #mtt: IcmCache;
  readonly #icm: IcmMap;
  readonly #carried = new Map<Resumable, Carried>();
  #carrying = 0;

  // The region that was entered last. It need not be looked up and checked again while its entry is still the latest
  // that the cache found and nobody has called `forget`.
  #entry = NO_ENTRY;
  #key = 0;
  #pd = 0;
  #flags = 0;
  /** 1 when it was entered for relative accesses, otherwise 0: V8 compares numbers faster than truth values. */
  #queue = 0;
  /** What addresses count from, distance of that from the start of its page, and the region's length. */
  #baseHi = 0;
  #baseLo = 0;
  #skip = 0;
  #lengthHi = 0;
  #lengthLo = 0;
  /** First entry of its translation table. */
  #seg = 0;

  constructor(bytes: ByteStore, icm: IcmMap, mpt: IcmCache, mtt: IcmCache) {
    this.bytes = bytes;
    this.#icm = icm;
    this.#mpt = mpt;
    this.#mtt = mtt;
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
    if (this.#carrying > 0) {
      const known = this.#carried.get(asker);
      if (known !== undefined && known.key === key && known.hi === hi && known.lo === lo) {
        return this.#goOn(known, asker);
      }
    }
    const queue = relative ? 1 : 0;
    const same = key === this.#key && pd === this.#pd && queue === this.#queue && (this.#flags & need) === need;
    if (!same || this.#mpt.latest !== this.#entry) {
      const entered = this.#enter(key, pd, need, relative, asker);
      if (entered !== XLATE.ok) return entered;
    }
    // Nearly all accesses lie in the first 4 GiB of their region: 32-bit arithmetic. What does not fit is left to `#far`.
    const baseLo = this.#baseLo;
    const offset = (lo - baseLo) | 0;
    const borrow = lo >>> 0 < baseLo >>> 0 ? 1 : 0;
    const size = this.#lengthHi === 0 ? this.#lengthLo : -1;
    if (hi !== this.#baseHi + borrow || offset >>> 0 >= size >>> 0 || length > (size - offset) >>> 0) {
      return this.#far(key, hi, lo, length, asker);
    }
    const from = (offset & 0xfff) + this.#skip;
    const page = (offset >>> 12) + (from >> 12);
    const inside = from & 0xfff;
    const found = this.#look(this.#seg, page, inside, asker);
    if (found === XLATE.wait) this.#carry(key, hi, lo, page, inside, asker);
    return found;
  }

  /** The regions have changed: whoever waits for a page is checked again. */
  forget(): void {
    this.#entry = NO_ENTRY;
    this.#carried.clear();
    this.#carrying = 0;
  }

  /** MTT index of page `page` of a region whose first entry is `seg`, for its byte `inside`; overridable for planting. */
  protected mttIndex(seg: number, page: number, _inside: number): number {
    return seg + page;
  }

  /** Checks key, protection domain and permissions, and makes the key's region the current one. */
  #enter(key: number, pd: number, need: number, relative: boolean, asker: Resumable): number {
    this.#entry = NO_ENTRY;
    const at = this.#mpt.lookup(key & (this.#icm.mpt.entries - 1), asker);
    if (at < 0) return at === MISS ? XLATE.wait : XLATE.key;
    const e = at >> 2;
    const w = this.bytes.i32;
    if (w[e + MPT_DW.key] !== (key | 0) || w[e + MPT_DW.marker] !== mptMarker(key)) return XLATE.key;
    if (w[e + MPT_DW.pd] !== (pd | 0)) return XLATE.pd;
    const flags = w[e + MPT_DW.flags] as number;
    if ((flags & need) !== need) return XLATE.permission;
    const startLo = w[e + MPT_DW.startLo] as number;
    const absolute = !relative && (flags & MPT_PERMISSION.zeroBased) === 0;
    this.#key = key;
    this.#pd = pd;
    this.#flags = flags;
    this.#queue = relative ? 1 : 0;
    this.#baseHi = absolute ? (w[e + MPT_DW.startHi] as number) : 0;
    this.#baseLo = absolute ? startLo : 0;
    // Regions start on the page of their first byte: the offset within it comes from the start address.
    this.#skip = relative ? 0 : startLo & 0xfff;
    this.#lengthHi = w[e + MPT_DW.lengthHi] as number;
    this.#lengthLo = w[e + MPT_DW.lengthLo] as number;
    this.#seg = w[e + MPT_DW.mttSeg] as number;
    this.#entry = this.#mpt.latest;
    return XLATE.ok;
  }

  /** The general case: any offset that a number holds, and the exact check of the bounds. */
  #far(key: number, hi: number, lo: number, length: number, asker: Resumable): number {
    const offset = (hi - this.#baseHi) * 0x1_0000_0000 + ((lo >>> 0) - (this.#baseLo >>> 0));
    if (offset < 0 || offset + length > this.#lengthHi * 0x1_0000_0000 + (this.#lengthLo >>> 0)) return XLATE.bounds;
    const inPage = offset + this.#skip;
    const page = Math.floor(inPage / 4096);
    const inside = inPage & 0xfff;
    const found = this.#look(this.#seg, page, inside, asker);
    if (found === XLATE.wait) this.#carry(key, hi, lo, page, inside, asker);
    return found;
  }

  #carry(key: number, hi: number, lo: number, page: number, inside: number, asker: Resumable): void {
    this.#carried.set(asker, { key, hi, lo, seg: this.#seg, page, inside });
    this.#carrying = this.#carried.size;
  }

  /** An access that has been checked before, and waited for its page. */
  #goOn(known: Carried, asker: Resumable): number {
    const found = this.#look(known.seg, known.page, known.inside, asker);
    if (found !== XLATE.wait) this.#carried.delete(asker);
    this.#carrying = this.#carried.size;
    return found;
  }

  /** Physical address of byte `inside` of page `page` of a region, by its MTT entry. */
  #look(seg: number, page: number, inside: number, asker: Resumable): number {
    const index = this.mttIndex(seg, page, inside);
    const at = this.#mtt.lookup(index, asker);
    if (at < 0) return at === MISS ? XLATE.wait : XLATE.table;
    const e = (at >> 2) + (index & 3) * 2;
    const w = this.bytes.i32;
    this.paLo = (w[e] as number) | inside;
    this.paHi = w[e + 1] as number;
    this.available = 4096 - inside;
    return XLATE.ok;
  }
}
