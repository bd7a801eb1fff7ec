import { aValue } from '../../rdma/subjectParts.ts';
import type { FlowKnowledge } from './flowKnowledge.ts';
import { widened } from '../../uvm/bytes/widened.ts';
import { BTH_CLASS, PSN_MASK } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import { QP_TYPE, QP_TYPE_NAME } from '../../rdma/verbs.ts';
import { AckRequests } from './ackRequests.ts';
import type { DecodedPacket } from '../../agents/wire/decodedPacket.ts';
import { ANY_MESSAGE, FLOW, FLOW_BIT, FLOW_WORDS, type FlowTable, serviceOf, stateOf } from './flowTable.ts';
import type { GoBackChecker } from './goBackChecker.ts';
import { psnAdd, psnCompare, psnsOf } from '../../agents/wire/psnArithmetic.ts';
import type { HeardFrames } from './heardFrames.ts';
import type { Requesters } from './requesters.ts';
import type { Retransmissions } from './retransmissions.ts';
import type { RuleReporter } from '../../agents/wire/ruleReporter.ts';
import { leastOf, mostOf } from '../../agents/verbs/windowed.ts';
import { MESSAGE, OPCODE, PAYLOAD, messageOf } from '../../agents/wire/wireOpcodes.ts';
import { RULE } from '../../agents/wire/transportRules.ts';

const LARGEST_MESSAGE = 0x8000_0000;
const UNKNOWN_LENGTH = -1;
/** PSNs between the oldest unacknowledged and the next (roce-transport.md 3.1): half of them all. */
const MOST_OUTSTANDING = 0x80_0000;

/**
 * Checks what a requester sends (roce-transport.md 1.6, 1.7, 3.1, 3.8, 7): PSNs without gaps, going back allowed on
 * reliable connections; opcodes in order; payload sizes; retransmissions equal to their originals.
 */
export class RequestChecker {
  readonly #flows: FlowTable;
  readonly #known: FlowKnowledge;
  readonly #requesters: Requesters;
  readonly #report: RuleReporter;
  readonly #retransmissions: Retransmissions;
  readonly #goingBack: GoBackChecker;
  readonly #ackRequests: AckRequests;

  /** What is known of the ports of hosts. */
  ports: HeardFrames | null = null;
  /** Of unreliable connections, by flow: frames that the NIC had sent with the latest packet that ended no message. */
  #sentBefore = new Int32Array(64);

  constructor(known: FlowKnowledge, retransmissions: Retransmissions, goingBack: GoBackChecker, report: RuleReporter) {
    this.#flows = known.flows;
    this.#known = known;
    this.#requesters = known.requesters;
    this.#report = report;
    this.#retransmissions = retransmissions;
    this.#goingBack = goingBack;
    this.#ackRequests = new AckRequests(report);
  }

  /** A request of a connected QP in its flow. */
  connected(p: DecodedPacket, flow: number): void {
    const s = this.#flows.state;
    const at = stateOf(flow);
    const reliable = isReliable(p.opcode);
    const service = serviceOf(s[at] as number);
    if (service !== 0 && service !== (reliable ? QP_TYPE.rc : QP_TYPE.uc)) {
      this.#report.broken(
        RULE.service,
        p,
        `goes to a QP of type ${QP_TYPE_NAME[service] ?? service}, which takes no other service`,
      );
      return;
    }
    this.#position(p, at, reliable);
    if ((p.flags & OPCODE.start) !== 0) p.openReads = this.#flows.connection(at).reads?.open ?? 0;
    const kind = messageOf(p.flags);
    this.#sequence(p, at, kind);
    this.#payload(p, at);
    if (kind === MESSAGE.write) this.#writeLength(p, at);
    // READs and atomics are answered in any case.
    if (!reliable) this.#pause(p, flow);
    else if (kind < MESSAGE.read) this.#ackRequests.check(p, flow);
    this.#advance(p, at, kind);
  }

  /**
   * A request that was sent just now is delivered once more, which is the link's doing: each delivery of a READ or an
   * atomic may be answered.
   */
  repeatedByLink(p: DecodedPacket, flow: number): void {
    const { packets, reads } = this.#flows.connection(stateOf(flow));
    const place = packets?.find(p.psn) ?? -1;
    if (place >= 0) packets?.repeated(place);
    if (isReliable(p.opcode)) reads?.repeated(p.psn);
  }

  /**
   * A queue pair may send again: if an error cut a message short, it is not finished.
   * @param own flow of requests to the queue pair, -1 = none
   */
  resumes(own: number): void {
    const s = this.#flows.state;
    const flow = own < 0 ? -1 : (s[own * FLOW_WORDS + FLOW.peer] as number);
    if (flow < 0) return;
    const at = flow * FLOW_WORDS;
    const service = serviceOf(s[at] as number);
    if (service !== QP_TYPE.uc || s[at + FLOW.message] === ANY_MESSAGE) return;
    s[at + FLOW.message] = MESSAGE.none;
    s[at + FLOW.left] = UNKNOWN_LENGTH;
  }

  /** A datagram in its sender's flow: its number must be the next. */
  datagram(p: DecodedPacket, flow: number): void {
    const s = this.#flows.state;
    const at = stateOf(flow);
    if (((s[at] as number) & FLOW_BIT.psnKnown) !== 0 && s[at + FLOW.next] !== p.psn) this.#notNext(p, at);
    s[at] = (s[at] as number) | FLOW_BIT.psnKnown;
    s[at + FLOW.next] = psnAdd(p.psn, 1);
    s[at + FLOW.top] = psnAdd(p.psn, 1);
    const mtu = s[at + FLOW.mtu] as number;
    if (mtu !== 0 && p.payloadLength > mtu) this.#wrongMtu(p, mtu);
  }

  /** Where the packet stands in the flow: next, before, or impossibly ahead. */
  #position(p: DecodedPacket, at: number, reliable: boolean): void {
    const s = this.#flows.state;
    const bits = s[at] as number;
    if ((bits & FLOW_BIT.psnKnown) === 0) {
      s[at] = bits | FLOW_BIT.psnKnown;
      s[at + FLOW.first] = p.psn;
      s[at + FLOW.top] = p.psn;
      s[at + FLOW.message] = ANY_MESSAGE;
      s[at + FLOW.left] = UNKNOWN_LENGTH;
      this.#ackRequests.resume(at / FLOW_WORDS);
      return;
    }
    const step = psnCompare(p.psn, s[at + FLOW.next] as number);
    if (step === 0) {
      p.retransmission = psnCompare(p.psn, s[at + FLOW.top] as number) < 0;
      return;
    }
    if (step < 0 && reliable) this.#goBack(p, at);
    else if (step > 0 && reliable && this.#maySkip(p, at)) this.#resume(p, at);
    else if (step < 0 || (bits & FLOW_BIT.nextUnknown) === 0) this.#notNext(p, at);
  }

  /** During a retransmission, what has been acknowledged meanwhile need not be sent again. */
  #maySkip(p: DecodedPacket, at: number): boolean {
    const s = this.#flows.state;
    const bits = s[at] as number;
    const ahead = psnCompare(p.psn, s[at + FLOW.top] as number) > 0;
    if ((bits & FLOW_BIT.announced) !== 0) return !ahead && psnCompare(p.psn, s[at + FLOW.acknowledged] as number) <= 0;
    return !ahead;
  }

  #goBack(p: DecodedPacket, at: number): void {
    this.#goingBack.check(p, at);
    this.#resume(p, at);
  }

  /** Goes on at another place of the flow, where the message under way is not known. */
  #resume(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    p.retransmission = psnCompare(p.psn, s[at + FLOW.top] as number) < 0;
    s[at + FLOW.message] = ANY_MESSAGE;
    s[at + FLOW.left] = UNKNOWN_LENGTH;
    this.#ackRequests.resume(at / FLOW_WORDS);
  }

  #notNext(p: DecodedPacket, at: number): void {
    const next = this.#flows.state[at + FLOW.next] as number;
    const what = `has PSN ${psnText(p.psn)} where ${psnText(next)} is next`;
    this.#report.broken(RULE.nextPsn, p, what, aValue('PSN', 24, p.psn, next));
    this.#resume(p, at);
  }

  #sequence(p: DecodedPacket, at: number, kind: number): void {
    const s = this.#flows.state;
    const open = s[at + FLOW.message] as number;
    const starts = (p.flags & OPCODE.start) !== 0;
    if (open !== ANY_MESSAGE && (starts ? open !== MESSAGE.none : open !== kind)) {
      const state = ['between messages', 'inside a SEND', 'inside a WRITE'][open] ?? 'inside a message';
      const right = open === MESSAGE.none ? 'a first or only packet' : 'the next packet of that message';
      this.#report.broken(RULE.opcodeOrder, p, `comes ${state}, where ${right} is right`);
      s[at + FLOW.left] = UNKNOWN_LENGTH;
    }
    s[at + FLOW.message] = (p.flags & OPCODE.end) !== 0 ? MESSAGE.none : kind;
  }

  #payload(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    const mtu = s[at + FLOW.mtu] as number;
    const full = ((p.flags >> OPCODE.payloadShift) & 3) === PAYLOAD.full;
    if (mtu === 0) {
      if (full) s[at + FLOW.mtu] = p.payloadLength;
    } else if (full ? p.payloadLength !== mtu : p.payloadLength > mtu) this.#wrongMtu(p, mtu);
  }

  #wrongMtu(p: DecodedPacket, mtu: number): void {
    this.#report.broken(RULE.pathMtu, p, `carries ${p.payloadLength} bytes at a path MTU of ${mtu}`);
  }

  #pause(p: DecodedPacket, flow: number): void {
    const whole = OPCODE.start | OPCODE.end;
    if (this.ports === null || (p.flags & whole) === whole) return;
    if (flow >= this.#sentBefore.length) this.#sentBefore = widened(this.#sentBefore, flow + 1);
    const sent = this.ports.sentFrames(p.host);
    const before = (p.flags & OPCODE.start) === 0 ? (this.#sentBefore[flow] as number) : 0;
    if (before > 0) p.framesBetween = sent - before - 1;
    this.#sentBefore[flow] = sent;
  }

  #writeLength(p: DecodedPacket, at: number): void {
    const s = this.#flows.state;
    if ((p.flags & OPCODE.reth) !== 0) s[at + FLOW.left] = p.dmaLength | 0;
    else if (s[at + FLOW.left] === UNKNOWN_LENGTH) return;
    const left = ((s[at + FLOW.left] as number) >>> 0) - p.payloadLength;
    const ends = (p.flags & OPCODE.end) !== 0;
    if ((p.flags & OPCODE.reth) !== 0 && p.dmaLength > LARGEST_MESSAGE) this.#wrongLength(p, `is ${p.dmaLength}`);
    else if (ends ? left !== 0 : left <= 0) this.#wrongLength(p, `leaves ${left} bytes to come`);
    s[at + FLOW.left] = left > 0 && !ends ? left : UNKNOWN_LENGTH;
  }

  #wrongLength(p: DecodedPacket, what: string): void {
    this.#report.broken(RULE.writeLength, p, `carries ${p.payloadLength} bytes, and the length in its RETH ${what}`);
  }

  #advance(p: DecodedPacket, at: number, kind: number): void {
    const s = this.#flows.state;
    let packets = 1;
    if (kind === MESSAGE.read) packets = this.#readPackets(p, at);
    const next = psnAdd(p.psn, packets);
    s[at + FLOW.next] = next;
    const top = s[at + FLOW.top] as number;
    // The largest READ takes half of all PSNs, so that what follows it does not compare as later.
    if (p.psn === top || psnCompare(next, top) > 0) this.#news(p, at, top, next);
    if (!isReliable(p.opcode)) return;
    if (!p.retransmission) this.#window(p, at, next);
    const connection = this.#flows.connection(at);
    const atomic = kind === MESSAGE.atomic;
    if (p.retransmission) {
      this.#retransmissions.again(p, at, kind);
      if (kind >= MESSAGE.read) connection.asksAgain(p, packets, atomic);
      return;
    }
    const heard = this.#known.heard(at);
    connection.sends(p, heard);
    if (kind < MESSAGE.read) return;
    this.#readLimit(p, at);
    connection.asks(p, packets, atomic, heard);
  }

  /** The packet reaches further than all before it. */
  #news(p: DecodedPacket, at: number, top: number, next: number): void {
    const s = this.#flows.state;
    s[at + FLOW.top] = next;
    if ((p.flags & OPCODE.end) !== 0) s[at + FLOW.messages] = psnAdd(s[at + FLOW.messages] as number, 1);
    // PSNs come round: what lies further back than half of them is no longer told from what is to come.
    const reach = psnAdd(top, -(s[at + FLOW.first] as number)) + psnAdd(next, -top);
    if (reach > MOST_OUTSTANDING) s[at + FLOW.first] = psnAdd(next, -MOST_OUTSTANDING);
  }

  /** More than half of all PSNs must never be outstanding. Acknowledgements are seen here before they reach the requester. */
  #window(p: DecodedPacket, at: number, next: number): void {
    const s = this.#flows.state;
    const open = (next - (s[at + FLOW.acknowledged] as number)) & PSN_MASK;
    if (open <= MOST_OUTSTANDING || ((s[at] as number) & FLOW_BIT.announced) === 0) return;
    this.#report.broken(RULE.psnWindow, p, `is sent with ${open} PSNs outstanding; ${MOST_OUTSTANDING} may be`);
  }

  /** PSNs that a READ takes; 1, with the next PSN open, while the MTU is not known. */
  #readPackets(p: DecodedPacket, at: number): number {
    const s = this.#flows.state;
    const mtu = s[at + FLOW.mtu] as number;
    if (p.dmaLength > LARGEST_MESSAGE) {
      this.#report.broken(RULE.readLength, p, `asks for ${p.dmaLength} bytes`);
      return 1;
    }
    if (mtu === 0) {
      if (p.dmaLength > 256) s[at] = (s[at] as number) | FLOW_BIT.nextUnknown;
      return 1;
    }
    s[at] = (s[at] as number) & ~FLOW_BIT.nextUnknown;
    return psnsOf(p.dmaLength, mtu);
  }

  /** Answers are seen before they reach the requester, so that it can have no fewer outstanding than are open here. */
  #readLimit(p: DecodedPacket, at: number): void {
    const { maxRdAtomic } = this.#requesters.of(at / FLOW_WORDS);
    const limit = mostOf(maxRdAtomic);
    // Not known, or not certain.
    if (leastOf(maxRdAtomic) <= 0) return;
    const open = this.#flows.connection(at).reads?.open ?? 0;
    if (open < limit) return;
    this.#report.broken(RULE.readLimit, p, `is sent with ${open} outstanding; its queue pair may have ${limit}`);
  }
}

/** The opcodes of RC come before those of every other service. */
function isReliable(opcode: number): boolean {
  return opcode < BTH_CLASS.uc;
}
