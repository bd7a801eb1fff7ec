/**
 * What packets that no NIC has sent may do where they arrive (roce-transport.md 3.5, 3.6, 4.1): a healthy NIC drops most of
 * them without a word, and then everything there is judged as if they had never been.
 */

import { type DecodedPacket, PACKET, type PacketArrival, REACH, type Reach } from '../../agents/wire/decodedPacket.ts';
import { reachesTransport } from '../../agents/wire/packetSoundness.ts';
import { psnCompare } from '../../agents/wire/psnArithmetic.ts';
import { OPCODE } from '../../agents/wire/wireOpcodes.ts';
import { PROBLEM } from '../../agents/wire/wireRules.ts';
import type { QpInfo } from '../../agents/verbs/verbsItems.ts';
import { BTH_CLASS, OPCODE_CNP } from '../../rdma/bth.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { FlowKnowledge } from './flowKnowledge.ts';
import { FLOW, FLOW_BIT, FLOW_WORDS, FlowTable, stateOf } from './flowTable.ts';

const CLASS_BITS = 0xe0;
const VERSION_BITS = 0xf;
/** The bits of a P_Key that must agree; queue pairs have the default one. */
const PARTITION = 0x7fff;

const CLASS_OF: Readonly<Record<number, number>> = {
  [QP_TYPE.rc]: BTH_CLASS.rc,
  [QP_TYPE.uc]: BTH_CLASS.uc,
  [QP_TYPE.ud]: BTH_CLASS.ud,
};

export class InjectedPackets {
  readonly #bytes: ByteStore;
  readonly #known: FlowKnowledge;
  /** Queue pairs that can receive, by their flow keys. */
  readonly #qps = new Map<number, QpInfo>();

  constructor(bytes: ByteStore, known: FlowKnowledge) {
    this.#bytes = bytes;
    this.#known = known;
  }

  /** A queue pair can receive. */
  qpReady(info: QpInfo): void {
    this.#qps.set(FlowTable.connected(info.host, info.qpn), info);
  }

  /** Says what an injected packet may do, and that its flows may see what the NICs at their ends have not done. */
  arrived(arrival: PacketArrival): void {
    const { edited: p } = arrival;
    if (!arrival.injected || p === null) return;
    arrival.reach = this.#reach(p);
    if (arrival.reach === REACH.nothing) return;
    const { flows, reliable } = this.#known;
    const own = flows.find(FlowTable.connected(p.to, p.destQp));
    if (own < 0) return;
    if (arrival.reach === REACH.taken && (p.flags & OPCODE.request) !== 0) reliable.foreign(p, own);
    const peer = flows.state[own * FLOW_WORDS + FLOW.peer] as number;
    // What its ends know of each other is no more what they have sent.
    for (const flow of [own, peer]) reliable.misleads(flow, 'a packet that no NIC has sent has arrived');
  }

  #reach(p: DecodedPacket): Reach {
    // Of an opcode that is not known nothing but the base header can be read; a queue pair of its class refuses it (4.2 no. 2).
    const isReserved = p.kind === PACKET.malformed && p.problems === PROBLEM.opcode;
    if (!(reachesTransport(p) || isReserved) || p.opcode === OPCODE_CNP) return REACH.nothing;
    if (((this.#bytes.u8[p.transport + 1] as number) & VERSION_BITS) !== 0) return REACH.nothing;
    const qp = this.#qps.get(FlowTable.connected(p.to, p.destQp));
    if (qp === undefined || (p.opcode & CLASS_BITS) !== CLASS_OF[qp.type]) return REACH.nothing;
    if (((p.partitionKey ^ PARTITION) & PARTITION) !== 0) return REACH.nothing;
    if (qp.type === QP_TYPE.ud) return p.qkey === qp.qkey ? REACH.taken : REACH.nothing;
    if (p.host !== qp.remoteHost) return REACH.nothing;
    return qp.type === QP_TYPE.uc ? REACH.taken : this.#reliable(p);
  }

  #reliable(p: DecodedPacket): Reach {
    const { flows } = this.#known;
    const own = flows.find(FlowTable.connected(p.to, p.destQp));
    if (own < 0) return REACH.taken;
    const answers = (p.flags & OPCODE.response) !== 0;
    const flow = answers ? (flows.state[own * FLOW_WORDS + FLOW.peer] as number) : own;
    if (flow < 0) return REACH.nothing;
    const s = flows.state;
    const at = stateOf(flow);
    if (((s[at] as number) & FLOW_BIT.psnKnown) === 0) return answers ? REACH.nothing : REACH.taken;
    const isOld = psnCompare(p.psn, s[at + FLOW.acknowledged] as number) < 0;
    const beyond = psnCompare(p.psn, s[at + FLOW.top] as number);
    // A stale answer, and one to what was never asked, are dropped (3.6); that the right one is on its way it does not know.
    const heard = this.#known.reliable.requester(flow)?.heard;
    const isStale = heard !== undefined && psnCompare(p.psn, heard) < 0;
    if (answers) return isStale || beyond >= 0 ? REACH.nothing : REACH.taken;
    return isOld || beyond > 0 ? REACH.answered : REACH.taken;
  }
}
