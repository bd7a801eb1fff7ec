/**
 * Compares the two sides of a message in memory, piece by piece (run, page), and enters what was right in the map of
 * verified ranges.
 */

import { CHECK_LEVEL } from './options.ts';
import type { OracleState } from './oracleState.ts';
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

  constructor(state: OracleState) {
    this.#s = state;
    this.#recording = state.options.level >= CHECK_LEVEL.full;
  }

  /** True when the next `length` bytes of both sides are equal. */
  compare(length: number): boolean {
    const { source, target } = this;
    this.#s.checks++;
    for (let left = length; left > 0; ) {
      if (!source.load() || !target.load()) {
        this.differsAt = -1;
        return false;
      }
      let n = Math.min(left, source.left, target.left);
      n = Math.min(n, PAGE_BYTES - source.offset, PAGE_BYTES - target.offset);
      const bad = this.#piece(n);
      if (bad >= 0) {
        this.differsAt = length - left + bad;
        return false;
      }
      source.advance(n);
      target.advance(n);
      left -= n;
    }
    return true;
  }

  /** Compares one piece and records it. Index of the first difference or -1. */
  #piece(n: number): number {
    const { bytes, translator, verified } = this.#s;
    const { source, target } = this;
    let key = 0;
    let from = source.store;
    if (from < 0) {
      translator.locate(source.host, source.process, source.hi, source.page);
      from = translator.place();
      if (from >= 0) from += source.offset;
      else key = translator.key();
    }
    translator.locate(target.host, target.process, target.hi, target.page);
    const page = translator.place();
    if (page < 0) return this.#untouched(from, key, n);
    const to = page + target.offset;
    const equal = from < 0 ? bytes.equalSeeded(key, source.offset, to, n) : bytes.equal(from, to, n);
    if (!equal) return this.#difference(from, key, to, n);
    if (!this.#recording) return -1;
    const w = this.#window(target);
    const pos = position(target);
    if (from < 0) verified.insert(w, pos, pos + n, this.#window(source), position(source));
    else verified.insert(w, pos, pos + n, HASHED, this.#s.hashes.rehash(w, pos, pos + n));
    return -1;
  }

  #window(side: SideCursor): number {
    if (side.window < 0) side.window = this.#s.windows.open(side.host, side.process, side.hi, side.page);
    return side.window;
  }

  #difference(from: number, key: number, to: number, n: number): number {
    const { bytes } = this.#s;
    if (from < 0) return bytes.firstDifferenceSeeded(key, this.source.offset, to, n);
    return bytes.firstDifference(from, to, n);
  }

  /** The target page was never written: it holds its own seeded bytes, which may equal the source by chance. */
  #untouched(from: number, key: number, n: number): number {
    const { bytes, translator, scratch } = this.#s;
    const own = translator.key();
    let at = from;
    if (from < 0) {
      bytes.fillSeeded(key, this.source.offset, scratch, n);
      at = scratch;
    }
    return bytes.firstDifferenceSeeded(own, this.target.offset, at, n);
  }
}

/** Position of a cursor in its window. */
function position(side: SideCursor): number {
  return ((side.page & WINDOW_PAGE_MASK) << PAGE_SHIFT) | side.offset;
}
