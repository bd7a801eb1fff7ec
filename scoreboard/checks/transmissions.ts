/**
 * Counts messages on the wire against completed requests: nothing completes that was never sent or, on reliable
 * connections, never acknowledged; on a link without faults nothing is sent more often than it was posted. Fed by the
 * wire monitor; without it, silent.
 */

import { opcodeName } from '../../agents/wire/packetTexts.ts';
import { psnsOf } from '../../agents/wire/psnArithmetic.ts';
import { type Message, type QueuePair, NO_MESSAGE, NO_QP, NONE } from '../model/work.ts';
import { PACKET } from '../../agents/wire/decodedPacket.ts';
import { PROBLEM } from '../../agents/wire/wireRules.ts';
import { BTH_CLASS, BTH_OP, PSN_MASK } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { fenceText } from '../model/fenceText.ts';
import { qpName, requestName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { losePosition } from '../model/messageUnderWay.ts';
import { PacketContents } from '../memory/packetContents.ts';
import { SCB } from '../report/reportIds.ts';
import type { UnreliableArrivals } from '../reference/unreliable/arrivals.ts';
import type { Waits } from './waits.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { aMoment } from '../../rdma/subjectParts.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import type { DamagedAnswer } from '../reference/connection.ts';
import { thePacket, theQueuePair, theRequest } from '../report/subjects.ts';

const OP_BITS = 0x1f;
/** From here on a distance between PSNs means that one is behind the other. */
export const HALF_PSN = 0x80_0000;
/** Moves bit 23, the sign of a difference of message numbers, to bit 31. */
const SIGN_SHIFT = 8;
/** AETH syndromes below this one acknowledge and offer receives, as many as the table says (roce-transport.md 3.4). */
const NO_CREDITS = 31;
const CREDITS = [
  0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144,
  8192, 12288, 16384, 24576, 32768,
];
/** What an operation does, as bits: ends a message or is one, answers with a message number, starts a message, goes on with one. */
const ROLE = { ends: 1, answers: 2, starts: 4, inside: 8 } as const;
const ROLES = new Uint8Array(32);
for (const op of [
  BTH_OP.sendLast,
  BTH_OP.sendLastImm,
  BTH_OP.sendOnly,
  BTH_OP.sendOnlyImm,
  BTH_OP.sendLastInv,
  BTH_OP.sendOnlyInv,
  BTH_OP.writeLast,
  BTH_OP.writeLastImm,
  BTH_OP.writeOnly,
  BTH_OP.writeOnlyImm,
  BTH_OP.readRequest,
  BTH_OP.compareSwap,
  BTH_OP.fetchAdd,
]) {
  ROLES[op] = ROLE.ends;
}
for (const op of [
  BTH_OP.readResponseFirst,
  BTH_OP.readResponseLast,
  BTH_OP.readResponseOnly,
  BTH_OP.acknowledge,
  BTH_OP.atomicAcknowledge,
]) {
  ROLES[op] = ROLE.answers;
}
for (const op of [
  BTH_OP.sendFirst,
  BTH_OP.sendOnly,
  BTH_OP.sendOnlyImm,
  BTH_OP.sendOnlyInv,
  BTH_OP.writeFirst,
  BTH_OP.writeOnly,
  BTH_OP.writeOnlyImm,
  BTH_OP.readRequest,
  BTH_OP.compareSwap,
  BTH_OP.fetchAdd,
]) {
  ROLES[op] = (ROLES[op] as number) | ROLE.starts;
}
for (const op of [BTH_OP.sendMiddle, BTH_OP.writeMiddle]) ROLES[op] = ROLE.inside;

export class Transmissions {
  readonly #s: OracleState;
  readonly #waits: Waits;
  readonly #contents: PacketContents;
  readonly #arrivals: UnreliableArrivals;
  readonly #role = { starts: false, ends: false, write: false };

  constructor(state: OracleState, waits: Waits, arrivals: UnreliableArrivals) {
    this.#s = state;
    this.#waits = waits;
    this.#arrivals = arrivals;
    this.#contents = new PacketContents(state);
  }

  /** A packet left a host. The middle of an answer to a READ is ignored. @returns the tag of its frame, 0 = none */
  packet(p: WirePacket): number {
    if (p.kind !== PACKET.roce) return 0;
    if ((p.problems & PROBLEM.icrc) !== 0) {
      this.#corrupt(p);
      return 0;
    }
    const role = ROLES[p.opcode & OP_BITS] as number;
    if (role === 0 || p.opcode >= BTH_CLASS.cnp || p.to < 0) return 0;
    const { qps } = this.#s;
    if ((role & ROLE.answers) !== 0) {
      const dest = qps.find(p.to, p.destQp);
      if (dest.exists) this.#answer(p, dest);
      return 0;
    }
    const ud = (p.opcode & ~OP_BITS) === BTH_CLASS.ud;
    const known = this.#knownSender(p, ud);
    // Others may send to the same queue pair: what their packets carry is not judged.
    const other = known.exists || ud || role === ROLE.inside ? NO_QP : qps.connectedTo(p.host, p.to, p.destQp);
    const sender = known.exists ? known : other;
    if (!sender.exists) return 0;
    const q = sender;
    if (other.exists) losePosition(q);
    if (role !== ROLE.inside) this.#request(q, p, role);
    const starts = (role & ROLE.starts) !== 0;
    const ends = (role & ROLE.ends) !== 0;
    if (p.problems !== 0) losePosition(q);
    const judged = p.problems === 0 && known.exists && p.retransmission !== true;
    const message = judged ? this.#contents.check(q, p, starts, ends) : NO_MESSAGE;
    return p.opcode < BTH_CLASS.uc ? 0 : this.#unreliable(q, message, p, starts, ends);
  }

  /** A packet of UC or UD: what comes of it is seen when it arrives. */
  #unreliable(q: QueuePair, message: Message, p: WirePacket, starts: boolean, ends: boolean): number {
    const role = this.#role;
    const operation = p.opcode & OP_BITS;
    role.starts = starts;
    role.ends = ends;
    role.write = operation >= BTH_OP.writeFirst && operation <= BTH_OP.writeOnlyImm;
    return this.#arrivals.sent(q, message, p, role);
  }

  /** Nobody takes it. What it belongs to is not known, nor what those behind it belong to. */
  #corrupt(p: WirePacket): void {
    const q = p.to < 0 ? NO_QP : this.#knownSender(p, (p.opcode & ~OP_BITS) === BTH_CLASS.ud);
    if (q.exists) losePosition(q);
  }

  /** The queue pair that sends a packet, where nobody else may; `NONE`. */
  #knownSender(p: WirePacket, datagram: boolean): QueuePair {
    const { qps } = this.#s;
    return datagram ? qps.find(p.host, p.sourceQp) : qps.pairedWith(p.host, p.to, p.destQp);
  }

  /** A packet with which a message of `q` starts or ends. */
  #request(q: QueuePair, p: WirePacket, role: number): void {
    this.#noteWait(q, p);
    const starts = (role & ROLE.starts) !== 0 && p.opcode < BTH_CLASS.uc && p.retransmission !== true;
    if (starts && this.#s.fences.any) this.#passFence(q, p);
    if ((role & ROLE.ends) !== 0) this.#ends(q, p);
  }

  /** The request `r` of queue pair `q` completed with success: as many messages must have been sent, and taken. */
  completed(q: QueuePair, r: Message): void {
    const s = this.#s;
    if (!s.options.wire.watches) return;
    const sent = q.tx.count;
    const done = q.sq.done;
    if (sent < done) this.#tooFew(r, sent, done);
    if (q.type !== QP_TYPE.rc) return;
    if ((q.tx.msn - done) << SIGN_SHIFT < 0) this.#tooEarly(r, done);
    else this.#checkHeard(q, r);
  }

  /** A request of `q` failed: it need not have been sent, and on unreliable services others follow. */
  failed(q: QueuePair): void {
    q.sq.done = q.sq.done - 1;
  }

  /** End of test: every queue pair that no fault has disturbed sent what was posted on it, once. */
  finish(): void {
    const s = this.#s;
    if (!s.options.wire.watches) return;
    for (const q of s.qps.all) {
      if (s.disturbances.has(q)) continue;
      const sent = q.tx.count;
      const posted = q.sq.posted;
      if (sent > posted) {
        s.reporter.error(SCB.transmissions, () => `${qpName(q)} sent ${sent} messages, but ${posted} were posted`, [
          theQueuePair(q),
        ]);
      } else if (sent === posted) this.#allSolicited(q);
    }
  }

  /** A packet of `q` has its turn. */
  #noteWait(q: QueuePair, p: WirePacket): void {
    const waits = this.#waits;
    if (p.retransmission) {
      waits.repeats(q, p);
      if (p.opcode === BTH_OP.readRequest) this.#s.askingAgain.add(q);
    } else {
      if (q.waitsFrom !== NONE) waits.end(q);
      if (p.opcode === BTH_OP.readRequest) waits.asks(q, p);
    }
  }

  /** A message of `q` is complete on the wire, perhaps not for the first time. */
  #ends(q: QueuePair, p: WirePacket): void {
    const highest = q.tx.psn;
    const ahead = (p.psn - highest) & PSN_MASK;
    if (highest !== NONE && (ahead === 0 || ahead >= HALF_PSN)) return;
    q.tx.psn = (p.psn + this.#responses(q, p) - 1) & PSN_MASK;
    q.tx.count = q.tx.count + 1;
    if (p.solicited === true) this.#solicited(q, p);
  }

  /** A message that is solicited on the wire must have been posted so. */
  #solicited(q: QueuePair, p: WirePacket): void {
    const s = this.#s;
    const sent = q.tx.solicited + 1;
    const posted = q.sq.solicited;
    q.tx.solicited = sent;
    if (sent <= posted) return;
    s.reporter.error(
      SCB.solicited,
      () => `PSN ${psnText(p.psn)} is solicited message number ${sent} of ${qpName(q)}; ${posted} were posted`,
      [thePacket(p, q)],
    );
  }

  /** A new message of `q` begins, perhaps a fenced one. */
  #passFence(q: QueuePair, p: WirePacket): void {
    const s = this.#s;
    const number = q.tx.count;
    if (!s.fences.sent(q, number) || p.openReads === 0) return;
    s.reporter.error(SCB.fence, () => `PSN ${psnText(p.psn)}: ${fenceText(q, number, p.openReads)}`, [thePacket(p, q)]);
  }

  /** The peer of `q` says how many messages it has taken. */
  #answer(p: WirePacket, q: QueuePair): void {
    if (q.remoteHost !== p.host) return;
    if ((p.msn - q.tx.msn) << SIGN_SHIFT > 0) q.tx.msn = p.msn;
    if (p.opcode < BTH_OP.acknowledge) this.#waits.answers(q, p);
    if (p.syndrome < NO_CREDITS) this.#credits(p, this.#s.qps.peerOf(q));
  }

  /** A responder may offer fewer receives than it has, and none that were not posted (roce-transport.md 3.4). */
  #credits(p: WirePacket, q: QueuePair): void {
    const s = this.#s;
    const offered = CREDITS[p.syndrome] as number;
    const posted = !q.exists ? offered : q.rq.waiting;
    if (offered <= posted) return;
    s.reporter.error(
      SCB.credits,
      () => `${qpName(q)} offers ${offered} receives with its answer to PSN ${psnText(p.psn)}, and has ${posted}`,
      [thePacket(p, q), theQueuePair(q)],
    );
  }

  /** Everything that was posted has been sent: with its solicited flags? */
  #allSolicited(q: QueuePair): void {
    const s = this.#s;
    const sent = q.tx.solicited;
    const posted = q.sq.solicited;
    if (sent >= posted) return;
    s.reporter.error(SCB.solicited, () => `${qpName(q)} sent ${sent} solicited messages, but ${posted} were posted`, [
      theQueuePair(q),
    ]);
  }

  #tooFew(r: Message, sent: number, done: number): void {
    const s = this.#s;
    s.reporter.error(
      SCB.transmissions,
      () => `${requestName(r)} is completion number ${done}, yet only ${sent} messages were sent`,
      [theRequest(r)],
    );
  }

  #tooEarly(r: Message, done: number): void {
    const acknowledged = r.qp.tx.msn;
    const yet = `the peer acknowledged only ${acknowledged} messages, if the MSN of its answers is right`;
    this.#early(r, () => `${requestName(r)} is completion number ${done}, yet ${yet}`);
  }

  /** A damaged answer that its NIC was to drop, and may have taken, is named with it. */
  #early(r: Message, text: () => string): void {
    const { host, remoteHost, remoteQpn } = r.qp;
    const damaged = this.#s.options.wire.damagedAnswer(host, remoteHost, remoteQpn);
    const subject = theRequest(r);
    if (damaged === null || damaged.at < r.postedAt) this.#s.reporter.error(SCB.early, text, [subject]);
    else this.#s.reporter.error(SCB.early, () => `${text()}${damagedText(damaged)}`, [subject, aMoment(damaged.at)]);
  }

  /** The acknowledgement may have been sent and not have come. */
  #checkHeard(q: QueuePair, r: Message): void {
    const unheard = this.#s.options.wire.unanswered(q.host, q.remoteHost, q.remoteQpn);
    if (unheard === 0 || (q.tx.count - unheard - q.sq.done) << SIGN_SHIFT >= 0) return;
    this.#early(r, () => `${requestName(r)} is completed, yet no answer to it has reached its NIC`);
  }

  /** PSNs that a request takes: a READ one for each packet of its answer. */
  #responses(q: QueuePair, p: WirePacket): number {
    if ((p.opcode & OP_BITS) !== BTH_OP.readRequest) return 1;
    return psnsOf(p.dmaLength >>> 0, q.mtu);
  }
}

function damagedText({ opcode, psn, at }: DamagedAnswer): string {
  const what = `${opcodeName(opcode)} with PSN ${psnText(psn)}`;
  return `; a damaged frame that its NIC may have accepted arrived at ${formatTime(at)}: ${what}, whose invariant CRC is wrong`;
}
