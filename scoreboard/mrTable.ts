/** Registered memory regions by (host, key): which range a key opens, for whom, with which rights. */

import type { MrInfo } from '../agents/verbs/verbsItems.ts';

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

function hash(host: number, key: number): number {
  const h = Math.imul(key ^ Math.imul(host + 1, 0x9e3779b1), 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 3;
}
