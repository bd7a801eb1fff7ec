/**
 * Compares the two sides of a message in memory, piece by piece (run, page), and enters what was right in the map of
 * verified ranges.
 */

import { SGE_WORDS } from '../model/messages.ts';
import type { DataPages } from './dataPages.ts';
import { NOT_STORED, P_KEY } from './dataPages.ts';
import type { OpenRanges } from './ranges/openRanges.ts';
import { NO_RANGE } from './ranges/openRanges.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import type { Bytes } from './scoreboardMemory.ts';
import { PAGE_BYTES, PAGE_MASK, PAGE_SHIFT } from './scoreboardMemory.ts';
import { BufferCursor } from './bufferCursor.ts';
import type { VerifiedMap } from './verifiedMap.ts';

export class Comparer {
  /** Set these up before `compare`. */
  readonly source = new BufferCursor();
  readonly target = new BufferCursor();
  /** Position in the message of the first differing byte after `compare` returned false; -1 = a list was too short. */
  differsAt = -1;

  readonly #s: OracleState;
  readonly #bytes: Bytes;
  readonly #pages: DataPages;
  readonly #open: OpenRanges;
  readonly #verified: VerifiedMap;
  /** Only the final sweep reads the verified ranges. */
  readonly #recording: boolean;

  constructor(state: OracleState) {
    this.#s = state;
    this.#bytes = state.bytes;
    this.#pages = state.pages;
    this.#open = state.openRanges;
    this.#verified = state.verified;
    this.#recording = state.options.level >= CHECK_LEVEL.full;
  }

  /** True when the next `length` bytes of both sides are equal. They end where the list of the source ends, if it is one. */
  compare(length: number): boolean {
    this.#s.checks++;
    const done = this.source.left === 0 && this.target.range !== NO_RANGE ? this.#pairs() : 0;
    if (done === length) return true;
    this.target.skip(done);
    const at = this.#walk(length - done);
    this.differsAt = at < 0 ? at : done + at;
    return this.differsAt === length;
  }

  /**
   * Compares the entries of the source with the ranges that are open for the target, as long as the two are equally
   * long and lie in a page each, which is nearly always so, and that of the source was never written. Returns how many
   * bytes are equal, and leaves the rest to the walk; the target is not moved.
   */
  #pairs(): number {
    const { source, target } = this;
    let done = 0;
    for (;;) {
      const n = source.at < source.end && target.range !== NO_RANGE ? this.#pairsInPages() : 0;
      if (n === 0) return done;
      done += n;
    }
  }

  /** As `#pairs`, as long as page follows page neither here nor there. */
  #pairsInPages(): number {
    const { source, target } = this;
    const { words: w } = source;
    const first = source.at;
    const end = source.end;
    const pages = this.#pages;
    const bytes = this.#bytes;
    const open = this.#open;
    const hi = w[first] as number;
    const number = (w[first + 1] as number) >>> PAGE_SHIFT;
    const from = pages.at(source.host, source.process, hi, number);
    const page = open.pageOf(target.range);
    const place = pages.place(page) | 0;
    if (pages.place(from) !== NOT_STORED || place === NOT_STORED) return 0;
    const key = pages.words[from + P_KEY] as number;
    let s = first;
    let t = target.range;
    let done = 0;
    for (; s < end; s += SGE_WORDS, t++) {
      const lo = w[s + 1] as number;
      const n = w[s + 2] as number;
      const offset = lo & PAGE_MASK;
      // The end of a block has no length.
      const range = open.words[t] as number;
      const at = range & PAGE_MASK;
      if (n !== (range >> PAGE_SHIFT) + 1 - at || n > PAGE_BYTES - offset) break;
      if (lo >>> PAGE_SHIFT !== number || w[s] !== hi) break;
      if (!bytes.equalSeeded(key, offset, place + at, n)) break;
      done += n;
    }
    if (this.#recording === true) this.#verified.insertPairs(page, open.words, target.range, t, from, w, first);
    source.at = s;
    target.range = open.rangeAt(t);
    return done;
  }

  /** Position of the first difference, `length` if there is none, -1 if a list is too short. */
  #walk(length: number): number {
    const { source, target } = this;
    const pages = this.#pages;
    for (let left = length; left > 0; ) {
      if (source.left === 0 && !source.load()) return -1;
      if (target.left === 0 && !target.load()) return -1;
      if (!source.located) source.locate(pages);
      if (!target.located) target.locate(pages);
      let n = left < source.left ? left : source.left;
      if (target.left < n) n = target.left;
      if (PAGE_BYTES - source.offset < n) n = PAGE_BYTES - source.offset;
      if (PAGE_BYTES - target.offset < n) n = PAGE_BYTES - target.offset;
      if (!this.#isRight(n)) return length - left + this.#difference(n);
      source.advance(n);
      target.advance(n);
      left -= n;
    }
    return length;
  }

  /** Compares one piece and records it. */
  #isRight(n: number): boolean {
    const { source, target } = this;
    // Nearly always a page that was never written was sent to one that the NIC has written.
    if (source.place !== NOT_STORED || target.place === NOT_STORED) return this.#isRightElsewhere(n);
    const at = target.offset;
    const from = source.offset;
    const key = this.#pages.words[source.entry + P_KEY] as number;
    if (!this.#bytes.equalSeeded(key, from, target.place + at, n)) return false;
    if (this.#recording === true) this.#verified.insert(target.entry, at, at + n, source.entry, from);
    return true;
  }

  #isRightElsewhere(n: number): boolean {
    const { source, target } = this;
    const { bytes, hashes, verified } = this.#s;
    if (target.place === NOT_STORED) return this.#untouched(n) < 0;
    const at = target.offset;
    if (!bytes.equal(source.place + source.offset, target.place + at, n)) return false;
    if (this.#recording) verified.insertHash(target.entry, at, at + n, hashes.rehash(target.entry, at, at + n));
    return true;
  }

  /** Index of the first difference of a piece that has one. */
  #difference(n: number): number {
    const { source, target } = this;
    const { bytes, pages } = this.#s;
    if (target.place === NOT_STORED) return this.#untouched(n);
    const to = target.place + target.offset;
    if (source.place !== NOT_STORED) return bytes.firstDifference(source.place + source.offset, to, n);
    return bytes.firstDifferenceSeeded(pages.key(source.entry), source.offset, to, n);
  }

  /**
   * Index of the first difference, or -1, when the target page was never written: it holds its own seeded bytes, which
   * may equal the source by chance.
   */
  #untouched(n: number): number {
    const { source, target } = this;
    const { bytes, pages, scratch } = this.#s;
    let at = source.place + source.offset;
    if (source.place === NOT_STORED) {
      bytes.fillSeeded(pages.key(source.entry), source.offset, scratch, n);
      at = scratch;
    }
    return bytes.firstDifferenceSeeded(pages.key(target.entry), target.offset, at, n);
  }
}
