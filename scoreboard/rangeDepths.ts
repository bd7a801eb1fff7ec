/**
 * Counted interval sets: how many outstanding requests allow a write to each byte. A set is a step function over
 * positions 0 .. 2^30, stored as its steps, so that any number of adjacent ranges is one interval and overlapping
 * ranges are counted. Adding behind the last range and removing at the front, the usual pattern of queues, cost
 * constant time.
 */

import { BuddySlab } from './buddySlab.ts';

// Header of a set: block, its size class, first step in use, number of steps.
const STRIDE = 4;
const BLOCK = 0;
const LOG2 = 1;
const FIRST = 2;
const COUNT = 3;
const INITIAL_LOG2 = 3;
const NONE = -1;

export class RangeDepths {
  readonly #slab = new BuddySlab();
  #sets = new Int32Array(64 * STRIDE).fill(NONE);

  /** Adds one to the depth of [from, to). Sets come into being by use. */
  add(set: number, from: number, to: number): void {
    if (from >= to) return;
    const h = this.#open(set);
    const n = this.#sets[h + COUNT] as number;
    if (n > 0) {
      const words = this.#slab.words;
      const at = this.#at(h, n - 1);
      const last = words[at] as number;
      if (from === last && words[at - 1] === 1) {
        words[at] = to;
        return;
      }
      if (from <= last) {
        this.#change(h, from, to, 1);
        return;
      }
    }
    this.#insert(h, n, from, 1);
    this.#insert(h, n + 1, to, 0);
  }

  /** Takes one from the depth of [from, to), which must have been added. */
  remove(set: number, from: number, to: number): void {
    if (from >= to) return;
    const h = set * STRIDE;
    const words = this.#slab.words;
    const at = this.#at(h, 0);
    if (words[at] === from && words[at + 1] === 1) {
      const next = words[at + 2] as number;
      if (to < next) {
        words[at] = to;
        return;
      }
      if (to === next) {
        this.#dropFirst(h, words[at + 3] === 0 ? 2 : 1);
        return;
      }
    }
    this.#change(h, from, to, -1);
  }

  /** True when every byte of [from, to) has a depth of at least one. */
  covers(set: number, from: number, to: number): boolean {
    const h = set * STRIDE;
    if (this.#isEmpty(h)) return false;
    const words = this.#slab.words;
    const n = this.#sets[h + COUNT] as number;
    let at = this.#at(h, 0);
    if (n === 2) return from >= (words[at] as number) && to <= (words[at + 2] as number);
    let i = this.#find(h, from);
    if (i < 0) return false;
    for (at += 2 * i; i < n - 1; i++, at += 2) {
      if ((words[at + 1] as number) <= 0) return false;
      if ((words[at + 2] as number) >= to) return true;
    }
    return false;
  }

  /** Largest depth within [from, to). */
  maxDepth(set: number, from: number, to: number): number {
    const h = set * STRIDE;
    if (this.#isEmpty(h)) return 0;
    const words = this.#slab.words;
    const n = this.#sets[h + COUNT] as number;
    let max = 0;
    for (let i = Math.max(0, this.#find(h, from)); i < n; i++) {
      const at = this.#at(h, i);
      if ((words[at] as number) >= to) break;
      max = Math.max(max, words[at + 1] as number);
    }
    return max;
  }

  /**
   * First position of [from, to) where the set's membership ends or begins, or `to`: the piece [from, result) lies
   * wholly inside or wholly outside.
   */
  boundary(set: number, from: number, to: number): number {
    const h = set * STRIDE;
    if (this.#isEmpty(h)) return to;
    const words = this.#slab.words;
    const n = this.#sets[h + COUNT] as number;
    let i = this.#find(h, from);
    const inside = i >= 0 && (words[this.#at(h, i) + 1] as number) > 0;
    for (i++; i < n; i++) {
      const at = this.#at(h, i);
      if ((words[at] as number) >= to) break;
      if ((words[at + 1] as number) > 0 !== inside) return words[at] as number;
    }
    return to;
  }

  /** Allowed intervals of a set as [from, to) pairs; for messages and specs. */
  intervals(set: number): [number, number][] {
    const out: [number, number][] = [];
    const h = set * STRIDE;
    const n = this.#isEmpty(h) ? 0 : (this.#sets[h + COUNT] as number);
    let from = -1;
    for (let i = 0; i < n; i++) {
      const at = this.#at(h, i);
      const inside = (this.#slab.words[at + 1] as number) > 0;
      if (inside && from < 0) from = this.#slab.words[at] as number;
      if (!inside && from >= 0) {
        out.push([from, this.#slab.words[at] as number]);
        from = -1;
      }
    }
    return out;
  }

  /** Steps stored for a set; for specs. */
  steps(set: number): number {
    return this.#isEmpty(set * STRIDE) ? 0 : (this.#sets[set * STRIDE + COUNT] as number);
  }

  #isEmpty(h: number): boolean {
    return h >= this.#sets.length || (this.#sets[h + COUNT] as number) <= 0;
  }

  #at(h: number, i: number): number {
    return (this.#sets[h + BLOCK] as number) + 2 * ((this.#sets[h + FIRST] as number) + i);
  }

  #open(set: number): number {
    const h = set * STRIDE;
    if (h >= this.#sets.length) {
      const wider = new Int32Array(Math.max(this.#sets.length * 2, h + STRIDE)).fill(NONE);
      wider.set(this.#sets);
      this.#sets = wider;
    }
    if ((this.#sets[h + BLOCK] as number) < 0) {
      this.#sets[h + BLOCK] = this.#slab.alloc(INITIAL_LOG2);
      this.#sets[h + LOG2] = INITIAL_LOG2;
      this.#sets[h + FIRST] = 0;
      this.#sets[h + COUNT] = 0;
    }
    return h;
  }

  /** Index of the last step at or before `pos`, or -1. */
  #find(h: number, pos: number): number {
    const words = this.#slab.words;
    const base = this.#at(h, 0);
    let lo = 0;
    let hi = this.#sets[h + COUNT] as number;
    while (lo < hi) {
      const mid = (lo + hi) >> 1;
      if ((words[base + 2 * mid] as number) <= pos) lo = mid + 1;
      else hi = mid;
    }
    return lo - 1;
  }

  #change(h: number, from: number, to: number, delta: number): void {
    const a = this.#step(h, from);
    const b = this.#step(h, to);
    const words = this.#slab.words;
    for (let i = a; i < b; i++) {
      const at = this.#at(h, i) + 1;
      words[at] = (words[at] as number) + delta;
    }
    this.#tidy(h, b);
    this.#tidy(h, a);
  }

  /** Index of the step at exactly `pos`, made if there is none. */
  #step(h: number, pos: number): number {
    const i = this.#find(h, pos);
    if (i >= 0 && this.#slab.words[this.#at(h, i)] === pos) return i;
    const depth = i < 0 ? 0 : (this.#slab.words[this.#at(h, i) + 1] as number);
    this.#insert(h, i + 1, pos, depth);
    return i + 1;
  }

  /** Removes a step that changes nothing. */
  #tidy(h: number, i: number): void {
    const words = this.#slab.words;
    const at = this.#at(h, i);
    const before = i > 0 ? (words[at - 1] as number) : 0;
    if (words[at + 1] !== before) return;
    const n = this.#sets[h + COUNT] as number;
    if (i === 0) {
      this.#dropFirst(h, 1);
      return;
    }
    words.copyWithin(at, at + 2, this.#at(h, n));
    this.#sets[h + COUNT] = n - 1;
  }

  #dropFirst(h: number, steps: number): void {
    const left = (this.#sets[h + COUNT] as number) - steps;
    this.#sets[h + COUNT] = left;
    this.#sets[h + FIRST] = left === 0 ? 0 : (this.#sets[h + FIRST] as number) + steps;
  }

  #insert(h: number, i: number, pos: number, depth: number): void {
    const n = this.#sets[h + COUNT] as number;
    this.#reserve(h, n);
    const words = this.#slab.words;
    const at = this.#at(h, i);
    if (i < n) words.copyWithin(at + 2, at, this.#at(h, n));
    words[at] = pos;
    words[at + 1] = depth;
    this.#sets[h + COUNT] = n + 1;
  }

  /** Makes room for one more step: by moving the steps to the block's start if half is unused there, else by growing. */
  #reserve(h: number, n: number): void {
    const first = this.#sets[h + FIRST] as number;
    const log2 = this.#sets[h + LOG2] as number;
    if (2 * (first + n + 1) <= 1 << log2) return;
    const block = this.#sets[h + BLOCK] as number;
    if (first > n) {
      this.#slab.words.copyWithin(block, block + 2 * first, block + 2 * (first + n));
      this.#sets[h + FIRST] = 0;
      return;
    }
    this.#sets[h + BLOCK] = this.#slab.enlarge(block, log2);
    this.#sets[h + LOG2] = log2 + 1;
  }
}
