/**
 * Counts messages on the wire against completed requests: nothing completes that was never sent, and on a link
 * without faults nothing is sent more often than it was posted. Fed by the wire monitor; without it, silent.
 */

import { BTH_CLASS, BTH_OP, PSN_MASK } from '../rdma/bth.ts';
import { qpName, requestName } from './names.ts';
import type { OracleState } from './oracleState.ts';
import { NONE, Q_REMOTE_HOST, Q_REMOTE_QPN, Q_SQ_DONE, Q_SQ_POSTED, Q_TX_COUNT, Q_TX_PSN } from './qps.ts';
import { SCB } from './reportIds.ts';

/** The fields of a decoded packet that are read; the wire monitor's item has them all. */
export interface WirePacket {
  /** Sending and receiving host; -1 = unknown. */
  readonly host: number;
  readonly to: number;
  /** BTH opcode with its class. */
  readonly opcode: number;
  readonly destQp: number;
  readonly psn: number;
  /** DETH; UD only. */
  readonly sourceQp: number;
}

const OP_BITS = 0x1f;
const HALF_PSN = 0x80_0000;
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

  /** A well-formed RoCE packet left a host. Packets that end no message are ignored. */
  packet(p: WirePacket): void {
    this.#fed = true;
    if (ENDS[p.opcode & OP_BITS] === 0 || p.opcode >= BTH_CLASS.cnp || p.to < 0) return;
    const { qps } = this.#s;
    const ud = (p.opcode & ~OP_BITS) === BTH_CLASS.ud;
    const q = ud ? qps.find(p.host, p.sourceQp) : this.#sender(p);
    if (q < 0) return;
    const w = qps.words;
    const highest = w[q + Q_TX_PSN] as number;
    const ahead = (p.psn - highest) & PSN_MASK;
    if (highest !== NONE && (ahead === 0 || ahead >= HALF_PSN)) return;
    w[q + Q_TX_PSN] = p.psn;
    w[q + Q_TX_COUNT] = (w[q + Q_TX_COUNT] as number) + 1;
  }

  /** The request `r` of queue pair `q` completed with success: at least as many messages must have been sent. */
  completed(q: number, r: number): void {
    if (!this.#fed) return;
    const s = this.#s;
    const w = s.qps.words;
    const sent = w[q + Q_TX_COUNT] as number;
    const done = w[q + Q_SQ_DONE] as number;
    if (sent >= done) return;
    s.reporter.error(
      SCB.transmissions,
      () => `${requestName(s, r)} is completion number ${done}, yet only ${sent} messages were sent`,
    );
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

  /** Connected services name the destination only; its peer is the sender. */
  #sender(p: WirePacket): number {
    const { qps } = this.#s;
    const dest = qps.find(p.to, p.destQp);
    if (dest < 0 || qps.words[dest + Q_REMOTE_HOST] !== p.host) return NONE;
    return qps.find(p.host, qps.words[dest + Q_REMOTE_QPN] as number);
  }
}
