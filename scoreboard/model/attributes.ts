/** What software has given a queue pair, and changes while it works (roce-transport.md 6.2). */

import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import { Windowed } from '../../agents/verbs/windowed.ts';
import { ACK_TIMER_PS, MOST_RETRIES, RNR_RETRY_FOR_EVER } from '../../rdma/timers.ts';

/** Of an attribute: not known. */
const NOT_KNOWN = -1;
/** Code of a time-out that never expires. */
const NEVER = 0;

/**
 * Attributes of one queue pair, -1 where one is not known. The moments are those of simulated time, ps: what they
 * are held against is when a packet was sent, came, or was seen.
 */
export class Attributes {
  /** Operations of the peer that are permitted, `ACCESS` bits. */
  readonly access = new Windowed<number>(NOT_KNOWN);
  /** READs and atomics that it may have outstanding, and those of its peer that it answers at once. */
  readonly maxRdAtomic = new Windowed<number>(NOT_KNOWN);
  readonly maxDestRdAtomic = new Windowed<number>(NOT_KNOWN);
  /** How often it tries again what gets no answer, and what finds no receive (7 = for ever). */
  readonly retryCnt = new Windowed<number>(NOT_KNOWN);
  readonly rnrRetry = new Windowed<number>(RNR_RETRY_FOR_EVER);
  /** Code of its Local ACK Timeout, 0 = never. */
  readonly ackTimeout = new Windowed<number>(NEVER);
  /** Code of the time that it asks for when it is not ready. */
  readonly minRnrTimer = new Windowed<number>(NOT_KNOWN);

  /** Its connection begins anew: nothing else has ever held. */
  set(info: QpInfo): void {
    for (const [attribute, value] of this.#given(info)) attribute.set(value);
  }

  /** Software begins to change them. */
  begin(info: QpInfo, at: number): void {
    for (const [attribute, value] of this.#given(info)) attribute.begin(value, at);
  }

  /** The NIC has done so, or has refused: what `info` says holds. */
  end(info: QpInfo, at: number): void {
    for (const [attribute, value] of this.#given(info)) {
      // Of what was not known before there is no old value to be met.
      if (attribute.now === NOT_KNOWN) attribute.set(value);
      else attribute.end(at, value);
    }
  }

  /** Whether what it permits its peer is being changed. */
  get permitsChange(): boolean {
    return this.access.isOpen || this.maxDestRdAtomic.isOpen;
  }

  /** How long (ps) it waits for an answer, all tries together, at its time-out; 0 where it waits for ever, or is not connected. */
  get retryTime(): number {
    const retries = this.retryCnt.every().map((count) => (count === NOT_KNOWN ? MOST_RETRIES : count));
    const timeouts = this.ackTimeout.every().map((code) => (code === NEVER ? 0 : (ACK_TIMER_PS[code] as number)));
    return Math.max(...timeouts) * (1 + Math.max(...retries));
  }

  /** How often it tries again at least before it gives up; 0 where that is not known. */
  get leastRetries(): number {
    return Math.min(...this.retryCnt.every().map((count) => (count === NOT_KNOWN ? 0 : count)));
  }

  #given(info: QpInfo): readonly (readonly [Windowed<number>, number])[] {
    return [
      [this.access, info.access ?? NOT_KNOWN],
      [this.maxRdAtomic, info.maxRdAtomic ?? NOT_KNOWN],
      [this.maxDestRdAtomic, info.maxDestRdAtomic ?? NOT_KNOWN],
      [this.retryCnt, info.retryCnt ?? NOT_KNOWN],
      [this.rnrRetry, info.rnrRetry],
      [this.ackTimeout, info.ackTimeout],
      [this.minRnrTimer, info.minRnrTimer ?? NOT_KNOWN],
    ];
  }
}
