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

/** An access that passed the region's checks and waits for its page. */
interface Carried {
  readonly key: number;
  readonly hi: number;
  readonly lo: number;
  readonly seg: number;
  readonly inPage: number;
}

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
    if (this.#carried.size > 0) {
      const known = this.#carried.get(asker);
      if (known !== undefined && known.key === key && known.hi === hi && known.lo === lo) {
        return this.#page(known, asker);
      }
    }
    const index = key & (this.#icm.mpt.entries - 1);
    const at = this.#mpt.lookup(index, asker);
    if (at < 0) return at === MISS ? XLATE.wait : XLATE.key;
    const e = at >> 2;
    const w = this.bytes.i32;
    const check = this.check(w, e, key, pd, need);
    if (check !== XLATE.ok) return check;
    const startLo = w[e + MPT_DW.startLo] as number;
    const absolute = !relative && ((w[e + MPT_DW.flags] as number) & MPT_PERMISSION.zeroBased) === 0;
    let offset = lo >>> 0;
    let high = hi;
    if (absolute) {
      offset -= startLo >>> 0;
      high -= w[e + MPT_DW.startHi] as number;
    }
    if (high !== 0) offset += high * 0x1_0000_0000;
    const size = (w[e + MPT_DW.lengthHi] as number) * 0x1_0000_0000 + ((w[e + MPT_DW.lengthLo] as number) >>> 0);
    if (!this.inBounds(offset, length, size)) return XLATE.bounds;
    // Regions start on the page of their first byte: the offset within it comes from the start address.
    const inPage = relative ? offset : offset + (startLo & 0xfff);
    const seg = (w[e + MPT_DW.mttSeg] as number) >>> 0;
    const found = this.#look(seg, inPage, asker);
    if (found === XLATE.wait) this.#carried.set(asker, { key, hi, lo, seg, inPage });
    return found;
  }

  /** The regions have changed: whoever waits for a page is checked again. */
  forget(): void {
    this.#carried.clear();
  }

  /** Key, protection domain and permissions of the entry at dword `e`; overridable for planting. */
  protected check(w: Int32Array, e: number, key: number, pd: number, need: number): number {
    if ((w[e + MPT_DW.key] as number) !== (key | 0) || (w[e + MPT_DW.marker] as number) !== mptMarker(key)) {
      return XLATE.key;
    }
    if ((w[e + MPT_DW.pd] as number) !== (pd | 0)) return XLATE.pd;
    if (((w[e + MPT_DW.flags] as number) & need) !== need) return XLATE.permission;
    return XLATE.ok;
  }

  /** Overridable for planting. */
  protected inBounds(offset: number, length: number, size: number): boolean {
    return offset >= 0 && offset + length <= size;
  }

  /** MTT index of byte `inPage` of a region whose first entry is `seg`; overridable for planting. */
  protected mttIndex(seg: number, inPage: number): number {
    return seg + Math.floor(inPage / 4096);
  }

  #page(known: Carried, asker: Resumable): number {
    const found = this.#look(known.seg, known.inPage, asker);
    if (found !== XLATE.wait) this.#carried.delete(asker);
    return found;
  }

  /** Physical address of byte `inPage` of a region, by its MTT entry. */
  #look(seg: number, inPage: number, asker: Resumable): number {
    const index = this.mttIndex(seg, inPage);
    const at = this.#mtt.lookup(index, asker);
    if (at < 0) return at === MISS ? XLATE.wait : XLATE.table;
    const e = (at >> 2) + (index & 3) * 2;
    const w = this.bytes.i32;
    const inside = inPage & 0xfff;
    this.paLo = (w[e] as number) | inside;
    this.paHi = w[e + 1] as number;
    this.available = 4096 - inside;
    return XLATE.ok;
  }
}
