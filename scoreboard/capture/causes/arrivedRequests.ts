/** Which requests of a connection have reached its responder: what that may answer, and refuse. */

import { psnAdd, psnCompare } from '../../../agents/wire/psnArithmetic.ts';

/** Packets ahead of a gap that are remembered. Behind more of them nothing is judged. */
const MOST_AHEAD = 1 << 13;

export class ArrivedRequests {
  /** PSN of the first packet that arrived; -1 before it. */
  #first = -1;
  /** All from the first one up to this PSN have arrived. */
  #through = -1;
  /** PSN behind the furthest packet. */
  #end = -1;
  /** Packets behind a gap, and the PSNs that each takes. */
  readonly #ahead = new Map<number, number>();
  #isLost = false;
  /** The packet that was asked for last; -1 = none. */
  #askedFor = -1;

  /** A packet that takes `span` PSNs has arrived, perhaps not for the first time. */
  arrived(psn: number, span: number): void {
    const end = psnAdd(psn, span);
    if (this.#first < 0) {
      this.#first = psn;
      this.#through = psn;
      this.#end = psn;
    }
    if (psnCompare(end, this.#end) > 0) this.#end = end;
    if (psnCompare(psn, this.#through) > 0) {
      if (this.#ahead.size < MOST_AHEAD) this.#ahead.set(psn, Math.max(span, this.#ahead.get(psn) ?? 0));
      else this.#isLost = true;
      return;
    }
    if (psnCompare(end, this.#through) > 0) this.#through = end;
    this.#closeGap();
  }

  /** Whether the packet with a PSN has arrived; true as well where that is not known. */
  has(psn: number): boolean {
    if (this.#isLost || this.#isBefore(psn)) return true;
    if (this.#first >= 0 && psnCompare(psn, this.#through) < 0) return true;
    for (const [start, span] of this.#ahead)
      if (psnCompare(psn, start) >= 0 && psnCompare(psn, psnAdd(start, span)) < 0) return true;
    return false;
  }

  /** A sequence NAK for a PSN is sent. @returns whether it was asked for before, and has not arrived since */
  asksAgain(psn: number): boolean {
    const isAgain = psn === this.#askedFor && !this.has(psn);
    this.#askedFor = psn;
    return isAgain;
  }

  /** Whether anything behind a PSN has arrived; true as well where that is not known. */
  hasBehind(psn: number): boolean {
    return this.#isLost || this.#isBefore(psn) || (this.#first >= 0 && psnCompare(psn, psnAdd(this.#end, -1)) < 0);
  }

  #isBefore(psn: number): boolean {
    return this.#first >= 0 && psnCompare(psn, this.#first) < 0;
  }

  #closeGap(): void {
    for (let found = this.#ahead.size > 0; found; ) {
      found = false;
      for (const [start, span] of this.#ahead) {
        if (psnCompare(start, this.#through) > 0) continue;
        this.#ahead.delete(start);
        const end = psnAdd(start, span);
        if (psnCompare(end, this.#through) > 0) this.#through = end;
        found = true;
      }
    }
  }
}
