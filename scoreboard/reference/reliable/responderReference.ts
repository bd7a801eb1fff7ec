/**
 * The responder of a reliable connection, driven by the requests that reach it (roce-transport.md 3.3 to 3.6). What of them
 * it has accepted cannot be seen from outside: it may have refused one for want of a receive, which only its RNR NAK tells,
 * later. So this is an upper bound: everything that arrived in order counts as accepted until a refusal says otherwise.
 */

import { SYNDROME } from '../../../rdma/bth.ts';
import { psnText } from '../../../rdma/psnText.ts';
import type { DecodedPacket } from '../../../agents/wire/decodedPacket.ts';
import { LAST_ACK, LAST_NOT_READY } from '../../../agents/wire/syndromes.ts';
import { psnAdd, psnCompare } from '../../../agents/wire/psnArithmetic.ts';
import { MESSAGE, OPCODE, messageOf } from '../../../agents/wire/wireOpcodes.ts';
import { RULE, type TransportRule } from '../../../agents/wire/transportRules.ts';

const NEVER = -1;

/** A request that has arrived: its PSN, and how many PSNs it takes. */
interface Arrived {
  readonly psn: number;
  readonly packets: number;
  /** Something before it was missing: it was dropped. */
  readonly ahead: boolean;
  readonly atomic: boolean;
}

/** A packet that was missing when later ones arrived. */
interface Gap {
  /** Its NAK was sent. */
  asked: boolean;
  /** It has arrived since it was missed. */
  filled: boolean;
}

/** What an answer breaks; undefined = nothing. */
export interface BrokenAnswer {
  readonly rule: TransportRule;
  readonly what: string;
}

/** What implementations do differently. */
export interface ResponderHabits {
  /** It drops atomics that it refuses, and takes nothing behind them (9). */
  readonly discardsAtomics: boolean;
  /** It sends a sequence NAK for what it has refused for want of a receive, when something behind that arrives (11). */
  readonly sequenceNakAfterRnr: boolean;
}

const USUAL_HABITS: ResponderHabits = { discardsAtomics: false, sequenceNakAfterRnr: false };

export class ResponderReference {
  /** When the oldest request arrived that must be answered and that nothing was sent for since, ps; -1 = none. */
  owedSince: number = NEVER;
  /** Its PSN; of no meaning where there is none. */
  owedPsn = 0;

  /** All before it have arrived, in order. */
  #expected: number;
  // Null where nothing is in them: there is one of each for every queue pair, and most have nothing under way.
  /** Requests since the latest acknowledgement: what a refusal leaves of them is found by going through them again. */
  #recent: Arrived[] | null = null;
  #gaps: Map<number, Gap> | null = null;
  /** By PSN of a READ or atomic: how many of its arrivals have not been answered. */
  #unanswered: Map<number, number> | null = null;
  /** PSN of the newest READ or atomic that has arrived in order. A repeat of that is answered; older ones may be forgotten (3.9). */
  #newestRead: number = NEVER;
  /** PSN that was refused for want of a receive, of which no copy has arrived since. */
  #refused: number = NEVER;
  /** It has refused something for good, and answers nothing any more. */
  #failed = false;

  readonly #habits: ResponderHabits;

  /** @param psn that it expects first */
  constructor(psn: number, habits: ResponderHabits = USUAL_HABITS) {
    this.#expected = psn;
    this.#habits = habits;
  }

  /** The PSN that it takes next, unless it has refused something that is still on its way. */
  get expected(): number {
    return this.#expected;
  }

  /** A request arrives at `now`, ps, that takes `packets` PSNs. @returns whether it is the one that was expected */
  arrived(p: DecodedPacket, packets: number, now: number): boolean {
    const ahead = psnCompare(p.psn, this.#expected);
    const kind = messageOf(p.flags);
    const isRead = kind >= MESSAGE.read;
    const request: Arrived = { psn: p.psn, packets, ahead: ahead > 0, atomic: kind === MESSAGE.atomic };
    if (this.#recent === null) this.#recent = [request];
    else this.#recent.push(request);
    if (p.psn === this.#refused) this.#refused = NEVER;
    const gap = this.#gaps?.get(p.psn);
    if (gap !== undefined) gap.filled = true;
    if (ahead > 0) {
      if (this.#misses(this.#expected) && this.#refused !== this.#expected) this.#owes(p.psn, now);
      return false;
    }
    if (ahead === 0) this.#expected = psnAdd(p.psn, packets);
    if (isRead) {
      if (ahead === 0) this.#newestRead = p.psn;
      this.#unanswered ??= new Map();
      this.#unanswered.set(p.psn, (this.#unanswered.get(p.psn) ?? 0) + 1);
    }
    if (isRead ? this.#isKept(p.psn) : p.ackRequest) this.#owes(p.psn, now);
    return ahead === 0;
  }

  /** It sends an answer. @returns what is wrong with that, by what has arrived */
  answers(p: DecodedPacket): BrokenAnswer | undefined {
    this.owedSince = NEVER;
    if (this.#failed) return undefined;
    const kind = messageOf(p.flags);
    if (kind !== MESSAGE.acknowledge) return this.#respondsTo(p);
    if (p.syndrome <= LAST_ACK) return this.#acknowledges(p.psn);
    if (p.syndrome <= LAST_NOT_READY) return this.#refuses(p.psn);
    if (p.syndrome === SYNDROME.nakSequence) return this.#asksFor(p.psn);
    this.#failed = true;
    return undefined;
  }

  /** Whether a READ or atomic is the newest one, or a part of that: of others the responder may know nothing any more. */
  #isKept(psn: number): boolean {
    return this.#newestRead >= 0 && psnCompare(psn, this.#newestRead) >= 0;
  }

  #owes(psn: number, now: number): void {
    if (this.owedSince !== NEVER) return;
    this.owedSince = now;
    this.owedPsn = psn;
  }

  #acknowledges(psn: number): BrokenAnswer | undefined {
    if (psnCompare(psn, this.#expected) >= 0) {
      const next = psnText(this.#expected);
      // It goes on from there, so that what follows is not said again.
      this.#expected = psnAdd(psn, 1);
      return {
        rule: RULE.ackArrived,
        what: `answers a request that has not arrived: PSN ${next} is the first that is missing`,
      };
    }
    this.#forget(psnAdd(psn, 1));
    return undefined;
  }

  /** A part of the answer to a READ, or to an atomic. */
  #respondsTo(p: DecodedPacket): BrokenAnswer | undefined {
    const broken = this.#acknowledges(p.psn);
    if (broken !== undefined || (p.flags & OPCODE.start) === 0) return broken;
    const left = this.#unanswered?.get(p.psn) ?? 0;
    if (left > 1) this.#unanswered?.set(p.psn, left - 1);
    else this.#unanswered?.delete(p.psn);
    if (left > 0) return undefined;
    return { rule: RULE.readArrived, what: 'answers a READ or atomic more often than it has arrived' };
  }

  /**
   * Not ready for one copy of that packet, the first that it has said nothing of: what followed that was dropped, unless
   * another copy has come since.
   */
  #refuses(psn: number): undefined {
    const recent = this.#recent ?? [];
    const from = recent.findIndex((request) => request.psn === psn && !request.ahead);
    if (from < 0) return undefined;
    const again = recent.findIndex((request, i) => i > from && request.psn === psn && !request.ahead);
    const dropped = recent.splice(0, again < 0 ? recent.length : again);
    if (dropped.length > from + 1) this.#misses(psn);
    this.#refused = again < 0 ? psn : NEVER;
    let expected = psn;
    for (const request of recent) {
      if (request.psn === expected) expected = psnAdd(expected, request.packets);
      else if (psnCompare(request.psn, expected) > 0) this.#misses(expected);
    }
    this.#expected = expected;
    return undefined;
  }

  /** A sequence NAK: something behind that packet must have arrived, and it must not have been asked for before. */
  #asksFor(psn: number): BrokenAnswer | undefined {
    if (psn === this.#refused && !this.#habits.sequenceNakAfterRnr)
      return {
        rule: RULE.nakAfterRefusal,
        what: 'misses a packet that it has refused by an RNR NAK, of which no copy has arrived since; its NIC declares that it waits for that',
      };
    const gap = this.#gaps?.get(psn);
    if (gap === undefined && this.#mayHaveDiscarded(psn)) return this.#refuses(psn);
    if (gap === undefined)
      return {
        rule: RULE.nakNothingBehind,
        what: `misses a packet behind which nothing has arrived; PSN ${psnText(this.#expected)} is the next that it expects`,
      };
    if (gap.asked && !gap.filled)
      return {
        rule: RULE.nakTwice,
        what: `asks once more for a packet that has not arrived since; PSN ${psnText(this.#expected)} is the next that it expects`,
      };
    gap.asked = true;
    return undefined;
  }

  /** Whether it may have dropped an atomic with this PSN, behind which something has arrived. */
  #mayHaveDiscarded(psn: number): boolean {
    if (!this.#habits.discardsAtomics) return false;
    const recent = this.#recent ?? [];
    const at = recent.findIndex((request) => request.psn === psn && request.atomic);
    return at >= 0 && recent.some((request, i) => i > at && psnCompare(request.psn, psn) > 0);
  }

  /** A later packet arrives while `psn` is the next. @returns whether that is news */
  #misses(psn: number): boolean {
    this.#gaps ??= new Map();
    const gap = this.#gaps.get(psn);
    if (gap !== undefined && !gap.filled) return false;
    this.#gaps.set(psn, { asked: false, filled: false });
    return true;
  }

  /** All before `psn` is acknowledged: no refusal goes back to that. */
  #forget(psn: number): void {
    if (this.#recent !== null) {
      const left = this.#recent.filter((request) => psnCompare(psnAdd(request.psn, request.packets), psn) > 0);
      this.#recent = left.length === 0 ? null : left;
    }
    if (this.#gaps === null) return;
    for (const [missed, { filled }] of this.#gaps) {
      if (filled && psnCompare(missed, psn) < -MANY) this.#gaps.delete(missed);
    }
  }
}

/** A NAK may be on its way out while what it asks for arrives: gaps are remembered for so many PSNs. */
const MANY = 0x1_0000;
