/**
 * Since when NICs have sent without a pause. One that has had something to send all the time since a packet came to it may not
 * have come to answer that: the answer of its driver waits behind what other queue pairs, and READs, have it send.
 */
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { US } from '../../../uvm/kernel/time.ts';

/** A NIC that sends nothing for so long has nothing to send, ps. */
const PAUSE = 400 * US;

export class BusySenders {
  /** By host: when it sent last, and since when without a pause. */
  readonly #lastAt: SimTime[] = [];
  readonly #since: SimTime[] = [];

  /** A frame leaves the NIC of a host. */
  sent(host: number, now: SimTime): void {
    if (!this.#isSending(host, now)) this.#since[host] = now;
    this.#lastAt[host] = now;
  }

  /** Whether it has sent from `time` on, and still does. */
  hasSentSince(host: number, time: SimTime, now: SimTime): boolean {
    return this.#isSending(host, now) && (this.#since[host] as SimTime) <= time;
  }

  #isSending(host: number, now: SimTime): boolean {
    return now - (this.#lastAt[host] ?? Number.NEGATIVE_INFINITY) < PAUSE;
  }
}
