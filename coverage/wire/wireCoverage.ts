/** Samples the covergroups of packets. Also knows what is on the wire, for those of commands. */

import type { LinkAgent } from '../../agents/link/linkAgent.ts';
import { type DecodedPacket, PACKET, type PacketFate } from '../../agents/wire/decodedPacket.ts';
import { MESSAGE, OPCODE, messageOf } from '../../agents/wire/wireOpcodes.ts';
import { BTH_CLASS, PSN_MASK, SYNDROME } from '../../rdma/bth.ts';
import { Tally } from '../../uvm/coverage/tally.ts';
import type { CoverageCollector } from '../../uvm/coverage/coverageCollector.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import type { Subscriber } from '../../uvm/tlm/analysisPort.ts';
import { type QueuePairFacts, type QueuePairs, SERVICE } from '../verbs/queuePairs.ts';
import type { WireTraffic } from '../verbs/verbsCoverage.ts';
import { AtomicCoverage } from './atomicCoverage.ts';
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

/** Whether packets are on their way, from what was sent and how long a trip takes at least. */
export class LinkTraffic implements WireTraffic {
  readonly #link: LinkAgent;
  readonly #scheduler: Scheduler;
  readonly #trip: number;
  #pairs: QueuePairs | undefined;

  constructor(link: LinkAgent, scheduler: Scheduler) {
    this.#link = link;
    this.#scheduler = scheduler;
    this.#trip = link.shortestTrip;
  }

  set pairs(pairs: QueuePairs) {
    this.#pairs = pairs;
  }

  get isBusy(): boolean {
    return this.#link.inFlight > 0;
  }

  isUnderWay(host: number, qpn: number): boolean {
    const pairs = this.#pairs;
    if (pairs === undefined) return false;
    const qp = pairs.of(host, qpn);
    return this.#reaches(qp) || (qp.remoteQpn >= 0 && this.#reaches(pairs.of(qp.remoteHost, qp.remoteQpn)));
  }

  #reaches({ packetAt }: QueuePairFacts): boolean {
    return packetAt >= 0 && packetAt + this.#trip > this.#scheduler.now;
  }
}

export class WireCoverage implements Subscriber<DecodedPacket> {
  readonly #pairs: QueuePairs;
  readonly #packet = new PacketSample();
  readonly #flow = new FlowSample();
  readonly #fault = new LinkFaultSample();
  readonly #packets = new Tally();
  /** By host: queue pair that the latest request packet was for, its service, and whether its message went on. */
  readonly #lastQp: Float64Array;
  readonly #lastService: Int32Array;
  readonly #goesOn: Uint8Array;
  readonly #groups;
  readonly #atomics: AtomicCoverage;

  constructor(collector: CoverageCollector, hosts: number, pairs: QueuePairs) {
    this.#pairs = pairs;
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
    };
    this.#atomics = new AtomicCoverage(collector, pairs);
    collector.beforeHits(() => this.#packets.flush((key, times) => this.#sample(key, times)));
  }

  write(p: DecodedPacket): void {
    if (p.kind !== PACKET.roce || p.to < 0) return;
    const { flags, trafficClass, hopLimit } = p;
    const qp = this.#pairs.of(p.to, p.destQp);
    const s = this.#packet;
    qp.packetAt = p.time;
    s.service = serviceOf(p.opcode);
    s.kind = kindOf(flags);
    s.position = ((flags & OPCODE.start) === 0 ? 0 : POSITION.first) | ((flags & OPCODE.end) === 0 ? 0 : POSITION.last);
    s.again = p.retransmission;
    s.payload = payloadLength(p.payloadLength, qp.mtu);
    s.padCount = p.padCount;
    s.psn = psnPlace(p.psn);
    s.hopLimit = hopLimit <= 1 ? HOP_LIMIT.one : hopLimit === 255 ? HOP_LIMIT.most : HOP_LIMIT.some;
    s.ackRequest = p.ackRequest;
    s.solicited = p.solicited;
    s.immediate = (flags & OPCODE.immediate) !== 0;
    s.ipv6 = p.ipVersion === 6;
    s.dscp = trafficClass > 3;
    s.ecn = trafficClass & 3;
    s.flowLabel = p.flowLabel !== 0;
    s.neighbour = -1;
    if ((flags & OPCODE.request) !== 0) this.#request(p, qp, s);
    else if ((flags & OPCODE.aeth) !== 0) this.#answer(p, s);
    this.#packets.count(s.key);
    this.#atomics.write(p);
  }

  /** Fault rules do something to the packet that `write` was given last. */
  fated({ packet, copies, delayed, edited }: PacketFate): void {
    if (packet.to < 0) return;
    const { service, kind, position } = this.#packet;
    const qp = this.#pairs.of(packet.to, packet.destQp);
    const f = this.#fault;
    f.service = service;
    f.kind = kind;
    f.position = position;
    f.round = !packet.retransmission ? 0 : qp.isGoingBack ? qp.rounds : 1;
    if (copies === 0) this.#faulted(LINK_FAULT.lost);
    if (copies > 1) this.#faulted(LINK_FAULT.duplicated);
    if (delayed) this.#faulted(LINK_FAULT.delayed);
    if (edited) this.#faulted(LINK_FAULT.altered);
  }

  #faulted(fault: number): void {
    this.#fault.fault = fault;
    this.#groups.linkFault.sample(this.#fault);
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

  #request(p: DecodedPacket, qp: QueuePairFacts, s: PacketSample): void {
    const { host } = p;
    // Queue pairs of several hosts may have one number: the pair is what tells them apart.
    const key = p.to * 0x100_0000 + p.destQp;
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
    if (s.service === SERVICE.rc) this.#transmission(p, qp, s);
  }

  /** The first packet of each that goes back. */
  #transmission({ psn, retransmission }: DecodedPacket, qp: QueuePairFacts, s: PacketSample): void {
    const back = (qp.furthest - psn) & PSN_MASK;
    const goesBack = qp.furthest >= 0 && back < 0x80_0000 && retransmission;
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
    if (!goesBack) qp.furthest = psn;
  }

  #answer({ syndrome }: DecodedPacket, { psn }: PacketSample): void {
    const f = this.#flow;
    f.psn = psn;
    f.answer = answerOf(syndrome);
    f.rnrTimer = syndrome & 31;
    this.#groups.answer.sample(f);
  }
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
