/** Judges the data of a transfer and reports what is wrong. */

import { Comparer } from './comparer.ts';
import type { Transfer } from './messageSides.ts';
import { startSides, TRANSFER } from './messageSides.ts';
import { mismatchText } from './mismatchText.ts';
import { CHECK_LEVEL } from './options.ts';
import type { OracleState } from './oracleState.ts';
import { NONE } from './qps.ts';
import { SCB } from './reportIds.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import type { SideCursor } from './sideCursor.ts';

export class DataJudge {
  readonly #s: OracleState;
  readonly #comparer: Comparer;
  readonly #on: boolean;

  constructor(state: OracleState) {
    this.#s = state;
    this.#comparer = new Comparer(state);
    this.#on = state.options.level >= CHECK_LEVEL.memory;
  }

  /** True when the data of a plain WRITE, READ or message is where it belongs; says nothing when it is not. */
  isRight(kind: Transfer, r: number, recv: number = NONE, skip = 0): boolean {
    if (this.#on !== true) return true;
    const length = this.#s.requests.length(r);
    if (length === 0) return true;
    return startSides(this.#s, this.#comparer, kind, r, recv, skip) && this.#comparer.compare(length);
  }

  /**
   * As `isRight`, and reports a difference unless other outstanding requests may write the same bytes.
   * The ranges of the request itself must be closed already.
   */
  judge(kind: Transfer, r: number): void {
    if (!this.isRight(kind, r)) this.wrong(kind, r);
  }

  /** What `judge` does where `isRight` has just been false. */
  wrong(kind: Transfer, r: number, recv: number = NONE, skip = 0): void {
    if (this.isShared(kind, r, recv, skip)) this.#s.undecided++;
    else this.report(kind, r, recv, skip);
  }

  /** Reports the difference found by the last `isRight`; the bytes are not reported again at the end. */
  report(kind: Transfer, r: number, recv: number = NONE, skip = 0): void {
    const s = this.#s;
    const at = this.#comparer.differsAt;
    s.reporter.error(SCB.data, () => mismatchText(s, this.#comparer, kind, r, recv, skip, at));
    if (startSides(s, this.#comparer, kind, r, recv, skip))
      this.#walk(this.#comparer.target, s.requests.length(r), true);
  }

  /** True when an outstanding request may write to either end. */
  isShared(kind: Transfer, r: number, recv: number = NONE, skip = 0): boolean {
    const length = this.#s.requests.length(r);
    const { source, target } = this.#comparer;
    if (!startSides(this.#s, this.#comparer, kind, r, recv, skip)) return false;
    const shared = !source.isSnapshot && this.#walk(source, length, false);
    if (shared || !startSides(this.#s, this.#comparer, kind, r, recv, skip)) return shared;
    return this.#walk(target, length, false);
  }

  /** Marks the first `n` bytes of a receive buffer as legally written with content that is not kept. */
  forgetHead(recv: number, r: number, n: number): void {
    if (!this.#on) return;
    startSides(this.#s, this.#comparer, TRANSFER.message, r, recv, 0);
    this.#walk(this.#comparer.target, n, true);
  }

  /** Window of the first target byte, for telling races apart; -1 when there is none. */
  targetWindow(kind: Transfer, r: number): number {
    startSides(this.#s, this.#comparer, kind, r, NONE, 0);
    const t = this.#comparer.target;
    const { pages } = this.#s;
    return t.load() ? pages.window(pages.at(t.host, t.process, t.hi, t.page)) : NONE;
  }

  /** Visits up to `length` bytes: forgets them, or looks whether any is open for writing. */
  #walk(side: SideCursor, length: number, forget: boolean): boolean {
    const { pages, openRanges, verified } = this.#s;
    for (let left = length; left > 0 && side.load(); ) {
      const page = pages.at(side.host, side.process, side.hi, side.page);
      const from = side.offset;
      const n = Math.min(left, side.left, PAGE_BYTES - from);
      if (forget) verified.forget(page, from, from + n);
      else if (openRanges.touches(page, from, from + n)) return true;
      side.advance(n);
      left -= n;
    }
    return false;
  }
}
