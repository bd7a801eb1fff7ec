/**
 * Compares the two sides of a message in memory, piece by piece (run, page), and enters what was right in the map of
 * verified ranges.
 */

import { CHECK_LEVEL } from './options.ts';
import type { OracleState } from './oracleState.ts';
import { NONE } from './qps.ts';
import { PAGE_BYTES, PAGE_SHIFT } from './scoreboardMemory.ts';
import { SideCursor } from './sideCursor.ts';
import { HASHED } from './verifiedMap.ts';
import { WINDOW_PAGE_MASK } from './windows.ts';

export class Comparer {
  /** Set these up before `compare`. */
  readonly source = new SideCursor();
  readonly target = new SideCursor();
  /** Position in the message of the first differing byte after `compare` returned false; -1 = a list was too short. */
  differsAt = -1;

  readonly #s: OracleState;
  /** Only the final sweep reads the verified ranges. */
  readonly #recording: boolean;
  /** Start of the source's page in the store, or -1 and the key of its seeded bytes. */
  #sourcePage = 0;
  #sourceKey = 0;
  /** The same of the target. */
  #targetPage = 0;
  #targetKey = 0;
  /** Verified pieces in a row, not entered yet: target window (-1 = none), range, source window and position. */
  #window: number = NONE;
  #from = 0;
  #to = 0;
  #sourceWindow = 0;
  #sourceFrom = 0;

  constructor(state: OracleState) {
    this.#s = state;
    this.#recording = state.options.level >= CHECK_LEVEL.full;
  }

  /** True when the next `length` bytes of both sides are equal. */
  compare(length: number): boolean {
    this.#s.checks++;
    this.differsAt = this.#walk(length);
    this.#enter();
    return this.differsAt === length;
  }

  /** Position of the first difference, `length` if there is none, -1 if a list is too short. */
  #walk(length: number): number {
    const { source, target } = this;
    let sourceKnown = false;
    let targetKnown = false;
    for (let left = length; left > 0; ) {
      if (source.left === 0) sourceKnown = false;
      if (target.left === 0) targetKnown = false;
      if (!source.load() || !target.load()) return -1;
      if (!sourceKnown) this.#findSource();
      if (!targetKnown) this.#findTarget();
      let n = left < source.left ? left : source.left;
      if (target.left < n) n = target.left;
      if (PAGE_BYTES - source.offset < n) n = PAGE_BYTES - source.offset;
      if (PAGE_BYTES - target.offset < n) n = PAGE_BYTES - target.offset;
      const bad = this.#piece(n);
      if (bad >= 0) return length - left + bad;
      source.advance(n);
      target.advance(n);
      sourceKnown = source.offset !== 0;
      targetKnown = target.offset !== 0;
      left -= n;
    }
    return length;
  }

  #findSource(): void {
    const { translator, windows } = this.#s;
    const { source } = this;
    if (source.store >= 0) return;
    const entry = translator.entry(source.findWindow(windows), source.page);
    this.#sourcePage = translator.place(entry);
    if (this.#sourcePage < 0) this.#sourceKey = translator.key(entry);
  }

  #findTarget(): void {
    const { translator, windows } = this.#s;
    const { target } = this;
    const entry = translator.entry(target.findWindow(windows), target.page);
    this.#targetPage = translator.place(entry);
    if (this.#targetPage < 0) this.#targetKey = translator.key(entry);
  }

  /** Compares one piece and records it. Index of the first difference or -1. */
  #piece(n: number): number {
    const { bytes } = this.#s;
    const { source, target } = this;
    let from = source.store;
    if (from < 0 && this.#sourcePage >= 0) from = this.#sourcePage + source.offset;
    if (this.#targetPage < 0) return this.#untouched(from, n);
    const to = this.#targetPage + target.offset;
    const equal = from < 0 ? bytes.equalSeeded(this.#sourceKey, source.offset, to, n) : bytes.equal(from, to, n);
    if (!equal) return this.#difference(from, to, n);
    if (this.#recording) this.#record(from < 0, n);
    return -1;
  }

  /** Notes a piece that was right; one that carries on those before it is entered with them. */
  #record(seeded: boolean, n: number): void {
    const { windows, verified, hashes } = this.#s;
    const window = this.target.findWindow(windows);
    const from = position(this.target);
    if (!seeded) {
      this.#enter();
      verified.insert(window, from, from + n, HASHED, hashes.rehash(window, from, from + n));
      return;
    }
    const sourceWindow = this.source.findWindow(windows);
    const sourceFrom = position(this.source);
    if (
      window === this.#window &&
      from === this.#to &&
      sourceWindow === this.#sourceWindow &&
      sourceFrom - this.#sourceFrom === from - this.#from
    ) {
      this.#to = from + n;
      return;
    }
    this.#enter();
    this.#window = window;
    this.#from = from;
    this.#to = from + n;
    this.#sourceWindow = sourceWindow;
    this.#sourceFrom = sourceFrom;
  }

  /** Enters the pieces noted last in the map. */
  #enter(): void {
    if (this.#window < 0) return;
    this.#s.verified.insert(this.#window, this.#from, this.#to, this.#sourceWindow, this.#sourceFrom);
    this.#window = NONE;
  }

  #difference(from: number, to: number, n: number): number {
    const { bytes } = this.#s;
    if (from < 0) return bytes.firstDifferenceSeeded(this.#sourceKey, this.source.offset, to, n);
    return bytes.firstDifference(from, to, n);
  }

  /** The target page was never written: it holds its own seeded bytes, which may equal the source by chance. */
  #untouched(from: number, n: number): number {
    const { bytes, scratch } = this.#s;
    let at = from;
    if (from < 0) {
      bytes.fillSeeded(this.#sourceKey, this.source.offset, scratch, n);
      at = scratch;
    }
    return bytes.firstDifferenceSeeded(this.#targetKey, this.target.offset, at, n);
  }
}

/** Position of a cursor in its window. */
function position(side: SideCursor): number {
  return ((side.page & WINDOW_PAGE_MASK) << PAGE_SHIFT) | side.offset;
}
