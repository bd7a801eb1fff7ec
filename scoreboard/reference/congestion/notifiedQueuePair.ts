/**
 * A queue pair that is told of congestion: which of its packets have reached its peer marked, and what the NIC of that has
 * said about it (roce-transport.md 8).
 */

import type { SimTime } from '../../../uvm/kernel/scheduler.ts';

/** A packet that arrived marked. Its life: it arrives, is known to be accepted, and a CNP speaks of it, or none has to. */
export interface MarkedArrival {
  readonly psn: number;
  /** When it arrived, ps. */
  readonly at: SimTime;
  /** A request of a reliable connection, whose answer tells that it was accepted, and not within the interval after a CNP. */
  readonly isOwed: boolean;
  /** Its receiver has answered it, or something behind it. */
  accepted: boolean;
}

/** No CNP has been sent yet. */
const NEVER = Number.NEGATIVE_INFINITY;

export class NotifiedQueuePair {
  /** Those that may be the reason of a CNP, oldest first. */
  readonly marks: MarkedArrival[] = [];
  /** Those of which no CNP has spoken and that may still be owed one. */
  readonly owed: MarkedArrival[] = [];
  /** When the latest CNP was sent, ps. */
  noticeAt: SimTime = NEVER;

  arrives(mark: MarkedArrival): void {
    this.marks.push(mark);
    if (mark.isOwed) this.owed.push(mark);
  }

  /** A CNP is sent at `now`: it is about the oldest of the marks, and about all that have arrived. @returns whether there is one */
  notice(now: SimTime): boolean {
    this.noticeAt = now;
    this.owed.length = 0;
    return this.marks.shift() !== undefined;
  }

  /** The peer's end begins anew: it owes nothing for what came to the one before, and has not told of anything. */
  begin(): void {
    this.owed.length = 0;
    this.noticeAt = NEVER;
  }
}
