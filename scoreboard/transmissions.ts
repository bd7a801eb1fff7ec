/**
 * Counts messages on the wire against completed requests: nothing completes that was never sent, and on a link
 * without faults nothing is sent more often than it was posted. Fed by the wire monitor; without it, silent.
 */

import { PACKET } from '../agents/link/decodedPacket.ts';
import { BTH_CLASS, BTH_OP, PSN_MASK } from '../rdma/bth.ts';
import { qpName, requestName } from './names.ts';
import type { OracleState } from './oracleState.ts';
import { NONE, Q_MTU, Q_REMOTE_HOST, Q_REMOTE_QPN, Q_SQ_DONE, Q_SQ_POSTED, Q_TX_COUNT, Q_TX_PSN } from './qps.ts';
import { SCB } from './reportIds.ts';
import { OFFSET_BITS } from './slab.ts';

/** The fields of a decoded packet that are read; the wire monitor's item has them all. */
export interface WirePacket {
  /** `PACKET`; only well-formed RoCE packets count. */
  readonly kind: number;
  /** Rules that the packet breaks, 0 = none. */
  readonly problems: number;
  /** Sending and receiving host; -1 = unknown. */
  readonly host: number;
  readonly to: number;
  /** BTH opcode with its class. */
  readonly opcode: number;
  readonly destQp: number;
  readonly psn: number;
  /** DETH; UD only. */
  readonly sourceQp: number;
  /** RETH; bytes that a READ asks for. */
  readonly dmaLength: number;
  /** First bit on the wire, ps. */
  readonly time: number;
  /** AETH. */
  readonly syndrome: number;
  /** RNR NAK: when the packet that it refuses was sent last, ps; -1 = not known. */
  readonly refusedSentAt: number;
}

const OP_BITS = 0x1f;
/** From here on a distance between PSNs means that one is behind the other. */
export const HALF_PSN = 0x80_0000;
/** Operations that end a message or are one. */
const ENDS = new Uint8Array(32);
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
  ENDS[op] = 1;
}

export class Transmissions {
  readonly #s: OracleState;
  #fed = false;

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** Whether packets are watched at all. */
  get fed(): boolean {
    return this.#fed;
  }

  /** A packet left a host. Those that end no message are ignored. */
  packet(p: WirePacket): void {
    if (p.kind !== PACKET.roce || p.problems !== 0) return;
    this.#fed = true;
    if (ENDS[p.opcode & OP_BITS] === 0 || p.opcode >= BTH_CLASS.cnp || p.to < 0) return;
    const { qps } = this.#s;
    const ud = (p.opcode & ~OP_BITS) === BTH_CLASS.ud;
    const sender = ud ? qps.find(p.host, p.sourceQp) : this.#sender(p);
    if (sender < 0) return;
    const q = sender & OFFSET_BITS;
    const w = qps.words;
    const highest = w[q + Q_TX_PSN] as number;
    const ahead = (p.psn - highest) & PSN_MASK;
    if (highest !== NONE && (ahead === 0 || ahead >= HALF_PSN)) return;
    w[q + Q_TX_PSN] = (p.psn + this.#responses(q, p) - 1) & PSN_MASK;
    w[q + Q_TX_COUNT] = (w[q + Q_TX_COUNT] as number) + 1;
  }

  /** The request `r` of queue pair `q` completed with success: at least as many messages must have been sent. */
  completed(q: number, r: number): void {
    if (this.#fed !== true) return;
    const s = this.#s;
    const w = s.qps.words;
    const sent = w[q + Q_TX_COUNT] as number;
    const done = w[q + Q_SQ_DONE] as number;
    if (sent < done) this.#tooFew(r, sent, done);
  }

  /** End of test, links without faults only: every queue pair sent what was posted on it, once. */
  finish(): void {
    const s = this.#s;
    if (!this.#fed || s.options.lossAllowed) return;
    for (let i = 0; i < s.qps.count; i++) {
      const q = s.qps.at(i);
      const sent = s.qps.words[q + Q_TX_COUNT] as number;
      const posted = s.qps.words[q + Q_SQ_POSTED] as number;
      if (sent > posted) {
        s.reporter.error(SCB.transmissions, () => `${qpName(s, q)} sent ${sent} messages, but ${posted} were posted`);
      }
    }
  }

  #tooFew(r: number, sent: number, done: number): void {
    const s = this.#s;
    s.reporter.error(
      SCB.transmissions,
      () => `${requestName(s, r)} is completion number ${done}, yet only ${sent} messages were sent`,
    );
  }

  /** PSNs that a request takes: a READ one for each packet of its answer. */
  #responses(q: number, p: WirePacket): number {
    if ((p.opcode & OP_BITS) !== BTH_OP.readRequest) return 1;
    return Math.max(1, Math.ceil((p.dmaLength >>> 0) / (this.#s.qps.words[q + Q_MTU] as number)));
  }

  /** Connected services name the destination only; its peer is the sender. */
  #sender(p: WirePacket): number {
    const { qps } = this.#s;
    const dest = qps.find(p.to, p.destQp);
    if (dest < 0 || qps.words[dest + Q_REMOTE_HOST] !== p.host) return NONE;
    return qps.find(p.host, qps.words[dest + Q_REMOTE_QPN] as number);
  }
}
