/**
 * What the requester of a connection has heard, and whether it may send again what it sends again: because an answer has asked for
 * that, or since its time-out can have expired (roce-transport.md 3.8).
 */

import { psnAdd, psnCompare } from '../../../agents/wire/psnArithmetic.ts';
import { LAST_ACK, LAST_NOT_READY } from '../../../agents/wire/syndromes.ts';
import { type TransportRule, RULE } from '../../../agents/wire/transportRules.ts';
import { RNR_TIMER_PS } from '../../../rdma/timers.ts';

/**
 * A time-out counts from when a NIC hands a frame over, and the capture shows when that is on the link: while it waits for its
 * transmitter, the timer runs.
 */
const LEAST_SHARE = 0.5;
const CODE_BITS = 0x1f;

/** A READ or atomic of which answers are missing: PSN of the next one, and PSN behind the last. */
interface OpenRead {
  next: number;
  readonly end: number;
}

/** What is wrong with a packet that is sent again too early. */
export interface Early {
  readonly rule: TransportRule;
  readonly text: string;
}

export class HeardAnswers {
  /** PSN behind what was sent last, and behind all that was sent; -1 before the first packet. */
  #cursor = -1;
  #top = -1;
  /** All before this PSN has been acknowledged. */
  #heard = -1;
  /** When the timer began to run last, ps. */
  #timer = 0;
  /** Answers that have asked for something, less those for which something was sent again. */
  #asked = 0;
  /** The packet for which its receiver was not ready, and when that may be sent again. The time-out had not expired by then. */
  #notReady = -1;
  #readyAt = 0;
  readonly #reads: OpenRead[] = [];

  /**
   * A request packet that takes `span` PSNs is sent.
   * @param isRead it is answered with as many packets
   * @param timeout least time-out of its queue pair, ps
   * @returns what is wrong with it where it is sent again too early
   */
  sent(psn: number, span: number, isRead: boolean, time: number, timeout: number): Early | undefined {
    if (this.#cursor < 0) {
      this.#heard = psn;
      this.#top = psn;
    } else if (psnCompare(psn, this.#cursor) < 0) return this.#goesBack(psn, span, time, timeout);
    if (this.#heard === this.#top) this.#timer = time;
    this.#cursor = psnAdd(psn, span);
    if (psnCompare(this.#cursor, this.#top) <= 0) return undefined;
    if (isRead) this.#reads.push({ next: psn, end: this.#cursor });
    this.#top = this.#cursor;
    return undefined;
  }

  /** An acknowledgement, or NAK, reaches the requester. @param timeout as of `sent` */
  acknowledged(psn: number, syndrome: number, time: number, timeout: number): void {
    if (syndrome <= LAST_ACK) {
      this.#heardUpTo(psnAdd(psn, 1), time);
      return;
    }
    this.#asked++;
    const mayHaveExpired = this.#mayHaveExpired(time, timeout);
    this.#heardUpTo(psn, time);
    if (syndrome > LAST_NOT_READY || mayHaveExpired) return;
    this.#notReady = psn;
    this.#readyAt = time + (RNR_TIMER_PS[syndrome & CODE_BITS] as number);
  }

  /** An answer to a READ or an atomic reaches the requester. */
  answered(psn: number, time: number): void {
    const [first] = this.#reads;
    if (first !== undefined && psn === first.next) {
      first.next = psnAdd(psn, 1);
      if (first.next === first.end) this.#reads.shift();
      this.#progress(psnAdd(psn, 1), time);
    } else if (first === undefined || psnCompare(psn, first.next) > 0) this.#asked++;
  }

  /** Behind a READ whose answers are missing nothing is acknowledged: they were lost, and are asked for again (3.9). */
  #heardUpTo(end: number, time: number): void {
    const [first] = this.#reads;
    if (first === undefined || psnCompare(end, first.next) <= 0) this.#progress(end, time);
    else {
      this.#asked++;
      this.#progress(first.next, time);
    }
  }

  #progress(end: number, time: number): void {
    if (this.#heard < 0 || psnCompare(end, this.#heard) <= 0 || psnCompare(end, this.#top) > 0) return;
    this.#heard = end;
    this.#timer = time;
  }

  #goesBack(psn: number, span: number, time: number, timeout: number): Early | undefined {
    const early = this.#whyEarly(psn, time, timeout);
    this.#cursor = psnAdd(psn, span);
    this.#timer = time;
    if (this.#asked > 0) this.#asked--;
    this.#notReady = -1;
    return early;
  }

  #mayHaveExpired(time: number, timeout: number): boolean {
    return time - this.#timer >= LEAST_SHARE * timeout;
  }

  #whyEarly(psn: number, time: number, timeout: number): Early | undefined {
    if (psn === this.#notReady && time < this.#readyAt) {
      const text = `is sent again ${inUs(this.#readyAt - time)} us before the time that an RNR NAK has asked for`;
      return { rule: RULE.rnrWait, text };
    }
    // What has been acknowledged is another rule's.
    const isOpen = psnCompare(psn, this.#heard) >= 0;
    if (!isOpen || this.#asked > 0 || this.#mayHaveExpired(time, timeout)) return undefined;
    const since = `${inUs(time - this.#timer)} us after its timer began to run`;
    return { rule: RULE.tooSoon, text: `is sent again ${since}, and nothing that has arrived asked for it` };
  }
}

function inUs(ps: number): string {
  return (ps / 1e6).toFixed(3);
}
