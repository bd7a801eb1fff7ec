/** Registered memory regions by (host, key): which range a key opens, for whom, with which rights. */

import type { MrInfo } from '../agents/verbs/verbsItems.ts';

const TWO31 = 2147483648;
const TWO32 = 4294967296;
/** Words of a region in `MrTable.#near`. */
const NEAR = { key: 0, host: 1, pd: 2, access: 3, hi: 4, lo: 5, length: 6 } as const;
const NEAR_WORDS = 8;
const NEAR_PLACES = 4096;
const ZERO_BITS = 1 << 18;
const REMOVED = -2;
const EMPTY = -1;

export class MrTable {
  readonly #infos: (MrInfo | undefined)[] = [];
  readonly #free: number[] = [];
  /** Open-addressing hash: index into `#infos`, `EMPTY` or `REMOVED`. */
  #slots = new Int32Array(256).fill(EMPTY);
  #used = 0;
  /** 1 where a key with these low bits may name a zero-based region; saves the lookup for all others. */
  readonly #zeroBased = new Uint8Array(ZERO_BITS);

  /** Regions asked for lately by `covers`, one for each place: those that lie within one upper half. */
  readonly #near = new Int32Array(NEAR_PLACES * NEAR_WORDS).fill(EMPTY);

  /** Adds a region, replacing one with the same key. Keeps its own copy of the description. */
  add(info: MrInfo): void {
    this.remove(info.host, info.key);
    const at = this.#free.pop() ?? this.#infos.length;
    this.#infos[at] = { ...info };
    if (info.zeroBased) this.#zeroBased[info.key & (ZERO_BITS - 1)] = 1;
    if (++this.#used * 2 > this.#slots.length) this.#rehash();
    else this.#place(at, info);
  }

  /** Forgets a region; unknown keys are ignored. */
  remove(host: number, key: number): void {
    const s = this.#slot(host, key);
    if (s < 0) return;
    this.#near[placeOf(host, key) + NEAR.host] = EMPTY;
    const at = this.#slots[s] as number;
    this.#slots[s] = REMOVED;
    this.#infos[at] = undefined;
    this.#free.push(at);
  }

  /** The region behind a key, or undefined. */
  find(host: number, key: number): MrInfo | undefined {
    const s = this.#slot(host, key);
    return s < 0 ? undefined : this.#infos[this.#slots[s] as number];
  }

  /**
   * Whether a key opens `length` bytes at an address for a queue pair of protection domain `pd` (negative: not known).
   * @param right `ACCESS` bits that the region must have
   */
  covers(host: number, key: number, pd: number, right: number, hi: number, lo: number, length: number): boolean {
    const n = this.#near;
    const at = placeOf(host, key);
    const offset = (lo - (n[at + NEAR.lo] as number)) | 0;
    if (
      n[at + NEAR.key] === key &&
      n[at + NEAR.host] === host &&
      n[at + NEAR.pd] === pd &&
      n[at + NEAR.hi] === hi &&
      ((n[at + NEAR.access] as number) & right) === right &&
      offset >= 0 &&
      length <= (n[at + NEAR.length] as number) - offset
    ) {
      return true;
    }
    return this.#covers(host, key, pd, right, hi, lo, length);
  }

  #covers(host: number, key: number, pd: number, right: number, hi: number, lo: number, length: number): boolean {
    const mr = this.find(host, key);
    if (mr === undefined || (mr.access & right) !== right || (pd >= 0 && mr.pd !== pd)) return false;
    const offset = offsetIn(mr, hi, lo);
    if (offset < 0 || offset + length > mr.length) return false;
    if (!mr.zeroBased && (mr.lo >>> 0) + mr.length <= TWO32 && mr.length < TWO31) this.#keepNear(mr);
    return true;
  }

  #keepNear(mr: MrInfo): void {
    const n = this.#near;
    const at = placeOf(mr.host, mr.key);
    n[at + NEAR.key] = mr.key;
    n[at + NEAR.host] = mr.host;
    n[at + NEAR.pd] = mr.pd;
    n[at + NEAR.access] = mr.access;
    n[at + NEAR.hi] = mr.hi;
    n[at + NEAR.lo] = mr.lo;
    n[at + NEAR.length] = mr.length;
  }

  /** 0 when no zero-based region can have this key, else 1; saves the lookup. */
  zeroBasedMark(key: number): number {
    return this.#zeroBased[key & (ZERO_BITS - 1)] as number;
  }

  /** The region if the key is zero-based, so that addresses with it are offsets; undefined for all other keys. */
  zeroBased(host: number, key: number): MrInfo | undefined {
    const info = this.find(host, key);
    return info?.zeroBased === true ? info : undefined;
  }

  /** All regions, in no particular order. For messages. */
  *all(): Generator<MrInfo> {
    for (const info of this.#infos) if (info) yield info;
  }

  #slot(host: number, key: number): number {
    const mask = this.#slots.length - 1;
    for (let s = hash(host, key) & mask; ; s = (s + 1) & mask) {
      const at = this.#slots[s] as number;
      if (at === EMPTY) return -1;
      if (at === REMOVED) continue;
      const info = this.#infos[at];
      if (info && info.key === key && info.host === host) return s;
    }
  }

  #place(at: number, info: MrInfo): void {
    const mask = this.#slots.length - 1;
    let s = hash(info.host, info.key) & mask;
    while ((this.#slots[s] as number) >= 0) s = (s + 1) & mask;
    this.#slots[s] = at;
  }

  #rehash(): void {
    const live = this.#infos.length - this.#free.length;
    this.#slots = new Int32Array(live * 2 >= this.#slots.length / 2 ? this.#slots.length * 2 : this.#slots.length);
    this.#slots.fill(EMPTY);
    this.#used = live;
    this.#infos.forEach((info, at) => {
      if (info) this.#place(at, info);
    });
  }
}

/** Where in `MrTable.#near` a region has its place. */
function placeOf(host: number, key: number): number {
  return ((key ^ (host << 9)) & (NEAR_PLACES - 1)) * NEAR_WORDS;
}

/** Where in a region an address lies, as requests give it: of a zero-based region it is the offset itself. */
export function offsetIn(mr: MrInfo, hi: number, lo: number): number {
  if (mr.zeroBased) return hi * TWO32 + (lo >>> 0);
  return (hi - mr.hi) * TWO32 + (lo >>> 0) - (mr.lo >>> 0);
}

function hash(host: number, key: number): number {
  const h = Math.imul(key ^ Math.imul(host + 1, 0x9e3779b1), 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 3;
}
