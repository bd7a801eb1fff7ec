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
import { widened } from '../../uvm/bytes/widened.ts';
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
  readonly #receivers = new Receivers();

  constructor(bytes: ByteStore, known: FlowKnowledge) {
    this.#bytes = bytes;
    this.#known = known;
  }

  /** A queue pair can receive. */
  qpReady(info: QpInfo): void {
    this.#receivers.set(info);
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
    const { words } = this.#receivers;
    const qp = this.#receivers.find(p.to, p.destQp);
    if (qp < 0 || (p.opcode & CLASS_BITS) !== CLASS_OF[words[qp + RECEIVER.type] as number]) return REACH.nothing;
    if (((p.partitionKey ^ PARTITION) & PARTITION) !== 0) return REACH.nothing;
    if (words[qp + RECEIVER.type] === QP_TYPE.ud)
      return (p.qkey | 0) === words[qp + RECEIVER.qkey] ? REACH.taken : REACH.nothing;
    if (p.host !== words[qp + RECEIVER.remoteHost]) return REACH.nothing;
    return words[qp + RECEIVER.type] === QP_TYPE.uc ? REACH.taken : this.#reliable(p);
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

/** Words of a receiver. */
const RECEIVER = { type: 0, qkey: 1, remoteHost: 2 } as const;
const RECEIVER_WORDS = 3;

/** Queue pairs that can receive: a few words of each, as hardly any run has packets that ask for them. */
class Receivers {
  words = new Int32Array(64 * RECEIVER_WORDS);
  /** By flow key: index of its words. */
  readonly #at = new Map<number, number>();

  set({ host, qpn, type, qkey, remoteHost }: QpInfo): void {
    const key = FlowTable.connected(host, qpn);
    const at = this.#at.get(key) ?? this.#at.size * RECEIVER_WORDS;
    this.#at.set(key, at);
    if (at >= this.words.length) this.words = widened(this.words, at + RECEIVER_WORDS);
    this.words[at + RECEIVER.type] = type;
    this.words[at + RECEIVER.qkey] = qkey;
    this.words[at + RECEIVER.remoteHost] = remoteHost;
  }

  /** Index of the words of a queue pair; -1 where it cannot receive. */
  find(host: number, qpn: number): number {
    return this.#at.get(FlowTable.connected(host, qpn)) ?? -1;
  }
}
