/**
 * The room of bytes. `dataJudge` compares destination and source when the rules make a transfer visible, `plainWrites` those
 * that no completion tells of; `ranges/` knows where a NIC may write at each moment and guards all the rest; `verifiedMap`
 * and `snapshots` remember what has been found right and what is about to be overwritten; `finalSweep` looks at every page at
 * the end. `checks/retirement.ts` and the monitors of DMA writes call it. It knows no transport rules: which bytes are due is
 * said by the message (`Message.ranges`, outcomes), and what cannot be decided is counted as undecided, never passed over.
 *
 * This file judges the data of a transfer and reports what is wrong, as far as no other request may have written the same
 * bytes.
 */

import type { SubjectPart } from '../../rdma/subject.ts';
import { type Message, NO_RECEIVE, type Receive } from '../model/work.ts';
import { Comparer } from './comparer.ts';
import { holdsFormer } from './formerBytes.ts';
import type { Transfer } from './messageBuffers.ts';
import { startBuffers, TRANSFER } from './messageBuffers.ts';
import { NO_RANGE } from './ranges/openRanges.ts';
import { differingBytes, mismatchText } from '../report/mismatchText.ts';
import { CHECK_LEVEL } from '../model/options.ts';
import type { OracleState } from '../model/oracleState.ts';
import { SCB } from '../report/reportIds.ts';
import { PAGE_BYTES } from './scoreboardMemory.ts';
import type { BufferCursor } from './bufferCursor.ts';
import { theRequest } from '../report/subjects.ts';

// At how many places of a message data are compared, at the most, and how many bytes in a row are not right by chance.
const MOST_STEPS = 100;
const SHORTEST_RUN = 4;

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
  isRight(kind: Transfer, r: Message, recv: Receive = NO_RECEIVE, skip = 0): boolean {
    if (this.#on !== true) return true;
    const length = r.length;
    if (length === 0) return true;
    return startBuffers(this.#s, this.#comparer, kind, r, recv, skip) && this.#comparer.compare(length);
  }

  /** Whether a write to its target may have been lost since it was posted. */
  #meetsLost(kind: Transfer, r: Message, recv: Receive, skip: number): boolean {
    return startBuffers(this.#s, this.#comparer, kind, r, recv, skip) && this.#lostWithin(r.length, r);
  }

  /** The same of the first bytes of the buffer that a message has filled. */
  headMeetsLost(recv: Receive, message: Message, bytes: number): boolean {
    const s = this.#s;
    if (!s.lostWrites.any || !startBuffers(s, this.#comparer, TRANSFER.message, message, recv, 0)) return false;
    return this.#lostWithin(bytes, message);
  }

  /** Whether any of the next bytes of the target was lost since a message was posted. */
  #lostWithin(bytes: number, r: Message): boolean {
    const s = this.#s;
    const side = this.#comparer.target;
    for (let left = bytes; left > 0 && side.load(); ) {
      const from = side.offset;
      const n = Math.min(left, side.left, PAGE_BYTES - from);
      if (s.lostWrites.touch(this.#pageOf(side), from, from + n, r.postedAt)) return true;
      side.advance(n);
      left -= n;
    }
    return false;
  }

  /** About how many bytes of it are. Others may have written any of them: behind a difference it is looked here and there. */
  rightBytes(kind: Transfer, r: Message, recv: Receive = NO_RECEIVE, skip = 0): number {
    const length = r.length;
    if (this.isRight(kind, r, recv, skip)) return length;
    const step = Math.ceil(length / MOST_STEPS);
    let right = 0;
    for (let from = 0; from < length; ) {
      const n = this.#rightFrom(from, kind, r, recv, skip);
      if (n >= SHORTEST_RUN) right += n;
      from = (Math.floor((from + n) / step) + 1) * step;
    }
    return right;
  }

  /**
   * As `isRight`, and reports a difference unless other outstanding requests may write the same bytes.
   * The ranges of the request itself must be closed already.
   */
  judge(kind: Transfer, r: Message): void {
    if (!this.isRight(kind, r)) this.wrong(kind, r);
  }

  /** What `judge` does where `isRight` has just been false. */
  wrong(kind: Transfer, r: Message, recv: Receive = NO_RECEIVE, skip = 0): void {
    const at = this.#comparer.differsAt;
    if (this.#s.lostWrites.any && this.#meetsLost(kind, r, recv, skip)) {
      this.#s.undecided++;
      if (startBuffers(this.#s, this.#comparer, kind, r, recv, skip)) this.#walk(this.#comparer.target, r.length, true);
      return;
    }
    this.#showClosed(kind, r, recv, skip, at);
    if (this.#isShared(kind, r, recv, skip)) this.#judgeRest(kind, r, recv, skip);
    else this.#report(kind, r, recv, skip, at);
    this.#s.closedRanges.hide();
  }

  /**
   * As `wrong`, of a plain WRITE that must be there because of something behind it, which `by` names. Where the target
   * holds what it held before, that has overtaken it; otherwise the data are wrong. Says nothing while outstanding
   * requests share any of its bytes.
   * @returns whether it was reported
   */
  overtaken(r: Message, by: () => string): boolean {
    const s = this.#s;
    const at = this.#comparer.differsAt;
    if (s.lostWrites.any && this.#meetsLost(TRANSFER.write, r, NO_RECEIVE, 0)) return false;
    this.#showClosed(TRANSFER.write, r, NO_RECEIVE, 0, at);
    const shared = this.#isShared(TRANSFER.write, r, NO_RECEIVE, 0);
    this.#s.closedRanges.hide();
    if (shared) return false;
    const text = (): string => mismatchText(s, this.#comparer, TRANSFER.write, r, NO_RECEIVE, 0, at);
    if (holdsFormer(s, this.#comparer, r, at))
      s.reporter.error(SCB.overtaken, () => `overtaken by ${by()}: ${text()}`, [theRequest(r)]);
    else
      s.reporter.error(SCB.data, () => `${text()}; judged when ${by()} behind it was done`, [
        theRequest(r),
        ...differingBytes(s, this.#comparer, TRANSFER.write, r, NO_RECEIVE, 0, at),
      ]);
    startBuffers(s, this.#comparer, TRANSFER.write, r, NO_RECEIVE, 0);
    this.#walk(this.#comparer.target, r.length, true);
    return true;
  }

  /** A plain WRITE may have been dropped on its way, or overwritten, as a whole or in part. */
  mayBeLost(r: Message): void {
    const s = this.#s;
    s.undecided++;
    startBuffers(s, this.#comparer, TRANSFER.write, r, NO_RECEIVE, 0);
    this.#walk(this.#comparer.target, r.length, true);
  }

  /** How many bytes are right in a row from byte `from` on. */
  #rightFrom(from: number, kind: Transfer, r: Message, recv: Receive, skip: number): number {
    const { source, target } = this.#comparer;
    if (!startBuffers(this.#s, this.#comparer, kind, r, recv, skip) || !source.skip(from) || !target.skip(from))
      return 0;
    // Where a list of open ranges goes on is known at its start only.
    if (from > 0) target.range = NO_RANGE;
    const left = r.length - from;
    return this.#comparer.compare(left) ? left : Math.max(0, this.#comparer.differsAt);
  }

  /** Marks the first `n` bytes of a receive buffer as legally written with content that is not kept. */
  forgetHead(recv: Receive, r: Message, n: number): void {
    if (!this.#on) return;
    startBuffers(this.#s, this.#comparer, TRANSFER.message, r, recv, 0);
    this.#walk(this.#comparer.target, n, true);
  }

  /** Reports a difference at a byte of the transfer; its bytes are not reported again at the end. */
  #report(kind: Transfer, r: Message, recv: Receive, skip: number, at: number): void {
    const s = this.#s;
    const sides: readonly SubjectPart[] = recv.exists ? [theRequest(recv)] : [];
    s.reporter.error(SCB.data, () => mismatchText(s, this.#comparer, kind, r, recv, skip, at), [
      theRequest(r),
      ...sides,
      ...differingBytes(s, this.#comparer, kind, r, recv, skip, at),
    ]);
    if (startBuffers(s, this.#comparer, kind, r, recv, skip)) this.#walk(this.#comparer.target, r.length, true);
  }

  /**
   * Has the bytes shown that others may have written since the request was posted, unless its byte `at`, which is wrong,
   * is no such one and nobody may write it now: then it is wrong whoever has written the others.
   */
  #showClosed(kind: Transfer, r: Message, recv: Receive, skip: number, at: number): void {
    const { source, target } = this.#comparer;
    if (!startBuffers(this.#s, this.#comparer, kind, r, recv, skip)) return;
    const sides = source.isSnapshot ? [target] : [source, target];
    if (sides.some((side) => !side.skip(at) || !side.load())) return;
    const places = sides.map((side) => ({ page: this.#pageOf(side), offset: side.offset }));
    const { closedRanges } = this.#s;
    if (sides.some((side) => this.#isUncertain(side)) || closedRanges.holds(r, recv, places))
      closedRanges.show(r, recv);
  }

  /** True when an outstanding request may write to either end, or one that is done may have done so since. */
  #isShared(kind: Transfer, r: Message, recv: Receive, skip: number): boolean {
    const length = r.length;
    const { source, target } = this.#comparer;
    if (!startBuffers(this.#s, this.#comparer, kind, r, recv, skip)) return false;
    const shared = !source.isSnapshot && this.#walk(source, length, false);
    if (shared || !startBuffers(this.#s, this.#comparer, kind, r, recv, skip)) return shared;
    return this.#walk(target, length, false);
  }

  /**
   * Judges the bytes of a transfer that no other request may have written at either end. The others hold what their
   * writers agreed on by chance: at the end they are neither this transfer's nor untouched.
   */
  #judgeRest(kind: Transfer, r: Message, recv: Receive, skip: number): void {
    const s = this.#s;
    const c = this.#comparer;
    const { source, target } = c;
    s.undecided++;
    startBuffers(s, c, kind, r, recv, skip);
    const length = r.length;
    for (let at = 0; at < length && source.load() && target.load(); ) {
      const n = Math.min(length - at, this.#pieceOf(source), this.#pieceOf(target));
      if (this.#isUncertain(source) || this.#isUncertain(target)) {
        s.verified.forget(this.#pageOf(target), target.offset, target.offset + n);
        source.advance(n);
        target.advance(n);
      } else if (!c.compare(n)) {
        this.#report(kind, r, recv, skip, at + c.differsAt);
        return;
      }
      at += n;
    }
  }

  /** Bytes from where a side stands to the end of its run and page, that are all open for writing or all closed. */
  #pieceOf(side: BufferCursor): number {
    const from = side.offset;
    const end = Math.min(PAGE_BYTES, from + side.left);
    if (side.isSnapshot) return end - from;
    const page = this.#pageOf(side);
    return this.#s.closedRanges.inQuestion.boundary(page, from, this.#s.openRanges.boundary(page, from, end)) - from;
  }

  /** Whether another request may write the byte at which a side stands, or may have done so since this one was posted. */
  #isUncertain(side: BufferCursor): boolean {
    if (side.isSnapshot) return false;
    return this.#isOthers(this.#pageOf(side), side.offset, side.offset + 1);
  }

  /** The same of any byte of [from, to) of a page. */
  #isOthers(page: number, from: number, to: number): boolean {
    const { openRanges, closedRanges } = this.#s;
    return openRanges.touches(page, from, to) || closedRanges.inQuestion.touches(page, from, to);
  }

  #pageOf(side: BufferCursor): number {
    return this.#s.pages.at(side.host, side.process, side.hi, side.page);
  }

  /** Visits up to `length` bytes: forgets them, or looks whether others may have written any. */
  #walk(side: BufferCursor, length: number, forget: boolean): boolean {
    const { pages, verified } = this.#s;
    for (let left = length; left > 0 && side.load(); ) {
      const page = pages.at(side.host, side.process, side.hi, side.page);
      const from = side.offset;
      const n = Math.min(left, side.left, PAGE_BYTES - from);
      if (forget) verified.forget(page, from, from + n);
      else if (this.#isOthers(page, from, from + n)) return true;
      side.advance(n);
      left -= n;
    }
    return false;
  }
}
