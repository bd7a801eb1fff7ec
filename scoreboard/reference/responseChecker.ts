import type { WrongValue } from '../../rdma/subject.ts';
import { aValue } from '../../rdma/subjectParts.ts';
import type { FlowKnowledge } from './flowKnowledge.ts';
import { BTH_OP, SYNDROME } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';
import type { AckTimer } from './ackTimer.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { FLOW, FLOW_BIT, FLOW_WORDS, type FlowTable, stateOf } from './flowTable.ts';
import type { NotReadyTimes } from './notReadyTimes.ts';
import { psnAdd, psnCompare } from '../../agents/wire/psnArithmetic.ts';
import type { Connection } from './connection.ts';
import type { ReadRequest, ReadRequests } from './reliable/readRequests.ts';
import type { Profiles } from '../model/profiles.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { LAST_ACK, LAST_NOT_READY } from '../../agents/wire/syndromes.ts';
import { MESSAGE, OPCODE } from '../../agents/wire/wireOpcodes.ts';
import { RULE, type TransportRule } from '../../agents/wire/transportRules.ts';

const TIMER_CODE = 0x1f;

/**
 * Checks what a responder sends against the requests that went the other way (roce-transport.md 3.2 to 3.4, 3.9,
 * 3.10): PSNs that were sent, message numbers that grow, READ responses complete and in order.
 */
export class ResponseChecker {
  readonly #flows: FlowTable;
  readonly #report: RuleReporter;
  readonly #timer: AckTimer;
  readonly #times: NotReadyTimes;
  readonly #profiles: Profiles;
  /** The packet that is looked at breaks a rule. */
  #found = false;

  constructor(known: FlowKnowledge, report: RuleReporter) {
    this.#flows = known.flows;
    this.#report = report;
    this.#timer = known.timer;
    this.#times = known.times;
    this.#profiles = known.profiles;
  }

  /** A response packet; `flow` is that of the requests which it answers. @returns whether it breaks no rule */
  check(p: DecodedPacket, flow: number): boolean {
    this.#found = false;
    this.#check(p, flow);
    return !this.#found;
  }

  #check(p: DecodedPacket, flow: number): void {
    const s = this.#flows.state;
    const at = stateOf(flow);
    if (((s[at] as number) & FLOW_BIT.psnKnown) === 0) return;
    if (!this.#wasSent(p, at)) {
      if (this.#misses(p, at)) return;
      const first = psnText(s[at + FLOW.first] as number);
      const last = psnText((s[at + FLOW.top] as number) - 1);
      this.#broken(RULE.ackPsn, p, `answers a PSN that was not sent; ${first} to ${last} were`);
      return;
    }
    this.#noteAcknowledged(p, at);
    if ((p.flags & OPCODE.aeth) !== 0) this.#messageNumber(p, at);
    if (p.opcode === BTH_OP.acknowledge) this.#acknowledge(p, at);
    else if (p.opcode === BTH_OP.atomicAcknowledge) this.#atomic(p, at);
    else this.#readResponse(p, at);
  }

  #broken(rule: TransportRule, p: DecodedPacket, what: string, ...values: readonly WrongValue[]): void {
    this.#found = true;
    this.#report.broken(rule, p, what, ...values);
  }

  #wasSent(p: DecodedPacket, at: number): boolean {
    const s = this.#flows.state;
    return psnCompare(p.psn, s[at + FLOW.top] as number) < 0 && psnCompare(p.psn, s[at + FLOW.first] as number) >= 0;
  }

  /**
   * The NAK of a responder to which a packet of another life, or one that nobody has sent, looks like one behind a gap: it
   * names the PSN that it expects, and that may be the next one to be sent. One that it has taken, and refuses, has that PSN.
   * Or it looks like one that was taken before: a responder to which nothing has come acknowledges the PSN before the first.
   */
  #misses(p: DecodedPacket, at: number): boolean {
    if (p.opcode !== BTH_OP.acknowledge) return false;
    const { foreign, isMisled } = this.#connection(at);
    const s = this.#flows.state;
    if (p.syndrome <= LAST_ACK) return foreign !== null && psnAdd(p.psn, 1) === s[at + FLOW.first];
    const mayNak = p.syndrome === SYNDROME.nakSequence ? foreign !== null : isMisled;
    return mayNak && p.psn === s[at + FLOW.top];
  }

  /** A response acknowledges everything before its PSN, and that one too unless it refuses it. */
  #noteAcknowledged(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    const refuses = p.opcode === BTH_OP.acknowledge && p.syndrome > LAST_ACK;
    const next = refuses ? p.psn : psnAdd(p.psn, 1);
    if (refuses) this.#refusal(p, at);
    const oldest = s[at + FLOW.acknowledged] as number;
    if (psnCompare(next, oldest) > 0) s[at + FLOW.acknowledged] = next;
    else p.answersAgain = p.opcode < BTH_OP.acknowledge;
  }

  /** Says from where in memory a part of a READ's answer is. @returns false where that is not known any more */
  #locate(p: DecodedPacket, at: number): boolean {
    const part = this.#connection(at).reads?.part(p.psn, this.#flows.state[at + FLOW.mtu] as number);
    if (part === undefined) return false;
    p.vaHi = part.hi;
    p.vaLo = part.lo;
    p.rkey = part.request.rkey;
    return true;
  }

  /**
   * What a responder may ask for again: not what it has acknowledged, and a READ as a whole only. What it refuses for good may be acknowledged only if it is a READ, which can fail halfway.
   */
  #refusal(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    if (((s[at] as number) & FLOW_BIT.announced) === 0) return;
    const gap = p.syndrome === SYNDROME.nakSequence;
    const fatal = !gap && p.syndrome > LAST_NOT_READY;
    if (!gap && !fatal) this.#notReady(p, at);
    const { reads } = this.#connection(at);
    // Of an answer that was asked for again it is not known which of its transmissions fails.
    const underWay = fatal && reads?.isRepeated(p.psn) !== true ? reads?.underWay(p.psn) : undefined;
    if (underWay !== undefined) this.#readRefusal(p, underWay.missing, underWay.request);
    else if (psnCompare(p.psn, s[at + FLOW.acknowledged] as number) < 0) {
      if (!fatal) this.#refusesTooLate(p, at, 'asks again for what has been acknowledged');
      else if (reads?.isRepeated(p.psn) !== true) this.#refusesTooLate(p, at, 'refuses what has been acknowledged');
      else p.refusesForGood = true;
    } else if (!fatal && reads?.isInside(p.psn) === true) {
      this.#broken(RULE.nakInRead, p, 'asks for a PSN of the answer to a READ, and not for that of the READ');
    } else p.refusesForGood = fatal;
  }

  /** The answer to a READ fails halfway: which PSN its NAK names is left open, and declared by the NIC (11). */
  #readRefusal(p: DecodedPacket, missing: number, request: number): void {
    const names = this.#profiles.of(p.host).choices.readNakNamesResponse;
    const right = names ? missing : request;
    p.refusesForGood = true;
    if (p.psn === right) return;
    const what = names ? `the answer that is missing, ${psnText(right)}` : `the READ, ${psnText(right)}`;
    this.#broken(RULE.readNakPsn, p, `refuses the rest of a READ; its NIC declares that it names the PSN of ${what}`);
  }

  #refusesTooLate(p: DecodedPacket, at: number, what: string): void {
    this.#broken(RULE.nakAnswered, p, `${what}; ${this.#nextPsn(at)}`);
  }

  #notReady(p: DecodedPacket, at: number): void {
    p.refusedSentAt = this.#timer.onlySentAt(at, p.psn);
    this.#connection(at).packets?.refused(p.psn);
    const code = p.syndrome & TIMER_CODE;
    const right = this.#times.rightOf(at / FLOW_WORDS, code, p.refusedSentAt);
    if (right >= 0) {
      const what = `asks for time ${code}, and its queue pair was given ${right}`;
      this.#broken(RULE.rnrTimer, p, what, aValue('flags', 5, code, right));
    }
  }

  #messageNumber(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    if (((s[at] as number) & FLOW_BIT.announced) === 0) return;
    const last = s[at + FLOW.msn] as number;
    const sent = s[at + FLOW.messages] as number;
    if (psnCompare(p.msn, last) < 0)
      this.#broken(RULE.msnOrder, p, `has MSN ${p.msn} after ${last}`, aValue('MSN', 24, p.msn, sent));
    else if (psnCompare(p.msn, sent) > 0) {
      this.#broken(
        RULE.msnBeyond,
        p,
        `has MSN ${p.msn}, and only ${sent} messages were sent`,
        aValue('MSN', 24, p.msn, sent),
      );
    } else {
      s[at + FLOW.msn] = p.msn;
      if (p.syndrome > LAST_ACK && p.opcode === BTH_OP.acknowledge) this.#refusedMessage(p, at);
      if (p.msn !== sent && p.syndrome <= LAST_ACK && psnAdd(p.psn, 1) === s[at + FLOW.top]) {
        const what = `has MSN ${p.msn}, but acknowledges all ${sent} messages that were sent`;
        this.#broken(RULE.msnBehind, p, what, aValue('MSN', 24, p.msn, sent));
      }
    }
  }

  /**
   * What is refused does not count. Where a message has just ended, the refused one is among those that were sent; of a
   * READ it may also be the answer that failed, after the READ was counted.
   */
  #refusedMessage(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    if (s[at + FLOW.next] !== s[at + FLOW.top] || s[at + FLOW.message] !== MESSAGE.none) return;
    const again = psnCompare(p.psn, s[at + FLOW.acknowledged] as number) < 0;
    if (again || this.#connection(at).reads?.covering(p.psn) !== undefined) return;
    const sent = s[at + FLOW.messages] as number;
    if (p.msn === sent) {
      this.#broken(RULE.msnRefused, p, `has MSN ${p.msn}, and counts the message that it refuses`);
    } else if (psnAdd(p.psn, 1) === s[at + FLOW.top] && psnAdd(p.msn, 1) !== sent) {
      this.#broken(RULE.msnRefused, p, `has MSN ${p.msn}, but refuses only the last of ${sent} messages`);
    }
  }

  #acknowledge(p: DecodedPacket, at: number): void {
    if (p.syndrome > LAST_ACK) return;
    const open = this.#connection(at).reads?.oldestOpen;
    if (open !== undefined && psnCompare(p.psn, open.psn) >= 0) {
      this.#broken(RULE.ackOrder, p, `passes the READ or atomic with PSN ${psnText(open.psn)}`);
    }
  }

  #atomic(p: DecodedPacket, at: number): void {
    const connection = this.#connection(at);
    const { reads } = connection;
    const request = reads?.awaiting(p.psn);
    if (request?.atomic === true) reads?.answered(request);
    else if (request !== undefined || !this.#mayAnswerInjected(p, at, connection)) {
      this.#unasked(p, at);
      return;
    }
    const first = reads?.atomicAnswered(p);
    if (first === undefined || connection.isMisled) return;
    const value = hexAddress(p.originalHi, p.originalLo);
    const text = `carries ${value}, and the first answer to this atomic had ${hexAddress(first.hi, first.lo)}`;
    this.#broken(RULE.atomicRepeat, p, text);
  }

  /** Whether it may answer a repeat that no NIC has sent: one of what has been acknowledged (3.10). */
  #mayAnswerInjected({ psn }: DecodedPacket, at: number, { isMisled, reads }: Connection): boolean {
    const isOld = psnCompare(psn, this.#flows.state[at + FLOW.acknowledged] as number) < 0;
    return isOld && isMisled && reads?.mayBeAnsweredAtomic(psn) === true;
  }

  #readResponse(p: DecodedPacket, at: number): void {
    p.answersRead = p.payloadLength !== 0 && this.#locate(p, at);
    const { reads } = this.#connection(at);
    if (reads === null) this.#unasked(p, at);
    else if ((p.flags & OPCODE.start) !== 0) this.#firstResponse(p, at, reads);
    else this.#nextResponse(p, at, reads);
  }

  #firstResponse(p: DecodedPacket, at: number, reads: ReadRequests): void {
    const request = reads.awaiting(p.psn);
    if (request === undefined || request.atomic) {
      this.#unasked(p, at);
      return;
    }
    const { length } = request;
    this.#takePayload(p, at, reads, request, length);
    p.dmaLength = length | 0;
    p.beginsAnswer = p.answersRead && length !== 0;
  }

  #nextResponse(p: DecodedPacket, at: number, reads: ReadRequests): void {
    const { current, next, left } = reads;
    if (current === null || next !== p.psn) this.#unasked(p, at);
    else this.#takePayload(p, at, reads, current, left);
  }

  /** @param left bytes of the answer from this packet on */
  #takePayload(p: DecodedPacket, at: number, reads: ReadRequests, request: ReadRequest, left: number): void {
    const s = this.#flows.state;
    if (s[at + FLOW.mtu] === 0 && (p.flags & OPCODE.end) === 0) s[at + FLOW.mtu] = p.payloadLength;
    const mtu = s[at + FLOW.mtu] as number;
    const ends = (p.flags & OPCODE.end) !== 0;
    const wanted = mtu === 0 || left < mtu ? left : mtu;
    if (p.payloadLength !== wanted || ends !== (left <= mtu || mtu === 0)) {
      const text = `carries ${p.payloadLength} bytes as ${ends ? 'the last' : 'not the last'} packet`;
      this.#broken(RULE.responseLength, p, `${text}; ${left} bytes are left at a path MTU of ${mtu}`);
    }
    reads.current = ends ? null : request;
    reads.next = psnAdd(p.psn, 1);
    reads.left = Math.max(0, left - p.payloadLength);
    if (ends) reads.answered(request);
  }

  #nextPsn(at: number): string {
    return `PSN ${psnText(this.#flows.state[at + FLOW.acknowledged] as number)} is the next to be acknowledged`;
  }

  #unasked(p: DecodedPacket, at: number): void {
    const { reads } = this.#connection(at);
    const open = reads?.oldestOpen;
    const waiting =
      open === undefined ? 'no READ or atomic is outstanding' : `the oldest of those has PSN ${psnText(open.psn)}`;
    const isUnderWay = reads !== null && reads.current !== null;
    const under = isUnderWay ? `, and the unfinished answer goes on with PSN ${psnText(reads.next)}` : '';
    this.#broken(
      RULE.response,
      p,
      `answers no outstanding READ or atomic, or comes out of sequence; ${waiting}${under}`,
    );
  }

  #connection(at: number): Connection {
    return this.#flows.connection(at);
  }
}
