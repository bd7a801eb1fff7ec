/**
 * The requester of a reliable connection, driven by the answers that reach it (roce-transport.md 3.3, 3.8): how far it knows
 * that it was answered, at most, and why it may go back.
 */

import { SYNDROME } from '../../../rdma/bth.ts';
import { RNR_RETRY_FOR_EVER } from '../../../rdma/timers.ts';
import type { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { LAST_ACK, LAST_NOT_READY } from '../../../agents/wire/syndromes.ts';
import { psnAdd, psnCompare } from '../../../agents/wire/psnArithmetic.ts';
import { MESSAGE, OPCODE, messageOf } from '../../../agents/wire/wireOpcodes.ts';
import { Retries } from './retries.ts';

const NEVER = -1;

/** A READ or atomic that was sent: the PSNs of its answer. */
interface Asked {
  readonly psn: number;
  readonly end: number;
}

/**
 * What a sequence NAK tells of: the responder has not got this packet (3.5). Open until the requester goes back, or hears
 * otherwise: where the packet was only overtaken, an acknowledgement may come behind the NAK, and nothing is left to send
 * again (3.6).
 */
interface Gap {
  readonly psn: number;
  /** When the NAK arrived, ps. */
  readonly since: number;
}

/** Something that has arrived and may make it go back once. */
interface Reason {
  readonly why: 'nak' | 'not ready' | 'answer out of order';
  /** What it asks for: `heard` when it came. What arrives is dealt with in order, so that much is known to who goes back for it. */
  readonly psn: number;
  /** Of an RNR NAK: until then it waits at least, ps; -1 where a time-out may have made it go back already. */
  readonly until: number;
  /** Of an RNR NAK: until when it asks to wait, ps. */
  readonly asked: number;
}

/** What the time-out of a requester has to do with an answer that arrives. */
export interface Arrival {
  readonly now: number;
  /** The time-out of what is answered, or refused, may have expired before. */
  readonly expired: boolean;
  /** It has gone back, and not come again as far as before: a NAK may be about what it sends again just now. */
  readonly resending: boolean;
  /** Of an RNR NAK: time that it asks for, ps. */
  readonly wait: number;
}

/** That a requester goes back, by what has arrived. */
export interface GoingBack {
  /** What has arrived that asks for it. */
  readonly reason: Reason | undefined;
  /** What has arrived asks for a later packet. */
  readonly later: Reason | undefined;
  /** Its time-out may have expired just before an answer came: then it goes back to what that leaves without one (3.8). */
  readonly late: boolean;
  /** Waits for a receiver that is not ready that it has ended since then, at least. */
  readonly refusals: number;
}

/** RNR NAKs for one packet. */
interface NotReadyTries {
  readonly psn: number;
  /** When each can have been counted, ps: not before the wait for the one before was over. */
  readonly times: readonly number[];
  /** For how long the latest one asks to wait, ps. */
  readonly wait: number;
}

/** Of so many packets, the latest ones, RNR NAKs are remembered: an older one that was taken meanwhile may still be given up. */
const MOST_REFUSED = 4;

/** Another RNR NAK for a packet arrives at `now`, ps. */
function triedAgain(all: readonly NotReadyTries[], psn: number, now: number, wait: number): NotReadyTries[] {
  const known = all.find((tries) => tries.psn === psn);
  const times = known?.times ?? [];
  const last = times.at(-1);
  const counted = last === undefined || known === undefined ? now : Math.max(now, last + known.wait);
  const again = { psn, times: times.length > RNR_RETRY_FOR_EVER ? times : [...times, counted], wait };
  return [...all.filter((tries) => tries !== known), again].slice(-MOST_REFUSED);
}

export class RequesterReference {
  readonly retries = new Retries();
  /** All before it is answered, as far as answers have arrived. */
  heard: number;
  /** What that was before it moved last; -1 = it has not. */
  heardBefore: number = NEVER;
  /** When that moved last, ps. */
  heardAt: number = NEVER;
  /** When it went back last, ps. */
  wentBackAt: number = NEVER;

  /** When it sent something again last, ps. */
  #resentAt: number = NEVER;
  /** To where, if nothing new was answered since: it may take another NAK for that for one that it has dealt with. */
  #wentBackTo: number = NEVER;
  /** Since it went back last, an answer has come when its time-out may have expired already, and more is without an answer. */
  #late = false;
  /** That the latest sequence NAK told of, if it is open. */
  #gap: Gap | null = null;
  // Lists are null while they are empty: there is one of each for every queue pair, and most wait for nothing.
  /** NAKs, and answers out of order, oldest first. */
  #reasons: Reason[] | null = null;
  #refusals = 0;
  #refusedAt: number = NEVER;
  /** By packet, the latest ones; null while there is none. */
  #refused: NotReadyTries[] | null = null;
  /** Until when it waits, at least, for a receiver that was not ready, ps. */
  #waitsUntil: number = NEVER;
  #asked: Asked[] | null = null;
  /** By message sent whose last packet is not known to be answered: the PSN behind it. */
  #ends: number[] | null = null;

  /** PSN behind all that it has sent. */
  #next: number;

  /** @param psn that it sends first */
  constructor(psn: number) {
    this.heard = psn;
    this.#next = psn;
  }

  /** When the sequence NAK arrived for which it has still to go back, ps; -1 = none. */
  get nakAt(): number {
    return this.#gap === null ? NEVER : this.#gap.since;
  }

  /** Until when the latest RNR NAK that it waits for asks it to wait, ps; -1 = none has come. */
  get waitsUntil(): number {
    return this.#waitsUntil;
  }

  /** Whether it has sent something of which no answer has arrived. */
  get isOpen(): boolean {
    return this.heard !== this.#next;
  }

  /** Whether a sequence NAK, or an answer out of order, has arrived for which it has still to go back: it ends a try. */
  get isAskedAgain(): boolean {
    return this.#reasons?.some((reason) => !isNotReady(reason)) === true;
  }

  /** When the latest RNR NAK has arrived since its latest progress, ps; -1 = none. */
  get refusedAt(): number {
    return this.#refusedAt;
  }

  /**
   * RNR NAKs for a packet that it may have counted by `now`, ps: it waits after each before it counts the next, and what has
   * arrived meanwhile it may not have dealt with.
   */
  notReady(psn: number, now: number): number {
    const tries = this.#refused?.find((known) => known.psn === psn);
    return tries?.times.reduce((count, time) => (time <= now ? count + 1 : count), 0) ?? 0;
  }

  /** Messages that it has sent and that no answer which arrived speaks of. */
  get unanswered(): number {
    return this.#ends === null ? 0 : this.#ends.length;
  }

  /** It sends a packet for the first time, that takes `packets` PSNs. */
  sends(p: DecodedPacket, packets: number): void {
    const end = psnAdd(p.psn, packets);
    this.#next = end;
    if ((p.flags & OPCODE.end) !== 0) this.#ends = withItem(this.#ends, end);
    if (messageOf(p.flags) >= MESSAGE.read) this.#asked = withItem(this.#asked, { psn: p.psn, end });
  }

  /** An answer arrives. */
  arrived(p: DecodedPacket, arrival: Arrival): void {
    // An answer of another life, or one that names what it has still to send, is dropped (3.6).
    if (psnCompare(p.psn, this.#next) >= 0) return;
    const kind = messageOf(p.flags);
    if (kind === MESSAGE.acknowledge) this.#acknowledged(p, arrival);
    else this.#responded(p.psn, arrival);
  }

  /**
   * It comes to send the oldest packet without an answer for the first time. What it has sent again since the latest answer, of
   * before that, may have timed out meanwhile: then it has gone back to this packet already.
   * @param expires whether a timer that was started with the latest answer may have expired
   */
  beginsAnew(expires: boolean): void {
    if (expires && this.#resentAt > this.heardAt) this.#wentBackTo = this.heard;
  }

  /**
   * Since when its timer may run, ps; -1 = not known. It was begun anew with the latest progress, and when it went back since.
   * @param sentAt when it sent the oldest packet without an answer last, ps, -1 = not known
   */
  timerSince(sentAt: number): number {
    if (this.wentBackAt > this.heardAt) return this.wentBackAt;
    return this.#resentAt > this.heardAt ? Math.min(this.heardAt, sentAt) : sentAt;
  }

  /** It sends a packet again at `now`, ps. */
  resends(now: number): void {
    this.#resentAt = now;
  }

  /** It goes back to `psn`. */
  goesBack(psn: number, now: number): GoingBack {
    const late = this.#late;
    this.#late = false;
    this.#wentBackTo = psn;
    const reasons = this.#reasons ?? [];
    const [oldest] = reasons;
    const isAsked = oldest !== undefined && psnCompare(psn, oldest.psn) >= 0;
    // Whatever else it was asked for, it has waited for a receiver that was not ready, and that costs no retry.
    const notReady = reasons.find(isNotReady);
    const reason = isAsked ? (notReady ?? oldest) : undefined;
    // Before its wait is over only its time-out makes it go back, which expired before it dealt with the RNR NAK: that it does next.
    const isStillAhead = reason === notReady && reason?.until === NEVER && now < reason.asked;
    if (reason !== undefined && !isStillAhead) this.#reasons = filled(reasons.filter((other) => other !== reason));
    // What it goes back to before it hears of the latest progress, or for a NAK before that, it has counted before that.
    const isNews = psnCompare(psn, this.heard) >= 0 && (reason === undefined || reason.psn === this.heard);
    this.retries.another(psn, now, notReady === undefined && isNews);
    if (reason !== undefined && reason.until !== NEVER) this.#refusals++;
    this.#gap = null;
    this.wentBackAt = now;
    const later = isAsked ? undefined : oldest;
    return { reason, later, late, refusals: this.#refusals };
  }

  #acknowledged(p: DecodedPacket, { resending, now, expired, wait }: Arrival): void {
    const refuses = p.syndrome > LAST_ACK;
    const next = refuses ? p.psn : psnAdd(p.psn, 1);
    const open = this.#asked?.[0];
    // What passes the answer of a READ says that this was lost.
    const passes = open !== undefined && psnCompare(next, open.psn) > 0;
    const known = passes ? open.psn : next;
    const asks = refuses && p.syndrome === SYNDROME.nakSequence && !passes;
    // For a receiver that is not ready it waits, whatever else it was asked for, or is while it waits (3.8).
    const waits = this.#reasons?.some(isNotReady) === true;
    const gap = asks && !resending && !waits && known !== this.#wentBackTo;
    if (gap && psnCompare(p.psn, this.heard) >= 0) this.#gap = { psn: p.psn, since: now };
    else if (refuses && p.syndrome < SYNDROME.nakSequence) this.#gap = null;
    this.#reach(known, now, expired);
    const notReady = refuses && !passes && p.syndrome <= LAST_NOT_READY;
    if (notReady) {
      this.#refusedAt = now;
      this.#refused = triedAgain(this.#refused ?? [], p.psn, now, wait);
      this.#waits(now, wait, expired);
    } else if (refuses || passes) this.#asksFor(passes ? 'answer out of order' : 'nak', NEVER, NEVER);
  }

  /** A receiver is not ready. What comes while it waits for that it does not count, and the wait is the first one (3.8). */
  #waits(now: number, wait: number, expired: boolean): void {
    if (this.#reasons?.some(isNotReady) === true) return;
    this.#waitsUntil = now + wait;
    this.#asksFor('not ready', expired ? NEVER : this.#waitsUntil, this.#waitsUntil);
  }

  /** A part of the answer to a READ, or to an atomic: only the next one counts. */
  #responded(psn: number, { now, expired }: Arrival): void {
    const open = this.#asked?.[0];
    if (open === undefined) return;
    const next = psnCompare(this.heard, open.psn) > 0 ? this.heard : open.psn;
    const ahead = psnCompare(psn, next);
    if (ahead === 0) this.#reach(psnAdd(psn, 1), now, expired);
    else if (ahead > 0) this.#reach(open.psn, now, expired);
    if (ahead > 0) this.#asksFor('answer out of order', NEVER, NEVER);
  }

  #reach(psn: number, now: number, expired: boolean): void {
    if (psnCompare(psn, this.heard) <= 0) return;
    this.heardBefore = this.heard;
    this.heard = psn;
    this.heardAt = now;
    if (expired) this.#late = true;
    if (psn === this.#next) this.#late = false;
    if (this.#gap !== null && psnCompare(psn, this.#gap.psn) > 0) this.#gap = null;
    this.#wentBackTo = NEVER;
    this.retries.progress(this.#late);
    this.#refusals = 0;
    this.#refusedAt = NEVER;
    // What it waits for has come meanwhile.
    const waits = this.#reasons === null ? -1 : this.#reasons.findIndex(isNotReady);
    if (this.#reasons !== null && waits >= 0)
      this.#reasons[waits] = { ...(this.#reasons[waits] as Reason), until: NEVER, asked: NEVER };
    const asked = this.#asked;
    while (asked !== null && asked.length > 0 && psnCompare((asked[0] as Asked).end, psn) <= 0) asked.shift();
    if (asked?.length === 0) this.#asked = null;
    const ends = this.#ends;
    while (ends !== null && ends.length > 0 && psnCompare(ends[0] as number, psn) <= 0) ends.shift();
    if (ends?.length === 0) this.#ends = null;
  }

  /** Something has arrived for which it goes back. */
  #asksFor(why: Reason['why'], until: number, asked: number): void {
    this.#reasons = withItem(this.#reasons, { why, psn: this.heard, until, asked });
  }
}

function isNotReady({ why }: Reason): boolean {
  return why === 'not ready';
}

function withItem<T>(list: T[] | null, item: T): T[] {
  if (list === null) return [item];
  list.push(item);
  return list;
}

/** Null in place of a list without items. */
function filled<T>(list: T[]): T[] | null {
  return list.length === 0 ? null : list;
}
