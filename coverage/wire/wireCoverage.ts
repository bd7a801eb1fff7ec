/** Samples the covergroups of packets. */

import { type DecodedPacket, PACKET, type PacketFate } from '../../agents/wire/decodedPacket.ts';
import { MESSAGE, OPCODE, messageOf } from '../../agents/wire/wireOpcodes.ts';
import { BTH_CLASS, PSN_MASK, SYNDROME } from '../../rdma/bth.ts';
import { QP_STATE } from '../../rdma/verbs.ts';
import { Tally } from '../../uvm/coverage/tally.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import type { Subscriber } from '../../uvm/tlm/analysisPort.ts';
import { type Backlog, READER_BITS } from '../backlog.ts';
import type { ContextTraffic } from '../pcie/contextTraffic.ts';
import { type QueuePairFacts, type QueuePairs, SERVICE } from '../verbs/queuePairs.ts';
import { AtomicCoverage } from './atomicCoverage.ts';
import { FAULT_BEFORE, faultStateCg, FaultStateSample } from './faultStateGroups.ts';
import { LINK_FAULT, linkFaultCg, LinkFaultSample } from './linkFaultGroups.ts';
import {
  ANSWER,
  answerCg,
  FlowSample,
  HOP_LIMIT,
  interleavingCg,
  NEIGHBOUR,
  networkCg,
  PACKET_KIND,
  PacketSample,
  POSITION,
  packetCg,
  payloadCg,
  payloadLength,
  psnCg,
  psnPlace,
  requestBitsCg,
  retransmissionCg,
} from './packetGroups.ts';
import { recoveryCg, RecoverySample } from './recoveryGroups.ts';

/** Words of a note of a packet. */
const NOTE_WORDS = 10;
/** Bits of its first word. */
const AGAIN = 1 << READER_BITS;
const ACK_REQUEST = 2 << READER_BITS;
const SOLICITED = 4 << READER_BITS;
const IPV6 = 8 << READER_BITS;
const FLOW_LABEL = 16 << READER_BITS;
const PAD_SHIFT = READER_BITS + 5;
const OPCODE_SHIFT = PAD_SHIFT + 2;
const CLASS_SHIFT = OPCODE_SHIFT + 8;

/** Packets to or from the wrap of PSNs that count as near. */
const NEAR_WRAP = 16;
/** Faults of one connection within this time meet each other (ps): less than most time-outs. */
const AT_ONCE = 20_000_000;

export class WireCoverage implements Subscriber<DecodedPacket> {
  readonly #contexts: readonly ContextTraffic[];
  readonly #pairs: QueuePairs;
  readonly #backlog: Backlog;
  readonly #reader: number;
  readonly #packet = new PacketSample();
  readonly #flow = new FlowSample();
  readonly #fault = new LinkFaultSample();
  readonly #faultState = new FaultStateSample();
  readonly #recovery = new RecoverySample();
  readonly #packets = new Tally();
  /** Queue pairs whose peers send again; those that do no more are taken out when somebody asks. */
  readonly #goingBack = new Set<QueuePairFacts>();
  /** By host: queue pair that the latest request packet was for, its service, and whether its message went on. */
  readonly #lastQp: Float64Array;
  readonly #lastService: Int32Array;
  readonly #goesOn: Uint8Array;
  readonly #groups;
  readonly #atomics: AtomicCoverage;

  /** @param contexts of the NIC of each host */
  constructor(collector: CoverageCollector, contexts: readonly ContextTraffic[], pairs: QueuePairs, backlog: Backlog) {
    const hosts = contexts.length;
    this.#contexts = contexts;
    this.#pairs = pairs;
    this.#backlog = backlog;
    this.#reader = backlog.reader((at) => this.#workThrough(at));
    this.#lastQp = new Float64Array(hosts).fill(-1);
    this.#lastService = new Int32Array(hosts);
    this.#goesOn = new Uint8Array(hosts);
    this.#groups = {
      packet: collector.create(packetCg),
      payload: collector.create(payloadCg),
      psn: collector.create(psnCg),
      requestBits: collector.create(requestBitsCg),
      network: collector.create(networkCg),
      interleaving: collector.create(interleavingCg),
      answer: collector.create(answerCg),
      retransmission: collector.create(retransmissionCg),
      linkFault: collector.create(linkFaultCg),
      faultState: collector.create(faultStateCg),
      recovery: collector.create(recoveryCg),
    };
    this.#atomics = new AtomicCoverage(collector, pairs);
    collector.beforeHits(() => this.#packets.flush((key, times) => this.#sample(key, times)));
  }

  write(p: DecodedPacket): void {
    if (p.kind !== PACKET.roce || p.to < 0) return;
    const { flags } = p;
    const before = p.retransmission && (flags & OPCODE.request) !== 0 ? this.#latestTo(p) : undefined;
    const { words, numbers } = this.#backlog;
    const at = this.#backlog.note(NOTE_WORDS);
    const bits =
      (p.retransmission || (p.answersRead && p.answersAgain) ? AGAIN : 0) |
      (p.ackRequest ? ACK_REQUEST : 0) |
      (p.solicited ? SOLICITED : 0) |
      (p.ipVersion === 6 ? IPV6 : 0) |
      (p.flowLabel !== 0 ? FLOW_LABEL : 0);
    const bytes = (p.padCount << PAD_SHIFT) | (p.opcode << OPCODE_SHIFT) | (p.trafficClass << CLASS_SHIFT);
    words[at] = this.#reader | bits | bytes;
    words[at + 1] = flags;
    numbers[(at + 2) >> 1] = p.time;
    words[at + 4] = p.host | (p.to << 16);
    words[at + 5] = p.destQp;
    words[at + 6] = p.psn;
    words[at + 7] = p.payloadLength;
    words[at + 8] = p.hopLimit;
    words[at + 9] = p.syndrome;
    if (messageOf(flags) === MESSAGE.atomic) this.#atomics.write(p);
    if (before !== undefined) this.#recovers(p, before);
  }

  /** When the latest packet to the queue pair of a packet was sent: few are sent again, so that the backlog is worked through for each. */
  #latestTo({ to, destQp }: DecodedPacket): SimTime {
    this.#backlog.work();
    return this.#pairs.of(to, destQp).packetAt;
  }

  /** @param before when the packet before it was sent */
  #recovers({ host, to, destQp, psn }: DecodedPacket, before: SimTime): void {
    this.#backlog.work();
    const target = this.#pairs.of(to, destQp);
    if (target.service !== SERVICE.rc || target.remoteHost !== host) return;
    const requester = this.#pairs.of(host, target.remoteQpn);
    const s = this.#recovery;
    s.kind = this.#packet.kind;
    s.round = target.rounds;
    s.own = (this.#contexts[host] as ContextTraffic).since(before);
    s.peer = (this.#contexts[to] as ContextTraffic).since(before);
    s.isRingWrapped = isRingWrapped(requester);
    s.isPsnWrapping = isNearWrap(psn);
    s.others = this.#othersRecovering(host, target);
    s.outstanding = requester.sends.count;
    this.#groups.recovery.sample(s);
  }

  /** Other queue pairs of a host that are outstanding and send again. @param own target of the one that is left out */
  #othersRecovering(host: number, own: QueuePairFacts): number {
    let others = 0;
    for (const target of this.#goingBack) {
      if (target === own || target.remoteHost !== host) continue;
      if (!target.isGoingBack) this.#goingBack.delete(target);
      else if (this.#pairs.of(host, target.remoteQpn).isBusy) others++;
    }
    return others;
  }

  /** Fault rules do something to the packet that `write` was given last. */
  fated({ packet, copies, delayed, edited }: PacketFate): void {
    if (packet.to < 0) return;
    this.#backlog.work();
    const { service, kind, position } = this.#packet;
    const qp = this.#pairs.of(packet.to, packet.destQp);
    const f = this.#fault;
    f.service = service;
    f.kind = kind;
    f.position = position;
    f.round = !packet.retransmission ? 0 : qp.isGoingBack ? qp.rounds : 1;
    const isConnected = service === SERVICE.rc && qp.remoteQpn >= 0;
    if (isConnected) this.#stateOf(packet, qp);
    if (copies === 0) this.#faulted(LINK_FAULT.lost, isConnected);
    if (copies > 1) this.#faulted(LINK_FAULT.duplicated, isConnected);
    if (delayed) this.#faulted(LINK_FAULT.delayed, isConnected);
    if (edited) this.#faulted(LINK_FAULT.altered, isConnected);
  }

  /** @param qp to which the packet goes */
  #stateOf({ flags, psn, time, retransmission }: DecodedPacket, qp: QueuePairFacts): void {
    const peer = this.#pairs.of(qp.remoteHost, qp.remoteQpn);
    const s = this.#faultState;
    s.isAnswer = (flags & OPCODE.request) === 0;
    const [requester, responder] = s.isAnswer ? [qp, peer] : [peer, qp];
    const { count } = requester.sends;
    s.isGoingBack = s.isAnswer ? responder.isGoingBack : retransmission;
    s.isPsnWrapping = isNearWrap(psn);
    s.isRingWrapped = isRingWrapped(requester);
    s.outstanding = count;
    const isRecent = requester.faultAt >= 0 && time - requester.faultAt < AT_ONCE;
    const isSameWay = requester.faultWasAnswer === s.isAnswer;
    s.before = !isRecent ? FAULT_BEFORE.none : isSameWay ? FAULT_BEFORE.same_way : FAULT_BEFORE.other_way;
    s.isFailing = requester.state === QP_STATE.err || responder.state === QP_STATE.err;
    requester.faultAt = time;
    requester.faultWasAnswer = s.isAnswer;
  }

  #faulted(fault: number, isConnected: boolean): void {
    this.#fault.fault = fault;
    this.#groups.linkFault.sample(this.#fault);
    if (!isConnected) return;
    this.#faultState.fault = fault;
    this.#groups.faultState.sample(this.#faultState);
  }

  #workThrough(at: number): number {
    const { words, numbers } = this.#backlog;
    const first = words[at] as number;
    const flags = words[at + 1] as number;
    const hosts = words[at + 4] as number;
    const hopLimit = words[at + 8] as number;
    const trafficClass = (first >>> CLASS_SHIFT) & 0xff;
    const psn = words[at + 6] as number;
    const qp = this.#pairs.of(hosts >> 16, words[at + 5] as number);
    const s = this.#packet;
    qp.packetAt = numbers[(at + 2) >> 1] as number;
    s.service = serviceOf((first >>> OPCODE_SHIFT) & 0xff);
    s.kind = kindOf(flags);
    s.position = ((flags & OPCODE.start) === 0 ? 0 : POSITION.first) | ((flags & OPCODE.end) === 0 ? 0 : POSITION.last);
    s.again = (first & AGAIN) !== 0;
    s.payload = payloadLength(words[at + 7] as number, qp.mtu);
    s.padCount = (first >>> PAD_SHIFT) & 3;
    s.psn = psnPlace(psn);
    s.hopLimit = hopLimit <= 1 ? HOP_LIMIT.one : hopLimit === 255 ? HOP_LIMIT.most : HOP_LIMIT.some;
    s.ackRequest = (first & ACK_REQUEST) !== 0;
    s.solicited = (first & SOLICITED) !== 0;
    s.immediate = (flags & OPCODE.immediate) !== 0;
    s.ipv6 = (first & IPV6) !== 0;
    s.dscp = trafficClass > 3;
    s.ecn = trafficClass & 3;
    s.flowLabel = (first & FLOW_LABEL) !== 0;
    s.neighbour = -1;
    if ((flags & OPCODE.request) !== 0) this.#request(hosts & 0xffff, psn, qp, s);
    else if ((flags & OPCODE.aeth) !== 0) this.#answer(words[at + 9] as number, s);
    this.#packets.count(s.key);
    return at + NOTE_WORDS;
  }

  #sample(key: number, times: number): void {
    const s = this.#packet;
    const { packet, payload, psn, requestBits, network, interleaving } = this.#groups;
    s.key = key;
    packet.sample(s, times);
    if (s.kind !== PACKET_KIND.acknowledge && s.kind !== PACKET_KIND.readRequest) payload.sample(s, times);
    psn.sample(s, times);
    network.sample(s, times);
    if (s.kind <= PACKET_KIND.readRequest) requestBits.sample(s, times);
    if (s.neighbour >= 0) interleaving.sample(s, times);
  }

  #request(host: number, psn: number, qp: QueuePairFacts, s: PacketSample): void {
    // Queue pairs of several hosts may have one number: the pair is what tells them apart.
    const key = qp.host * 0x100_0000 + qp.qpn;
    const last = this.#lastQp[host] as number;
    if (last === key) {
      const within = this.#goesOn[host] === 1 && (s.position & POSITION.first) === 0;
      s.neighbour = within ? NEIGHBOUR.sameMessage : NEIGHBOUR.sameQp;
    } else if (last !== -1) {
      s.neighbour = this.#lastService[host] === s.service ? NEIGHBOUR.otherQp : NEIGHBOUR.otherService;
    }
    this.#lastQp[host] = key;
    this.#lastService[host] = s.service;
    this.#goesOn[host] = (s.position & POSITION.last) === 0 ? 1 : 0;
    if (s.service === SERVICE.rc) this.#transmission(psn, qp, s);
  }

  /** The first packet of each that goes back. */
  #transmission(psn: number, qp: QueuePairFacts, s: PacketSample): void {
    const back = (qp.furthest - psn) & PSN_MASK;
    const goesBack = qp.furthest >= 0 && back < 0x80_0000 && s.again;
    if (goesBack && (psn === qp.againFrom || !qp.isGoingBack)) {
      qp.rounds = psn === qp.againFrom ? qp.rounds + 1 : 1;
      qp.againFrom = psn;
      const f = this.#flow;
      f.kind = s.kind;
      f.position = s.position;
      f.round = qp.rounds;
      f.distance = back + 1;
      this.#groups.retransmission.sample(f);
    }
    qp.isGoingBack = goesBack;
    if (goesBack) this.#goingBack.add(qp);
    if (!goesBack) qp.furthest = psn;
  }

  #answer(syndrome: number, { psn }: PacketSample): void {
    const f = this.#flow;
    f.psn = psn;
    f.answer = answerOf(syndrome);
    f.rnrTimer = syndrome & 31;
    this.#groups.answer.sample(f);
  }
}

function isNearWrap(psn: number): boolean {
  return psn < NEAR_WRAP || psn > PSN_MASK - NEAR_WRAP;
}

/** Whether the requests that are outstanding lie on both sides of the end of the send queue. */
function isRingWrapped({ sends, sendSlot }: QueuePairFacts): boolean {
  return sends.count > sendSlot + 1;
}

function serviceOf(opcode: number): number {
  const service = opcode & 0xe0;
  return service === BTH_CLASS.rc ? SERVICE.rc : service === BTH_CLASS.uc ? SERVICE.uc : SERVICE.ud;
}

function kindOf(flags: number): number {
  const message = messageOf(flags);
  const request = (flags & OPCODE.request) !== 0;
  if (message === MESSAGE.send) return PACKET_KIND.send;
  if (message === MESSAGE.write) return PACKET_KIND.write;
  if (message === MESSAGE.read) return request ? PACKET_KIND.readRequest : PACKET_KIND.readResponse;
  return message === MESSAGE.acknowledge ? PACKET_KIND.acknowledge : PACKET_KIND.other;
}

function answerOf(syndrome: number): number {
  if ((syndrome & 0xe0) === 0) return ANSWER.ack;
  if ((syndrome & 0xe0) === SYNDROME.rnr) return ANSWER.rnrNak;
  const nak = syndrome - SYNDROME.nakSequence;
  return nak >= 0 && nak <= 3 ? ANSWER.nakSequence + nak : ANSWER.other;
}
