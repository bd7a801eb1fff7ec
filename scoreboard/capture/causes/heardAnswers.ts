/**
 * What the requester of a connection has heard, and whether it may send again what it sends again: because an answer has asked for
 * that, or since its time-out can have expired (roce-transport.md 3.8).
 */

import { psnAdd, psnCompare } from '../../../agents/wire/psnArithmetic.ts';
import { LAST_ACK, LAST_NOT_READY } from '../../../agents/wire/syndromes.ts';
import { type TransportRule, RULE } from '../../../agents/wire/transportRules.ts';
import { RNR_TIMER_PS } from '../../../rdma/timers.ts';

/** While a NIC deals with what has arrived its time-out may expire, ps. */
const REACTION = 2_000_000;
const CODE_BITS = 0x1f;

/** A READ or atomic of which answers are missing: PSN of the next one, and PSN behind the last. */
interface OpenRead {
  next: number;
  readonly end: number;
}

/** A request packet as it is sent. */
export interface SentRequest {
  readonly psn: number;
  /** PSNs that it takes. */
  readonly span: number;
  /** It is answered with as many packets. */
  readonly isRead: boolean;
  /** On the link, and in line for its transmitter at the earliest, ps. */
  readonly time: number;
  readonly since: number;
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
  /** The packet for which its receiver was not ready, and when that may be sent again. It is known that the time-out had not expired by then. */
  #notReady = -1;
  #refusedAt = 0;
  #waitIsKnown = false;
  #readyAt = 0;
  readonly #reads: OpenRead[] = [];

  /**
   * A request packet is sent.
   * @param timeout least time-out of its queue pair, ps
   * @returns what is wrong with it where it is sent again too early
   */
  sent(request: SentRequest, timeout: number): Early | undefined {
    const { psn, span, isRead, since } = request;
    if (this.#cursor < 0) {
      this.#heard = psn;
      this.#top = psn;
    } else if (psnCompare(psn, this.#cursor) < 0) return this.#goesBack(request, timeout);
    // The timer runs while the frame waits for its transmitter.
    if (this.#heard === this.#top) this.#timer = since;
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
    const mayHaveExpired = this.#mayHaveExpired(time + REACTION, timeout);
    this.#heardUpTo(psn, time);
    if (syndrome > LAST_NOT_READY) return;
    // A requester that waits already need not wait longer: copies of the packet are refused as well.
    if (psn === this.#notReady && time < this.#readyAt) return;
    this.#notReady = psn;
    this.#refusedAt = time;
    this.#waitIsKnown = !mayHaveExpired;
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

  #goesBack(request: SentRequest, timeout: number): Early | undefined {
    const early = this.#whyEarly(request, timeout);
    this.#cursor = psnAdd(request.psn, request.span);
    this.#timer = request.since;
    if (this.#asked > 0) this.#asked--;
    if (request.time >= this.#readyAt) this.#notReady = -1;
    return early;
  }

  #mayHaveExpired(time: number, timeout: number): boolean {
    return time - this.#timer >= timeout;
  }

  #whyEarly({ psn, time, since }: SentRequest, timeout: number): Early | undefined {
    if (psn === this.#notReady && time < this.#readyAt && this.#waitIsKnown && since > this.#refusedAt) {
      const text = `is sent again ${inUs(this.#readyAt - time)} us before the time that an RNR NAK has asked for`;
      return { rule: RULE.rnrWait, text };
    }
    // What has been acknowledged may have been in line before that.
    if (psnCompare(psn, this.#heard) < 0) return undefined;
    // What was in line may have been made when less had been heard.
    const isFresh = since === time;
    if (!isFresh || this.#asked > 0 || this.#mayHaveExpired(time, timeout)) return undefined;
    const after = `${inUs(time - this.#timer)} us after its timer began to run`;
    return { rule: RULE.tooSoon, text: `is sent again ${after}, and nothing that has arrived asked for it` };
  }
}

function inUs(ps: number): string {
  return (ps / 1e6).toFixed(3);
}
