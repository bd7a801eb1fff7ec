/**
 * Keys that requests change: windows that are bound, regions that are registered with a page list, and what invalidates both, also
 * from afar (roce-transport.md 4.5, 4.6, 4.8). Each change goes step by step, with one entry of the table in hand at a time: a cache may
 * hold no two.
 */
import { PAGE_BYTES } from '../../layout/commands.ts';
import { HANGU_LIMITS } from '../../layout/limits.ts';
import { MPT_KIND, MPT_PERMISSION } from '../../layout/contexts.ts';
import { BIND_SEG, CQE_SYNDROME, INVALIDATE_SEG, PAGE_LIST, REG_SEG, WQE_OPCODE } from '../../layout/queues.ts';
import { TWO_32 } from '../../../../uvm/bytes/words.ts';
import type { Resumable } from '../../../roce/rxPacket.ts';
import type { HanguCore } from '../core.ts';
import type { SendRequest } from '../transport/qpSlot.ts';
import { MISS } from './entryTable.ts';
import type { Asker, KeyUnit } from './keyUnit.ts';
import { KeyWork } from './keyWork.ts';
import { MPT_DW, mptMarker } from './region.ts';

/** Result of a step besides `DONE` and syndromes: its work is resumed. */
export const WAITS = -1;
export const DONE = 0;

const PERMISSIONS = 0xff;
const NO_ENTRY = -1;
const WAIT_ENTRY = -2;

export class MemoryKeys implements KeyUnit {
  protected readonly core: HanguCore;
  /** Windows that are bound, or are being bound, by the key of their region: their indices. */
  readonly #windowsOf = new Map<number, Set<number>>();
  /** Windows that software has handed over. */
  #windows = 0;
  /** Room for page lists that nobody uses. */
  readonly #lists: number[] = [];

  constructor(core: HanguCore) {
    this.core = core;
  }

  reset(): void {
    this.#windowsOf.clear();
    this.#windows = 0;
  }

  windowMade(): boolean {
    if (!this.hasRoom(this.#windows)) return false;
    this.#windows++;
    return true;
  }

  windowGone(): void {
    this.#windows--;
  }

  /** Goes on with a request of a send queue. @returns `DONE`, `WAITS`, or the syndrome that it fails with */
  request(r: SendRequest, asker: Asker): number {
    r.keyWork ??= new KeyWork(r.slot);
    const work = r.keyWork;
    work.running = true;
    const result = this.#request(r, work, asker);
    work.running = false;
    return result;
  }

  /** A request is over, whatever has become of it. */
  release(r: SendRequest): void {
    const work = r.keyWork;
    if (work === null) return;
    r.keyWork = null;
    work.abandon();
    if (work.list >= 0 && !work.pending) this.#lists.push(work.list);
  }

  /** Goes on with what a SEND takes away. @returns as `request` */
  invalidateFromAfar(work: KeyWork, key: number, asker: Asker): number {
    work.running = true;
    const result = this.#invalidate(work, key, asker, true);
    work.running = false;
    return result;
  }

  /** Overridable for planting. */
  settle(work: KeyWork): boolean {
    if (!this.core.running) return true;
    switch (work.step) {
      case BOUND:
      case UNDO:
        return this.unbound(work.window, work.parent, work);
      case CLOSED:
        return this.unbound(work.window, work.formerParent, work);
      case REBOUND:
        return this.#isUncounted(work.formerParent, work);
      default:
        return true;
    }
  }

  /** Whether HW2SW_MPT may take the entry at dword `e` (T-068); overridable for planting. */
  mayTakeBack(w: Int32Array, e: number): boolean {
    const isRegion = ((w[e + MPT_DW.flags] as number) & MPT_KIND.region) !== 0;
    return !isRegion || (w[e + MPT_DW.windows] as number) === 0 || this.core.config.deregBound !== 0;
  }

  /** A window is bound to a region no more: that counts one fewer. @returns false when `asker` has to wait */
  unbound(window: number, parent: number, asker: Resumable): boolean {
    if (parent === 0) return true;
    if (!this.#isUncounted(parent, asker)) return false;
    this.#windowsOf.get(parent)?.delete(this.core.xlate.indexOf(window));
    return true;
  }

  /** The region of a key is gone: so are its windows, where it could be taken back with some bound. @returns false when `asker` has to wait */
  regionGone(key: number, asker: Resumable): boolean {
    const { core } = this;
    const windows = this.#windowsOf.get(key) ?? new Set<number>();
    for (const index of windows) {
      const at = core.mpt.lookup(index, asker);
      if (at === MISS) return false;
      windows.delete(index);
      const e = at >> 2;
      const w = core.bytes.i32;
      if (at < 0 || w[e + MPT_DW.parent] !== key) continue;
      w[e + MPT_DW.flags] = (w[e + MPT_DW.flags] as number) | MPT_KIND.free;
      w[e + MPT_DW.parent] = 0;
      core.mpt.alter(at);
    }
    this.#windowsOf.delete(key);
    core.xlate.forget();
    return true;
  }

  /** Whether there is room for a window beside so many; overridable for planting. */
  protected hasRoom(windows: number): boolean {
    return windows < HANGU_LIMITS.maxWindows;
  }

  /** Whether a key may be invalidated, and by whom; overridable for planting. @param e dword of its entry */
  protected mayInvalidate(w: Int32Array, e: number, { pd, qpn }: Asker, remote: boolean): boolean {
    const flags = w[e + MPT_DW.flags] as number;
    if ((flags & MPT_KIND.free) !== 0 || !this.isOfDomain(w[e + MPT_DW.pd] as number, pd)) return false;
    if ((flags & MPT_KIND.region) === 0) return (flags & MPT_KIND.type2) !== 0 && w[e + MPT_DW.qpn] === qpn;
    if ((w[e + MPT_DW.windows] as number) > 0) return false;
    return (flags & (remote ? MPT_KIND.remoteInvalidate : MPT_KIND.fastRegistrable)) !== 0;
  }

  /** Whether what a request names is of its domain; overridable for planting. */
  protected isOfDomain(entry: number, pd: number): boolean {
    return entry === pd;
  }

  /** A key opens nothing any more; overridable for planting. @param e dword of its entry */
  protected close(w: Int32Array, e: number): void {
    w[e + MPT_DW.flags] = (w[e + MPT_DW.flags] as number) | MPT_KIND.free;
    this.core.mpt.alter(e << 2);
    this.core.xlate.forget();
  }

  /** Whether a region lets a window of these rights be bound to it; overridable for planting. @param e dword of its entry @param rights `MPT_PERMISSION` */
  protected lets(w: Int32Array, e: number, rights: number): boolean {
    const flags = w[e + MPT_DW.flags] as number;
    if ((flags & (MPT_KIND.region | MPT_KIND.free)) !== MPT_KIND.region) return false;
    if ((flags & MPT_PERMISSION.mwBind) === 0 || (flags & MPT_PERMISSION.zeroBased) !== 0) return false;
    const needsLocal = (rights & (MPT_PERMISSION.remoteWrite | MPT_PERMISSION.remoteAtomic)) !== 0;
    return !needsLocal || (flags & MPT_PERMISSION.localWrite) !== 0;
  }

  /** Whether a range lies in a region; overridable for planting. @param from of the region's start, bytes */
  protected isInside(from: number, length: number, size: number): boolean {
    return from >= 0 && from + length <= size;
  }

  /** Whether a window may be bound now, and as what; overridable for planting. @param e dword of its entry */
  protected mayBind(w: Int32Array, e: number, type2: boolean, length: number, { pd }: Asker): boolean {
    const flags = w[e + MPT_DW.flags] as number;
    if ((flags & MPT_KIND.region) !== 0 || ((flags & MPT_KIND.type2) !== 0) !== type2) return false;
    const tolerated = !type2 && this.core.config.bindForeign !== 0;
    if (!tolerated && !this.isOfDomain(w[e + MPT_DW.pd] as number, pd)) return false;
    return !type2 || ((flags & MPT_KIND.free) !== 0 && length > 0);
  }

  /** Rights that a window has; overridable for planting. @param asked `MPT_PERMISSION` */
  protected rightsOf(asked: number): number {
    return asked;
  }

  /** Queue pair that a window is bound to; overridable for planting. */
  protected boundTo({ qpn }: Asker): number {
    return qpn;
  }

  /** Pages of a region in front of a window; overridable for planting. @param bytes from the start of the region's first page */
  protected pagesBefore(bytes: number, pageBytes: number): number {
    return Math.floor(bytes / pageBytes);
  }

  /** Key that a window or a region has from now on; overridable for planting. @param asked by the request */
  protected keyOf(asked: number): number {
    return asked;
  }

  /** Whether a page list has room in a region; overridable for planting. */
  protected holdsPages(pages: number, room: number): boolean {
    return pages >= 1 && pages <= room;
  }

  /** Address that the entry `i` of a page list gives, at dword `d` of it; overridable for planting. */
  protected pageOf(w: Int32Array, d: number, i: number): number {
    return w[d + 2 * i] as number;
  }

  #request(r: SendRequest, work: KeyWork, asker: Asker): number {
    const { bytes } = this.core;
    switch (r.opcode) {
      case WQE_OPCODE.bindMw:
        return this.#bind(r, work, asker);
      case WQE_OPCODE.regMr:
        return this.#register(r, work, asker);
      default:
        return this.#invalidate(work, bytes.i32[r.segments + INVALIDATE_SEG.key] as number, asker, false);
    }
  }

  #invalidate(work: KeyWork, key: number, asker: Asker, remote: boolean): number {
    const { core } = this;
    if (work.step === 0) {
      const e = this.#entry(key, work);
      if (e === WAIT_ENTRY) return WAITS;
      const w = core.bytes.i32;
      if (e === NO_ENTRY || !this.mayInvalidate(w, e, asker, remote)) return this.#refusedInvalidation();
      work.window = key;
      work.counter = this;
      work.formerParent = this.#parentOf(w, e);
      this.close(w, e);
      work.step = CLOSED;
    }
    return this.#closed(work, key);
  }

  /** Behind the change of an entry: its former region counts one window fewer, and what was read or written under it is done. */
  #closed(work: KeyWork, key: number): number {
    if (work.step === CLOSED) {
      if (!this.unbound(key, work.formerParent, work)) return WAITS;
      work.step = COUNTED;
      work.pending = true;
      this.core.fence(work, 0);
    }
    return work.pending ? WAITS : DONE;
  }

  #refusedInvalidation(): number {
    return this.core.config.invProtection === 0 ? CQE_SYNDROME.localQpOperation : CQE_SYNDROME.localProtection;
  }

  #bind(r: SendRequest, work: KeyWork, asker: Asker): number {
    const segment = new BindSegment(this.core.bytes.i32, r.segments);
    if (work.step === UNDO) return this.#undone(work, segment.newKey);
    if (work.step === REBOUND) return this.#uncounted(work, work.formerParent);
    if (work.step === 0) {
      const found = this.#bindRegion(work, segment, asker);
      if (found !== DONE) return found;
      work.window = segment.newKey;
      work.counter = this;
      work.step = BOUND;
    }
    if (work.step === BOUND) {
      const e = this.#indexEntry(segment.newKey, work);
      if (e === WAIT_ENTRY) return WAITS;
      const w = this.core.bytes.i32;
      const isLost = work.parent !== 0 && this.#windowsOf.get(work.parent) === undefined;
      if (e === NO_ENTRY || isLost || !this.mayBind(w, e, segment.type2, segment.length, asker)) {
        work.step = UNDO;
        return this.#undone(work, segment.newKey);
      }
      work.formerParent = this.#parentOf(w, e);
      this.#writeWindow(w, e, work, segment, asker);
      work.step = CLOSED;
      // The same region may have it, in another place.
      if (work.formerParent === work.parent) return this.#rebound(work);
    }
    return this.#closed(work, segment.newKey);
  }

  /** A window goes to another place of its region, which has counted it twice. */
  #rebound(work: KeyWork): number {
    work.parent = 0;
    const former = work.formerParent;
    if (former === 0) {
      work.step = COUNTED;
      return DONE;
    }
    work.step = REBOUND;
    return this.#uncounted(work, former);
  }

  #uncounted(work: KeyWork, region: number): number {
    if (!this.#isUncounted(region, work)) return WAITS;
    work.formerParent = 0;
    work.step = CLOSED;
    return this.#closed(work, 0);
  }

  /** A region counts one window fewer. @returns false when `asker` has to wait */
  #isUncounted(region: number, asker: Resumable): boolean {
    const e = this.#entry(region, asker);
    if (e === WAIT_ENTRY) return false;
    if (e === NO_ENTRY) return true;
    const w = this.core.bytes.i32;
    w[e + MPT_DW.windows] = Math.max(0, (w[e + MPT_DW.windows] as number) - 1);
    this.core.mpt.touch(e << 2);
    return true;
  }

  /** Finds the region of a window that is to be bound, which counts it from now on; there is none for one of no bytes. */
  #bindRegion(work: KeyWork, segment: BindSegment, asker: Asker): number {
    if (segment.length === 0 && !segment.type2) return DONE;
    const e = this.#entry(segment.regionKey, work);
    if (e === WAIT_ENTRY) return WAITS;
    const w = this.core.bytes.i32;
    if (e === NO_ENTRY || !this.isOfDomain(w[e + MPT_DW.pd] as number, asker.pd)) return CQE_SYNDROME.mwBind;
    const from = segment.from(w[e + MPT_DW.startHi] as number, w[e + MPT_DW.startLo] as number);
    const size = (w[e + MPT_DW.lengthHi] as number) * TWO_32 + ((w[e + MPT_DW.lengthLo] as number) >>> 0);
    if (!this.lets(w, e, segment.rights) || !this.isInside(from, segment.length, size)) return CQE_SYNDROME.mwBind;
    work.parent = segment.regionKey;
    work.pageSize = w[e + MPT_DW.pageSize] as number;
    const pageBytes = PAGE_BYTES * 2 ** this.core.xlate.pageLogOf(work.pageSize);
    const skip = (w[e + MPT_DW.startLo] as number) & (pageBytes - 1);
    work.seg = (w[e + MPT_DW.mttSeg] as number) + this.pagesBefore(skip + from, pageBytes);
    w[e + MPT_DW.windows] = (w[e + MPT_DW.windows] as number) + 1;
    this.core.mpt.touch(e << 2);
    const windows = this.#windowsOf.get(work.parent) ?? new Set<number>();
    windows.add(this.core.xlate.indexOf(segment.newKey));
    this.#windowsOf.set(work.parent, windows);
    return DONE;
  }

  #writeWindow(w: Int32Array, e: number, work: KeyWork, segment: BindSegment, asker: Asker): void {
    const { core } = this;
    const { length } = segment;
    const newKey = this.keyOf(segment.newKey);
    const kept = (w[e + MPT_DW.flags] as number) & ~(PERMISSIONS | MPT_KIND.free);
    const opens = length === 0 ? MPT_KIND.free : this.rightsOf(segment.rights | segment.zeroBased);
    w[e + MPT_DW.flags] = kept | opens;
    w[e + MPT_DW.key] = newKey;
    w[e + MPT_DW.marker] = mptMarker(newKey, core.icm.life);
    w[e + MPT_DW.startLo] = segment.lo;
    w[e + MPT_DW.startHi] = segment.hi;
    w[e + MPT_DW.lengthLo] = length | 0;
    w[e + MPT_DW.lengthHi] = Math.floor(length / TWO_32);
    w[e + MPT_DW.mttSeg] = work.seg;
    w[e + MPT_DW.pageSize] = work.pageSize;
    w[e + MPT_DW.parent] = work.parent;
    w[e + MPT_DW.qpn] = this.boundTo(asker);
    core.mpt.alter(e << 2);
    core.xlate.forget();
  }

  /** It is not bound after all: its region does not count it. */
  #undone(work: KeyWork, window: number): number {
    if (!this.unbound(window, work.parent, work)) return WAITS;
    work.step = COUNTED;
    return CQE_SYNDROME.mwBind;
  }

  #register(r: SendRequest, work: KeyWork, asker: Asker): number {
    const { core } = this;
    const s = r.segments;
    const key = core.bytes.i32[s + REG_SEG.key] as number;
    if (work.step === 0) {
      const e = this.#freeRegion(key, work, asker);
      if (e === WAIT_ENTRY) return WAITS;
      const w = core.bytes.i32;
      const length = lengthAt(w, s + REG_SEG.lengthLo);
      const pages = Math.ceil(((w[s + REG_SEG.offset] as number) + length) / PAGE_BYTES);
      if (e === NO_ENTRY || length === 0 || !this.holdsPages(pages, w[e + MPT_DW.mttSz] as number)) return REFUSED_REG;
      work.seg = w[e + MPT_DW.mttSeg] as number;
      work.list = this.#lists.pop() ?? core.bytes.alloc(PAGE_BYTES, 16);
      work.entries = pages;
      work.pending = true;
      work.step = LIST_READ;
      const v = core.bytes.i32;
      const bytes = pages * PAGE_LIST.entryBytes;
      core.dma.read(v[s + REG_SEG.listHi] as number, v[s + REG_SEG.listLo] as number, bytes, work.list, work, 0);
    }
    if (work.step === LIST_READ) {
      if (work.pending) return WAITS;
      if (work.failed) return CQE_SYNDROME.localQpOperation;
      work.step = FIRST_ENTRY;
    }
    while (work.step < FIRST_ENTRY + work.entries) if (!this.#writeEntry(work)) return WAITS;
    if (work.failed) return CQE_SYNDROME.localQpOperation;
    const e = this.#freeRegion(key, work, asker);
    if (e === WAIT_ENTRY) return WAITS;
    if (e === NO_ENTRY) return REFUSED_REG;
    this.#writeRegion(core.bytes.i32, e, s, key);
    return DONE;
  }

  /** Entry of a region that may be registered by a request with a key of this index. */
  #freeRegion(key: number, work: KeyWork, { pd }: Asker): number {
    const e = this.#indexEntry(key, work);
    if (e < 0) return e;
    const w = this.core.bytes.i32;
    return this.mayRegister(w, e) && this.isOfDomain(w[e + MPT_DW.pd] as number, pd) ? e : NO_ENTRY;
  }

  /** Whether an entry is one that requests register, and is free; overridable for planting. */
  protected mayRegister(w: Int32Array, e: number): boolean {
    const wanted = MPT_KIND.region | MPT_KIND.fastRegistrable | MPT_KIND.free;
    return ((w[e + MPT_DW.flags] as number) & wanted) === wanted;
  }

  /** One entry of a page list goes into the translation table. @returns false when it has to wait */
  #writeEntry(work: KeyWork): boolean {
    const { core } = this;
    const i = work.step - FIRST_ENTRY;
    const index = work.seg + i;
    const at = core.mtt.lookup(index, work);
    if (at === MISS) return false;
    work.step++;
    if (at < 0) {
      work.failed = true;
      return true;
    }
    const w = core.bytes.i32;
    const e = (at >> 2) + (index & 3) * 2;
    const d = work.list >> 2;
    w[e] = this.pageOf(w, d, i) & ~(PAGE_BYTES - 1);
    w[e + 1] = w[d + 2 * i + 1] as number;
    core.mtt.alter(at);
    return true;
  }

  #writeRegion(w: Int32Array, e: number, s: number, asked: number): void {
    const { core } = this;
    const key = this.keyOf(asked);
    const kept = (w[e + MPT_DW.flags] as number) & ~(PERMISSIONS | MPT_KIND.free);
    w[e + MPT_DW.flags] = kept | this.rightsOf((w[s + REG_SEG.rights] as number) & PERMISSIONS);
    w[e + MPT_DW.key] = key;
    w[e + MPT_DW.marker] = mptMarker(key, core.icm.life);
    w[e + MPT_DW.startLo] = w[s + REG_SEG.startLo] as number;
    w[e + MPT_DW.startHi] = w[s + REG_SEG.startHi] as number;
    w[e + MPT_DW.lengthLo] = w[s + REG_SEG.lengthLo] as number;
    w[e + MPT_DW.lengthHi] = w[s + REG_SEG.lengthHi] as number;
    w[e + MPT_DW.windows] = 0;
    core.mpt.alter(e << 2);
    core.xlate.forget();
  }

  #parentOf(w: Int32Array, e: number): number {
    const flags = w[e + MPT_DW.flags] as number;
    const isBound = (flags & (MPT_KIND.region | MPT_KIND.free)) === 0;
    return isBound ? (w[e + MPT_DW.parent] as number) : 0;
  }

  /** Dword of the entry of a key, `WAIT_ENTRY`, or `NO_ENTRY` where there is no such key. */
  #entry(key: number, asker: Resumable): number {
    const e = this.#indexEntry(key, asker);
    return e < 0 || this.core.bytes.i32[e + MPT_DW.key] === (key | 0) ? e : NO_ENTRY;
  }

  /** The same whatever its tag. */
  #indexEntry(key: number, asker: Resumable): number {
    const { core } = this;
    const at = core.mpt.lookup(core.xlate.indexOf(key), asker);
    if (at === MISS) return WAIT_ENTRY;
    if (at < 0) return NO_ENTRY;
    const e = at >> 2;
    const held = core.bytes.i32[e + MPT_DW.key] as number;
    const isThere = core.bytes.i32[e + MPT_DW.marker] === mptMarker(held, core.icm.life);
    return isThere && core.xlate.indexOf(held) === core.xlate.indexOf(key) ? e : NO_ENTRY;
  }
}

// Steps of binding and invalidating, beside 0: the entry is changed, and its former region counts right again; a window is counted
// that is not bound yet, is not to be bound after all, or is counted twice. And of registering.
const CLOSED = 1;
const COUNTED = 2;
const BOUND = 3;
const UNDO = 4;
const REBOUND = 5;
const LIST_READ = 1;
const FIRST_ENTRY = 2;
const REFUSED_REG = CQE_SYNDROME.localQpOperation;

function lengthAt(w: Int32Array, d: number): number {
  return (w[d + 1] as number) * TWO_32 + ((w[d] as number) >>> 0);
}

/** What a bind asks for. */
class BindSegment {
  readonly rights: number;
  readonly type2: boolean;
  /** `MPT_PERMISSION.zeroBased` or 0. */
  readonly zeroBased: number;
  readonly newKey: number;
  readonly regionKey: number;
  readonly hi: number;
  readonly lo: number;
  readonly length: number;

  constructor(w: Int32Array, d: number) {
    const asked = w[d + BIND_SEG.rights] as number;
    const flags = w[d + BIND_SEG.flags] as number;
    this.rights =
      (asked & BIND_SEG.atomic ? MPT_PERMISSION.remoteAtomic : 0) |
      (asked & BIND_SEG.remoteWrite ? MPT_PERMISSION.remoteWrite : 0) |
      (asked & BIND_SEG.remoteRead ? MPT_PERMISSION.remoteRead : 0);
    this.type2 = (flags & BIND_SEG.type2) !== 0;
    this.zeroBased = this.type2 && (flags & BIND_SEG.zeroBased) !== 0 ? MPT_PERMISSION.zeroBased : 0;
    this.newKey = w[d + BIND_SEG.newKey] as number;
    this.regionKey = w[d + BIND_SEG.regionKey] as number;
    this.lo = w[d + BIND_SEG.addressLo] as number;
    this.hi = w[d + BIND_SEG.addressHi] as number;
    this.length = lengthAt(w, d + BIND_SEG.lengthLo);
  }

  /** Bytes from an address to the start of the range. */
  from(hi: number, lo: number): number {
    return (this.hi - hi) * TWO_32 + (this.lo >>> 0) - (lo >>> 0);
  }
}
