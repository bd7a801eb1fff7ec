/**
 * Compares the two sides of a message in memory, piece by piece (run, page), and enters what was right in the map of
 * verified ranges.
 */

import type { DataPages } from './dataPages.ts';
import { NOT_STORED, P_KEY } from './dataPages.ts';
import { CHECK_LEVEL } from './options.ts';
import type { OracleState } from './oracleState.ts';
import type { Bytes } from './scoreboardMemory.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import { SideCursor } from './sideCursor.ts';
import type { VerifiedMap } from './verifiedMap.ts';

export class Comparer {
  /** Set these up before `compare`. */
  readonly source = new SideCursor();
  readonly target = new SideCursor();
  /** Position in the message of the first differing byte after `compare` returned false; -1 = a list was too short. */
  differsAt = -1;

  readonly #s: OracleState;
  readonly #bytes: Bytes;
  readonly #pages: DataPages;
  readonly #verified: VerifiedMap;
  /** Only the final sweep reads the verified ranges. */
  readonly #recording: boolean;

  constructor(state: OracleState) {
    this.#s = state;
    this.#bytes = state.bytes;
    this.#pages = state.pages;
    this.#verified = state.verified;
    this.#recording = state.options.level >= CHECK_LEVEL.full;
  }

  /** True when the next `length` bytes of both sides are equal. */
  compare(length: number): boolean {
    this.#s.checks++;
    this.differsAt = this.#walk(length);
    return this.differsAt === length;
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
    if (this.#recording) this.#verified.insert(target.entry, at, at + n, source.entry, from);
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
