import type { FlowKnowledge } from './flowKnowledge.ts';
import { BTH_OP, SYNDROME } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import { hexAddress } from '../../uvm/report/hexTexts.ts';
import type { AtomicAnswers } from './atomicAnswers.ts';
import type { AckTimer } from './ackTimer.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { FLOW, FLOW_BIT, FLOW_WORDS, type FlowTable, stateOf } from './flowTable.ts';
import type { NotReadyTimes } from './notReadyTimes.ts';
import type { ReliableConnections } from './reliable/reliableConnections.ts';
import { psnAdd, psnCompare } from '../../agents/wire/psnArithmetic.ts';
import { ASKED, type ReadHistory } from './readHistory.ts';
import { READ, type ReadTable } from './readTable.ts';
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
  readonly #reads: ReadTable;
  readonly #asked: ReadHistory;
  readonly #answers: AtomicAnswers;
  readonly #report: RuleReporter;
  readonly #timer: AckTimer;
  readonly #times: NotReadyTimes;
  readonly #reliable: ReliableConnections;
  /** The packet that is looked at breaks a rule. */
  #found = false;

  constructor(known: FlowKnowledge, report: RuleReporter) {
    this.#flows = known.flows;
    this.#reads = known.reads;
    this.#asked = known.asked;
    this.#answers = known.answers;
    this.#report = report;
    this.#timer = known.timer;
    this.#times = known.times;
    this.#reliable = known.reliable;
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

  #broken(rule: TransportRule, p: DecodedPacket, what: string): void {
    this.#found = true;
    this.#report.broken(rule, p, what);
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
    const flow = at / FLOW_WORDS;
    const s = this.#flows.state;
    if (p.syndrome <= LAST_ACK) return this.#reliable.mayAnswerFormer(flow) && psnAdd(p.psn, 1) === s[at + FLOW.first];
    const gap = p.syndrome === SYNDROME.nakSequence;
    const mayNak = gap ? this.#reliable.mayAnswerFormer(flow) : this.#reliable.isMisled(flow);
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
    const asked = this.#asked;
    const read = asked.find(at / FLOW_WORDS, p.psn);
    if (read < 0) return false;
    asked.locate(read, p.psn, this.#flows.state[at + FLOW.mtu] as number);
    p.vaHi = asked.hi;
    p.vaLo = asked.lo;
    p.rkey = asked.words[read + ASKED.rkey] as number;
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
    if (psnCompare(p.psn, s[at + FLOW.acknowledged] as number) < 0) {
      if (!fatal) this.#refusesTooLate(p, at, 'asks again for what has been acknowledged');
      else if (!this.#reads.isRepeated(at, p.psn)) this.#refusesTooLate(p, at, 'refuses what has been acknowledged');
      else p.refusesForGood = true;
    } else if (!fatal && this.#reads.isInside(at, p.psn)) {
      this.#broken(RULE.nakInRead, p, 'asks for a PSN of the answer to a READ, and not for that of the READ');
    } else p.refusesForGood = fatal;
  }

  #refusesTooLate(p: DecodedPacket, at: number, what: string): void {
    this.#broken(RULE.nakAnswered, p, `${what}; ${this.#nextPsn(at)}`);
  }

  #notReady(p: DecodedPacket, at: number): void {
    p.refusedSentAt = this.#timer.onlySentAt(at, p.psn);
    this.#timer.refused(at, p.psn);
    const code = p.syndrome & TIMER_CODE;
    const right = this.#times.rightOf(at / FLOW_WORDS, code, p.refusedSentAt);
    if (right >= 0) this.#broken(RULE.rnrTimer, p, `asks for time ${code}, and its queue pair was given ${right}`);
  }

  #messageNumber(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    if (((s[at] as number) & FLOW_BIT.announced) === 0) return;
    const last = s[at + FLOW.msn] as number;
    const sent = s[at + FLOW.messages] as number;
    if (psnCompare(p.msn, last) < 0) this.#broken(RULE.msnOrder, p, `has MSN ${p.msn} after ${last}`);
    else if (psnCompare(p.msn, sent) > 0) {
      this.#broken(RULE.msnBeyond, p, `has MSN ${p.msn}, and only ${sent} messages were sent`);
    } else {
      s[at + FLOW.msn] = p.msn;
      if (p.syndrome > LAST_ACK && p.opcode === BTH_OP.acknowledge) this.#refusedMessage(p, at);
      if (p.msn !== sent && p.syndrome <= LAST_ACK && psnAdd(p.psn, 1) === s[at + FLOW.top]) {
        this.#broken(RULE.msnBehind, p, `has MSN ${p.msn}, but acknowledges all ${sent} messages that were sent`);
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
    if (again || this.#reads.covering(at, p.psn) >= 0) return;
    const sent = s[at + FLOW.messages] as number;
    if (p.msn === sent) {
      this.#broken(RULE.msnRefused, p, `has MSN ${p.msn}, and counts the message that it refuses`);
    } else if (psnAdd(p.psn, 1) === s[at + FLOW.top] && psnAdd(p.msn, 1) !== sent) {
      this.#broken(RULE.msnRefused, p, `has MSN ${p.msn}, but refuses only the last of ${sent} messages`);
    }
  }

  #acknowledge(p: DecodedPacket, at: number): void {
    if (p.syndrome > LAST_ACK || (this.#flows.state[at + FLOW.readHead] as number) < 0) return;
    const open = this.#reads.oldestUnanswered(at);
    if (open >= 0 && psnCompare(p.psn, open) >= 0) {
      this.#broken(RULE.ackOrder, p, `passes the READ or atomic with PSN ${psnText(open)}`);
    }
  }

  #atomic(p: DecodedPacket, at: number): void {
    const entry = this.#reads.at(at, p.psn);
    if (entry < 0 && this.#answersInjected(p, at)) this.#sameAnswer(p, at / FLOW_WORDS);
    else if (entry < 0 || this.#reads.get(entry, READ.atomic) === 0) this.#unasked(p, at);
    else {
      this.#reads.answered(at, entry);
      this.#sameAnswer(p, at / FLOW_WORDS);
    }
  }

  /** Whether it may answer a repeat that no NIC has sent: one of what has been acknowledged (3.10). */
  #answersInjected(p: DecodedPacket, at: number): boolean {
    const flow = at / FLOW_WORDS;
    const isOld = psnCompare(p.psn, this.#flows.state[at + FLOW.acknowledged] as number) < 0;
    return isOld && this.#reliable.isMisled(flow) && this.#answers.has(flow, p.psn);
  }

  #sameAnswer(p: DecodedPacket, flow: number): void {
    const first = this.#answers.answered(flow, p);
    if (first === undefined || this.#reliable.isMisled(flow)) return;
    const value = hexAddress(p.originalHi, p.originalLo);
    const text = `carries ${value}, and the first answer to this atomic had ${hexAddress(first.hi, first.lo)}`;
    this.#broken(RULE.atomicRepeat, p, text);
  }

  #readResponse(p: DecodedPacket, at: number): void {
    p.answersRead = p.payloadLength !== 0 && this.#locate(p, at);
    if ((p.flags & OPCODE.start) !== 0) this.#firstResponse(p, at);
    else this.#nextResponse(p, at);
  }

  #firstResponse(p: DecodedPacket, at: number): void {
    const reads = this.#reads;
    const entry = reads.at(at, p.psn);
    if (entry < 0 || reads.get(entry, READ.atomic) === 1) {
      this.#unasked(p, at);
      return;
    }
    const length = reads.get(entry, READ.length);
    this.#takePayload(p, at, entry, length >>> 0);
    p.dmaLength = length;
    p.beginsAnswer = p.answersRead && length !== 0;
  }

  #nextResponse(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    const entry = s[at + FLOW.answerEntry] as number;
    if (entry < 0 || s[at + FLOW.answerNext] !== p.psn) this.#unasked(p, at);
    else this.#takePayload(p, at, entry, (s[at + FLOW.answerLeft] as number) >>> 0);
  }

  /** @param left bytes of the answer from this packet on */
  #takePayload(p: DecodedPacket, at: number, entry: number, left: number): void {
    const s = this.#flows.state;
    if (s[at + FLOW.mtu] === 0 && (p.flags & OPCODE.end) === 0) s[at + FLOW.mtu] = p.payloadLength;
    const mtu = s[at + FLOW.mtu] as number;
    const ends = (p.flags & OPCODE.end) !== 0;
    const wanted = mtu === 0 || left < mtu ? left : mtu;
    if (p.payloadLength !== wanted || ends !== (left <= mtu || mtu === 0)) {
      const text = `carries ${p.payloadLength} bytes as ${ends ? 'the last' : 'not the last'} packet`;
      this.#broken(RULE.responseLength, p, `${text}; ${left} bytes are left at a path MTU of ${mtu}`);
    }
    s[at + FLOW.answerEntry] = ends ? -1 : entry;
    s[at + FLOW.answerNext] = psnAdd(p.psn, 1);
    s[at + FLOW.answerLeft] = Math.max(0, left - p.payloadLength) | 0;
    if (ends) this.#reads.answered(at, entry);
  }

  #nextPsn(at: number): string {
    return `PSN ${psnText(this.#flows.state[at + FLOW.acknowledged] as number)} is the next to be acknowledged`;
  }

  #unasked(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    const open = this.#reads.oldestUnanswered(at);
    const waiting = open < 0 ? 'no READ or atomic is outstanding' : `the oldest of those has PSN ${psnText(open)}`;
    const under =
      (s[at + FLOW.answerEntry] as number) < 0
        ? ''
        : `, and the answer under way goes on with PSN ${psnText(s[at + FLOW.answerNext] as number)}`;
    this.#broken(
      RULE.response,
      p,
      `answers no outstanding READ or atomic, or comes out of sequence; ${waiting}${under}`,
    );
  }
}
