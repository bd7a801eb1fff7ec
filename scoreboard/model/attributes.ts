/** What software has given a queue pair, and changes while it works (roce-transport.md 6.2). */

import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import { type Seen, Windowed } from '../../agents/verbs/windowed.ts';
import { ACK_TIMER_PS, MOST_RETRIES, RNR_RETRY_FOR_EVER } from '../../rdma/timers.ts';

/** Of an attribute: not known. */
const NOT_KNOWN = -1;
/** Code of a time-out that never expires. */
const NEVER = 0;

/** What a requester goes by, in RTS and later. */
const OF_REQUESTER = ['maxRdAtomic', 'retryCnt', 'rnrRetry', 'ackTimeout'] as const;
const OF_RESPONDER = ['access', 'maxDestRdAtomic', 'minRnrTimer'] as const;
const ALL = [...OF_REQUESTER, ...OF_RESPONDER];

type Name = (typeof ALL)[number];

/** By value: the attribute that nothing else has ever been. Never changed: other queue pairs have the same. */
const UNCHANGED = new Map<number, Seen<number>>();

/**
 * Attributes of one queue pair, -1 where one is not known. The moments are those of simulated time, ps: what they
 * are held against is when a packet was sent, came, or was seen.
 *
 * Queue pairs share the object of an attribute that has one value only: of thousands few are ever modified.
 */
export class Attributes {
  /** Operations of the peer that are permitted, `ACCESS` bits. */
  access: Seen<number> = unchanged(NOT_KNOWN);
  /** READs and atomics that it may have outstanding, and those of its peer that it answers at once. */
  maxRdAtomic: Seen<number> = unchanged(NOT_KNOWN);
  maxDestRdAtomic: Seen<number> = unchanged(NOT_KNOWN);
  /** How often it tries again what gets no answer, and what finds no receive (7 = for ever). */
  retryCnt: Seen<number> = unchanged(NOT_KNOWN);
  rnrRetry: Seen<number> = unchanged(RNR_RETRY_FOR_EVER);
  /** Code of its Local ACK Timeout, 0 = never. */
  ackTimeout: Seen<number> = unchanged(NEVER);
  /** Code of the time that it asks for when it is not ready. */
  minRnrTimer: Seen<number> = unchanged(NOT_KNOWN);

  /** Its connection begins anew: nothing else has ever held. */
  set(info: QpInfo): void {
    this.#replace(ALL, info);
  }

  /** It reaches RTS for the first time since: nothing has been sent by other attributes of its requester. */
  setRequester(info: QpInfo): void {
    this.#replace(OF_REQUESTER, info);
  }

  /** Software begins to change them. */
  begin(info: QpInfo, at: number): void {
    for (const name of ALL) {
      const value = given(info, name);
      if (value !== this[name].next) this.#own(name).begin(value, at);
    }
  }

  /** The NIC has done so, or has refused: what `info` says holds. */
  end(info: QpInfo, at: number): void {
    for (const name of ALL) {
      const value = given(info, name);
      const { now, isOpen } = this[name];
      // Of what was not known before there is no old value to be met.
      if (now === NOT_KNOWN) this[name] = unchanged(value);
      else if (isOpen || now !== value) this.#own(name).end(at, value);
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

  #replace(names: readonly Name[], info: QpInfo): void {
    for (const name of names) this[name] = unchanged(given(info, name));
  }

  #own(name: Name): Windowed<number> {
    const seen = this[name];
    if (seen !== UNCHANGED.get(seen.now)) return seen as Windowed<number>;
    const own = new Windowed(seen.now);
    this[name] = own;
    return own;
  }
}

function unchanged(value: number): Seen<number> {
  let seen = UNCHANGED.get(value);
  if (seen === undefined) {
    seen = new Windowed(value);
    UNCHANGED.set(value, seen);
  }
  return seen;
}

function given(info: QpInfo, name: Name): number {
  return info[name] ?? NOT_KNOWN;
}
