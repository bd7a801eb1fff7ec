/**
 * What a responder of an unreliable connection makes of the packets that reach it (roce-transport.md 7.1): a first or only
 * packet begins a message whatever its PSN; every other packet goes on with the message under way if its PSN is the next
 * one, or else ends it, and then nothing comes of what follows until the next message begins. There is no filter for
 * duplicates.
 */

import { PSN_MASK } from '../../../rdma/bth.ts';

/** What becomes of a packet. */
export const UC_STEP = {
  /** It belongs to no message that can still be whole. */
  dropped: 0,
  /** Its message has begun, or goes on. */
  taken: 1,
  /** Its message is whole now. */
  whole: 2,
} as const;
export type UcStep = (typeof UC_STEP)[keyof typeof UC_STEP];

export class UcSequence {
  /** A message is under way, its place in what was sent (any number that tells messages apart), and whether it is a WRITE. */
  #open = false;
  #message = 0;
  #write = false;
  #next = 0;

  /** Whether a message is under way. */
  get open(): boolean {
    return this.#open;
  }

  /** A packet arrives. @param message tells the messages that packets were sent in apart */
  arrives(psn: number, starts: boolean, ends: boolean, write: boolean, message: number): UcStep {
    const fits = starts || (this.#open && psn === this.#next && write === this.#write);
    this.#open = fits && !ends;
    if (!fits) return UC_STEP.dropped;
    // Pieces of two messages that fit together make one that nobody has sent.
    const one = starts || message === this.#message;
    this.#message = one ? message : NaN;
    this.#write = write;
    this.#next = (psn + 1) & PSN_MASK;
    if (!ends) return UC_STEP.taken;
    return one ? UC_STEP.whole : UC_STEP.taken;
  }

  /** The queue pair begins anew, or nothing is known of it any more. */
  forget(): void {
    this.#open = false;
  }
}
