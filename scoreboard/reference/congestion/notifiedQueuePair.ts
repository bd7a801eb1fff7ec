/**
 * A queue pair that is told of congestion: which of its packets have reached its peer marked, and what the NIC of that has
 * said about it (roce-transport.md 8).
 */

import type { SimTime } from '../../../uvm/kernel/scheduler.ts';

/** A packet that arrived marked. Its life: it arrives, is known to be accepted, and a CNP speaks of it, or none has to. */
export interface MarkedArrival {
  readonly psn: number;
  /** Host that it has reached, and queue pair. */
  readonly by: number;
  readonly byQpn: number;
  /** When it arrived, ps. */
  readonly at: SimTime;
  /** A CNP must speak of it once it is known to be accepted: it did not come within the interval after one. */
  readonly isOwed: boolean;
  /** A request that its receiver answers. */
  readonly isAnswered: boolean;
  /** Its receiver has answered it, or something behind it; of what nobody answers: it was the next one. */
  accepted: boolean;
}

export class NotifiedQueuePair {
  /** Those that may be the reason of a CNP, oldest first. */
  readonly marks: MarkedArrival[] = [];
  /** Those of which no CNP has spoken and that may still be owed one. */
  readonly owed: MarkedArrival[] = [];

  arrives(mark: MarkedArrival): void {
    this.marks.push(mark);
    if (mark.isOwed) this.owed.push(mark);
  }

  /** A CNP is sent: it is about the oldest of the marks, and about all that have arrived. @returns whether there is one */
  notice(): boolean {
    this.owed.length = 0;
    return this.marks.shift() !== undefined;
  }

  /** The peer's end begins anew: it owes nothing for what came to the one before, and has not told of anything. */
  begin(): void {
    this.owed.length = 0;
  }

  /** Of these no CNP has to speak any more. */
  dropOwed(which: (mark: MarkedArrival) => boolean): void {
    const left = this.owed.filter((mark) => !which(mark));
    this.owed.splice(0, this.owed.length, ...left);
  }
}
