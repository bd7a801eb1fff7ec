/** Registered memory regions by (host, key): which range a key opens, for whom, with which rights. */

import type { MrInfo } from '../../agents/verbs/verbsItems.ts';
import { Windowed } from '../../agents/verbs/windowed.ts';
import { widened } from '../../uvm/bytes/widened.ts';
import { TWO_32 } from '../../uvm/bytes/words.ts';

const ZERO_BITS = 1 << 18;
/** A region of the table: what `MrTable.find` returns. It stays that of the region until its record is taken by another. */
export type Region = number & { readonly __brand: 'Region' };

/** Null for regions. */
export const NO_REGION = 0 as Region;
/** Where a region was. */
const REMOVED = -1;

// Fields of a region, added to its offset.
/** Host in the low bits, whether it is zero-based, access bits above; of a free record the complement. */
const RIGHTS = 0;
const PROCESS = 1;
const KEY = 2;
const HI = 3;
const LO = 4;
/** Length in two halves. */
const LENGTH = 5;
const LENGTH_HI = 6;
/** Protection domain; of a free record the next free one. */
const PD = 7;
const STRIDE = 8;
const HOST_FIELD = 0xff;
const ZERO_BASED = 0x100;
const ACCESS_SHIFT = 10;

/** A key that software takes away from its region, or that a request gives to one. */
interface Deregistration {
  /** `NO_REGION` once another region has the key. */
  region: Region;
  /** Whether the key opens the region. Messages meet it: its moments are places in the order of posting. */
  readonly valid: Windowed<boolean>;
  /** Where a request opens it: its queue pair, whose later requests find it open. */
  readonly opener: object | null;
}

/** Regions are named by their offset in one array of words: a run may have tens of thousands. */
export class MrTable {
  #words = new Int32Array(256 * STRIDE);
  #top = STRIDE;
  #free: Region = NO_REGION;
  #live = 0;
  /** By host and key, as of `nameOf`: commands that are under way. */
  readonly #deregistrations = new Map<number, Deregistration>();
  /** Windows by host and key: queue pair that one belongs to, or -1. */
  readonly #windows = new Map<number, number>();
  /** Open-addressing hash: offset of the region, `NO_REGION` or `REMOVED`. */
  #slots = new Int32Array(256);
  /** Slots that are not empty. */
  #used = 0;
  /** 1 where a key with these low bits may name a zero-based region; saves the lookup for all others. */
  readonly #zeroBased = new Uint8Array(ZERO_BITS);

  /** Adds a region, replacing one with the same key. */
  add(info: MrInfo): void {
    this.remove(info.host, info.key);
    if (2 * ++this.#used > this.#slots.length) this.#rehash();
    const m = this.#take();
    const w = this.#words;
    w[m + RIGHTS] = info.host | (info.zeroBased ? ZERO_BASED : 0) | (info.access << ACCESS_SHIFT);
    w[m + PROCESS] = info.process;
    w[m + KEY] = info.key;
    w[m + HI] = info.hi;
    w[m + LO] = info.lo;
    w[m + LENGTH] = info.length | 0;
    w[m + LENGTH_HI] = Math.floor(info.length / TWO_32);
    w[m + PD] = info.pd;
    if (info.zeroBased) this.#zeroBased[info.key & (ZERO_BITS - 1)] = 1;
    this.#place(m);
  }

  /** Whether software deregisters any region at this moment. */
  get anyDeregistering(): boolean {
    return this.#deregistrations.size > 0;
  }

  /**
   * Software begins to deregister a region: until the NIC has done so, its key may open it or not.
   * @param order of the request that is posted next
   */
  deregistering(host: number, key: number, order: number): void {
    const region = this.find(host, key);
    if (region === NO_REGION) return;
    const name = nameOf(host, key);
    const known = this.#deregistrations.get(name);
    if (known !== undefined) {
      known.region = region;
      return;
    }
    const valid = new Windowed<boolean>(true);
    valid.begin(false, order);
    this.#deregistrations.set(name, { region, valid, opener: null });
  }

  /**
   * A request is to open what it says: until it has been carried out, its key may open that or nothing.
   * @param opener queue pair on which it was posted; null where that has been given up
   */
  opening(info: MrInfo, opener: object | null, order: number): void {
    this.add(info);
    const valid = new Windowed<boolean>(false);
    valid.begin(true, order);
    const region = this.find(info.host, info.key);
    this.#deregistrations.set(nameOf(info.host, info.key), { region, valid, opener });
  }

  /** A key is known to open its region, or to open it still. */
  opened(host: number, key: number, order: number): void {
    const found = this.#deregistrations.get(nameOf(host, key));
    if (found === undefined) return;
    this.#deregistrations.delete(nameOf(host, key));
    found.valid.end(order - 1, true);
  }

  /** Whether a region that is being changed is certainly open to what a queue pair posts from now on. */
  isOpenedBy(m: Region, q: object): boolean {
    return this.#deregistration(m)?.opener === q;
  }

  /** The key of a region is that of a window, which belongs to a queue pair where `qpn` is not negative. */
  setWindow(host: number, key: number, qpn: number): void {
    this.#windows.set(nameOf(host, key), qpn);
  }

  /** Whether its key is that of a window. */
  isWindow(m: Region): boolean {
    return this.#windows.size > 0 && this.#windows.has(nameOf(this.host(m), this.key(m)));
  }

  /** Number of the queue pair that alone may use a window; negative where any may. */
  ownerOf(m: Region): number {
    return this.#windows.size === 0 ? -1 : (this.#windows.get(nameOf(this.host(m), this.key(m))) ?? -1);
  }

  /**
   * The NIC has done so, and the region is forgotten. If another one has its key by now, that stays.
   * @param order of the request that is posted next
   */
  deregistered(host: number, key: number, order: number): void {
    const found = this.#deregistrations.get(nameOf(host, key));
    if (found === undefined) return;
    this.#deregistrations.delete(nameOf(host, key));
    found.valid.end(order - 1);
    if (found.region !== NO_REGION) this.remove(host, key);
  }

  /** Forgets a region; unknown keys are ignored. */
  remove(host: number, key: number): void {
    const s = this.#slot(host, key);
    if (s < 0) return;
    const m = this.#slots[s] as Region;
    if (this.#windows.size > 0) this.#windows.delete(nameOf(host, key));
    const going = this.anyDeregistering ? this.#deregistration(m) : undefined;
    if (going !== undefined) going.region = NO_REGION;
    this.#slots[s] = REMOVED;
    this.#words[m + PD] = this.#free;
    this.#words[m + RIGHTS] = ~(this.#words[m + RIGHTS] as number);
    this.#free = m;
    this.#live--;
  }

  /** The region behind a key, or `NO_REGION`. */
  find(host: number, key: number): Region {
    const s = this.#slot(host, key);
    return s < 0 ? NO_REGION : (this.#slots[s] as Region);
  }

  /**
   * Whether a region may be used by a queue pair of protection domain `pd` (negative: not known).
   * @param right `ACCESS` bits that the region must have
   */
  allows(m: Region, pd: number, right: number): boolean {
    const rights = (this.#words[m + RIGHTS] as number) >> ACCESS_SHIFT;
    return (rights & right) === right && (pd < 0 || this.#words[m + PD] === pd);
  }

  /** Whether `length` bytes at an address on the wire lie in a region. */
  holds(m: Region, hi: number, lo: number, length: number): boolean {
    const w = this.#words;
    const r = m;
    // Nearly always: near its start, and neither above 2 GiB long nor zero-based.
    const from = (lo >>> 0) - ((w[r + LO] as number) >>> 0);
    const simple = w[r + HI] === hi && w[r + LENGTH_HI] === 0 && ((w[r + RIGHTS] as number) & ZERO_BASED) === 0;
    if (simple && from >= 0 && from + length <= (w[r + LENGTH] as number) >>> 0) return true;
    const offset = this.offset(m, hi, lo);
    return offset >= 0 && offset + length <= this.length(m);
  }

  /** Where an address on the wire lies in a region, in bytes; negative in front of it. */
  offset(m: Region, hi: number, lo: number): number {
    const wire = hi * TWO_32 + (lo >>> 0);
    return this.isZeroBased(m) ? wire : wire - (this.hi(m) * TWO_32 + (this.lo(m) >>> 0));
  }

  /** Bytes from the start of a region to an absolute address. */
  distance(m: Region, hi: number, lo: number): number {
    return (hi - this.hi(m)) * TWO_32 + (lo >>> 0) - (this.lo(m) >>> 0);
  }

  /** 0 when no zero-based region can have this key, else 1; saves the lookup. */
  zeroBasedMark(key: number): number {
    return this.#zeroBased[key & (ZERO_BITS - 1)] as number;
  }

  /** All regions, in no particular order. For messages. */
  *all(): Generator<Region> {
    for (let m = STRIDE; m < this.#top; m += STRIDE) if ((this.#words[m + RIGHTS] as number) >= 0) yield m as Region;
  }

  /** Regions that were removed and whose records are free still. For messages. */
  *removed(): Generator<Region> {
    for (let m = STRIDE; m < this.#top; m += STRIDE) if ((this.#words[m + RIGHTS] as number) < 0) yield m as Region;
  }

  /** Also of a region that was removed. */
  host(m: Region): number {
    const rights = this.#words[m + RIGHTS] as number;
    return (rights < 0 ? ~rights : rights) & HOST_FIELD;
  }

  pd(m: Region): number {
    return this.#words[m + PD] as number;
  }

  process(m: Region): number {
    return this.#words[m + PROCESS] as number;
  }

  key(m: Region): number {
    return (this.#words[m + KEY] as number) >>> 0;
  }

  /** Start, as signed halves. */
  hi(m: Region): number {
    return this.#words[m + HI] as number;
  }

  lo(m: Region): number {
    return this.#words[m + LO] as number;
  }

  /** Bytes. */
  length(m: Region): number {
    return (this.#words[m + LENGTH_HI] as number) * TWO_32 + ((this.#words[m + LENGTH] as number) >>> 0);
  }

  /** `ACCESS` bits. */
  access(m: Region): number {
    return (this.#words[m + RIGHTS] as number) >> ACCESS_SHIFT;
  }

  /** Whether addresses with its key are offsets. */
  isZeroBased(m: Region): boolean {
    return ((this.#words[m + RIGHTS] as number) & ZERO_BASED) !== 0;
  }

  /** Whether software deregisters it. */
  isDeregistering(m: Region): boolean {
    return this.anyDeregistering && this.#deregistration(m) !== undefined;
  }

  /** Whether the key of a region that is being deregistered opens it; goes on to be known when the region is forgotten. */
  validity(m: Region): Windowed<boolean> | undefined {
    return this.#deregistration(m)?.valid;
  }

  #deregistration(m: Region): Deregistration | undefined {
    const found = this.#deregistrations.get(nameOf(this.host(m), this.key(m)));
    return found?.region === m ? found : undefined;
  }

  #take(): Region {
    this.#live++;
    const m = this.#free;
    if (m !== NO_REGION) {
      this.#free = this.#words[m + PD] as Region;
      return m;
    }
    const top = this.#top;
    this.#top += STRIDE;
    if (this.#top > this.#words.length) this.#words = widened(this.#words, this.#top);
    return top as Region;
  }

  /** Slot of a region, or -1. */
  #slot(host: number, key: number): number {
    const w = this.#words;
    const mask = this.#slots.length - 1;
    for (let s = hash(host, key) & mask; ; s = (s + 1) & mask) {
      const m = this.#slots[s] as number;
      if (m === NO_REGION) return -1;
      if (m !== REMOVED && w[m + KEY] === (key | 0) && ((w[m + RIGHTS] as number) & HOST_FIELD) === host) return s;
    }
  }

  #place(m: Region): void {
    const mask = this.#slots.length - 1;
    let s = hash(this.host(m), this.key(m)) & mask;
    while ((this.#slots[s] as number) > NO_REGION) s = (s + 1) & mask;
    this.#slots[s] = m;
  }

  /** Twice the size, or the same when removed ones took the room. */
  #rehash(): void {
    const length = this.#live * 4 >= this.#slots.length ? this.#slots.length * 2 : this.#slots.length;
    this.#slots = new Int32Array(length);
    this.#used = this.#live + 1;
    for (const m of this.all()) this.#place(m);
  }
}

/** A host, 0 .. 255, and a key in one number. */
function nameOf(host: number, key: number): number {
  return host * TWO_32 + (key >>> 0);
}

function hash(host: number, key: number): number {
  const h = Math.imul(key ^ Math.imul(host + 1, 0x9e3779b1), 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 3;
}
