/**
 * The room of the transport rules (roce-transport.md 3 to 6): which PSNs a requester may send, what a responder must and may
 * answer, when a local ACK timeout, an RNR NAK or a sequence NAK explains that something is sent again, and which paths
 * packets take.
 *
 * Who calls it: the wire monitor publishes packets to `TransportMonitor`, `agents/verbs` tells it what software does. It tells
 * the rest of the judge by fields of the packet (`WirePacket`) and answers questions by `WireView`. Whom it calls: the
 * checkers of requests and responses, each with its own tables of flows.
 *
 * What may be changed here: a transport rule, in the checker that has it; how long a NIC may take is no constant here but
 * the profile of its kind (`model/profile.ts`).
 */

import { aMoment, aQueuePair } from '../../rdma/subjectParts.ts';
import { BTH_OP, OPCODE_CNP } from '../../rdma/bth.ts';
import { QP_TYPE, WC_STATUS } from '../../rdma/verbs.ts';
import type { Scheduler, SimTime } from '../../uvm/kernel/scheduler.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { AnalysisPort, type Subscriber } from '../../uvm/tlm/analysisPort.ts';
import type { AhInfo, QpInfo, VisibleCompletion } from '../../agents/verbs/verbsItems.ts';
import type { VerbsObserver } from '../../agents/verbs/verbsObserver.ts';
import { type Attempt, Attempts } from '../../scoreboard/reference/attempts.ts';
import { AttributeChanges } from '../../scoreboard/reference/attributeChanges.ts';
import { type DecodedPacket, PACKET, type PacketFate } from '../../agents/wire/decodedPacket.ts';
import { type FlowProgress, progressOf, type QpAddress } from '../../scoreboard/reference/flowProgress.ts';
import type { DamagedAnswer } from './connection.ts';
import { DeclaredFields } from './declaredFields.ts';
import { FlowKnowledge } from '../../scoreboard/reference/flowKnowledge.ts';
import { FLOW, FLOW_BIT, FLOW_WORDS, FlowTable, stateOf } from '../../scoreboard/reference/flowTable.ts';
import { GoBackChecker } from '../../scoreboard/reference/goBackChecker.ts';
import type { HeardFrames } from '../../scoreboard/reference/heardFrames.ts';
import { type CongestionNotice, NO_NOTICE } from '../model/congestion.ts';
import type { Certainty } from '../model/certainty.ts';
import type { Profiles } from '../model/profiles.ts';
import { NotificationChecker } from './congestion/notificationChecker.ts';
import { InjectedPackets } from '../../scoreboard/reference/injectedPackets.ts';
import { PacketAges } from '../../scoreboard/reference/packetAges.ts';
import { PathChecker, type PortAddress } from '../../agents/wire/pathChecker.ts';
import { ReliableConnections } from '../../scoreboard/reference/reliable/reliableConnections.ts';
import { RequestChecker } from '../../scoreboard/reference/requestChecker.ts';
import { ResponseChecker } from '../../scoreboard/reference/responseChecker.ts';
import { Retransmissions } from '../../scoreboard/reference/retransmissions.ts';
import { MAY_NOT_SEND, StoppedQueuePairs } from '../../scoreboard/reference/stoppedQueuePairs.ts';
import type { ForeignRequesters } from '../../scoreboard/reference/foreignRequesters.ts';
import { OPCODE } from '../../agents/wire/wireOpcodes.ts';
import { isSound } from '../../agents/wire/packetSoundness.ts';
import type { WireMonitor } from '../../agents/wire/wireMonitor.ts';
import { RULE } from '../../agents/wire/transportRules.ts';

/** `FlowTable.find` of what is not there, and the flow of datagrams. */
const NO_FLOW = -1;

/**
 * Checks each packet of the wire monitor in its flow, and knows what flows have got to. It reports by the wire monitor.
 *
 * Requests are checked from the first packet on. Responses can be matched with requests only where `qpInRts` has
 * said which QPs belong together; others get the checks of a single packet.
 */
export class TransportMonitor implements Subscriber<DecodedPacket>, VerbsObserver {
  readonly #wire: WireMonitor;
  readonly #scheduler: Scheduler;
  readonly #known: FlowKnowledge;
  readonly #flows: FlowTable;
  readonly #foreign: ForeignRequesters;
  readonly #paths: PathChecker;
  readonly #retransmissions: Retransmissions;
  readonly #attempts: Attempts;
  readonly #stopped: StoppedQueuePairs;
  readonly #goBacks: GoBackChecker;
  readonly #requests: RequestChecker;
  readonly #responses: ResponseChecker;
  readonly #declared: DeclaredFields;
  readonly #changes: AttributeChanges;
  readonly #injected: InjectedPackets;
  readonly #notifications: NotificationChecker;
  /** Requests of reliable connections that have reached their responder in order: it takes them unless it refuses them. */
  readonly accepted = new AnalysisPort<DecodedPacket>('accepted');
  /** When send queues were said to be drained of which requests were not answered, by queue pair. */
  readonly #early = new Map<number, SimTime>();

  /**
   * Connects itself: it sees packets before those who subscribe later.
   * @param noticeOf what the NIC of a host does about marked packets; default: nothing
   */
  constructor(wire: WireMonitor, profiles: Profiles, noticeOf: (host: number) => CongestionNotice = () => NO_NOTICE) {
    const known = new FlowKnowledge(wire, profiles);
    const { bytes, scheduler } = wire.run;
    this.#wire = wire;
    this.#known = known;
    this.#flows = known.flows;
    this.#foreign = known.foreign;
    this.#scheduler = scheduler;
    this.#paths = new PathChecker(bytes, new PacketAges(known), wire);
    this.#retransmissions = new Retransmissions(bytes, known, wire);
    this.#attempts = new Attempts(known);
    this.#stopped = new StoppedQueuePairs(known.flows, wire);
    this.#goBacks = new GoBackChecker(known, wire);
    this.#requests = new RequestChecker(known, this.#retransmissions, this.#goBacks, wire);
    this.#responses = new ResponseChecker(known, wire);
    this.#declared = new DeclaredFields(profiles, wire);
    this.#changes = new AttributeChanges(known, this.#paths);
    known.reliable.onAccepted = (packet) => this.accepted.write(packet);
    wire.sourceQp = (packet) => this.#sourceQp(packet);
    wire.packets.connect(this);
    wire.fates.connect((fate) => this.#fated(fate));
    this.#notifications = new NotificationChecker(wire, profiles, noticeOf, (packet) => this.#isAwaited(packet));
    this.#injected = new InjectedPackets(bytes, known);
    wire.arrivals.connect((arrival) => {
      this.#injected.arrived(arrival);
      if (arrival.edited !== null) this.#damaged(arrival.edited);
    });
    wire.deliveries.connect(({ packet, edited }) => {
      this.#notifications.arrived(packet, scheduler.now);
      this.#arrived(packet, edited);
    });
  }

  /** Addresses of a host's port; packets between ports that have some are checked for them. */
  portReady(host: number, address: PortAddress, port = 1): void {
    this.#paths.portReady(host, address, port);
  }

  /** Requests of this QP will now start with its send PSN; responses to it answer them. */
  qpInRts(info: QpInfo): void {
    this.#injected.qpReady(info);
    if (info.type === QP_TYPE.ud) {
      this.#announce(this.#flows.open(FlowTable.datagram(info.host, info.qpn)), info);
      this.#paths.datagramsFrom(info.host, info.qpn, info.port ?? 1);
      return;
    }
    if (info.remoteHost < 0) return;
    const own = this.#flows.open(FlowTable.connected(info.host, info.qpn));
    const requests = this.#foreign.connects(info, own);
    this.#announce(requests, info);
    if (info.type === QP_TYPE.rc) this.#follow(own, requests, info);
    this.#known.begin(requests);
    this.#notifications.begin(info.remoteHost, info.remoteQpn);
    this.#notifications.ready(info.host, info.qpn);
    this.#paths.announce(requests, info.host, info.path);
    this.#known.times.goOn(own, info.minRnrTimer);
    this.#join(own, requests);
  }

  /** Software takes this QP to RTR: from now on it may take requests. */
  qpToRtr(host: number, qpn: number): void {
    const own = this.#flows.find(FlowTable.connected(host, qpn));
    if (own !== NO_FLOW) this.#known.reliable.listens(own);
  }

  /** This QP takes requests from now on, and answers them; what it will send itself is not known yet. */
  qpInRtr(info: QpInfo): void {
    this.#injected.qpReady(info);
    if (info.type === QP_TYPE.ud || info.remoteHost < 0) return;
    const own = this.#flows.open(FlowTable.connected(info.host, info.qpn));
    this.#known.times.begin(own, info.minRnrTimer);
    if (info.type === QP_TYPE.rc) this.#known.reliable.listensFrom(own, info.rqPsn);
    // It answers marks in RTR, and has told its peer of none in this life.
    this.#notifications.begin(info.remoteHost, info.remoteQpn);
    this.#join(own, this.#foreign.connects(info, own));
  }

  /** Software is about to change attributes of this QP: until `qpChanged` it may work by the old or the new ones. */
  qpChanging(info: QpInfo): void {
    this.#changes.begin(info, this.#scheduler.now);
  }

  /** The NIC has taken the change. */
  qpChanged(info: QpInfo): void {
    this.#changes.end(info, this.#scheduler.now);
  }

  /** What has come to a queue pair that fails may have been dropped. */
  completion({ host, wc }: VisibleCompletion): void {
    if (wc.status !== WC_STATUS.success) this.#notifications.stops(host, wc.qpn);
  }

  qpToErr(host: number, qpn: number): void {
    this.#notifications.stops(host, qpn);
  }

  qpToReset(host: number, qpn: number): void {
    this.#notifications.stops(host, qpn);
  }

  qpDestroying(host: number, qpn: number): void {
    this.#notifications.stops(host, qpn);
  }

  /** Software has taken the QP to the error state. */
  qpInErr(host: number, qpn: number): void {
    this.#early.delete(FlowTable.connected(host, qpn));
    this.#stopped.begin(host, qpn);
    this.#stopped.beginDatagrams(host, qpn);
  }

  /**
   * The NIC has said that the send queue of the QP is drained. So it may of one that an error has emptied, before the
   * completions tell that.
   */
  qpDrained(host: number, qpn: number): void {
    if (!this.#stopped.isAnswered(host, qpn)) this.#early.set(FlowTable.connected(host, qpn), this.#scheduler.now);
    this.#stopped.drained(host, qpn);
  }

  /** The NIC has taken the QP out of SQD: no error had. */
  qpOutOfSqd(host: number, qpn: number): void {
    const key = FlowTable.connected(host, qpn);
    const drained = this.#early.get(key);
    if (drained === undefined) return;
    this.#early.delete(key);
    const text = 'before all that it had sent was answered';
    this.#wire.brokenAtRest(
      RULE.drainedEarly,
      () => `host ${host} QP ${qpn} was said to be drained at ${logTime(drained)} ${text}`,
      [aQueuePair(host, qpn), aMoment(drained)],
    );
  }

  /** Software takes the QP to a state in which it may send again. */
  qpResuming(host: number, qpn: number): void {
    this.#stopped.end(host, qpn);
    this.#requests.resumes(this.#flows.find(FlowTable.connected(host, qpn)));
  }

  /** Datagrams of a host will go to another on this path, or on one announced before. */
  ahMade(info: AhInfo): void {
    this.#paths.announceDatagrams(info.host, info.remoteHost, info.path);
  }

  /** The QP no longer exists. What its peer has sent to it the peer may send again. */
  qpGone(host: number, qpn: number): void {
    this.#early.delete(FlowTable.connected(host, qpn));
    this.#stopped.begin(host, qpn);
    const own = this.#flows.find(FlowTable.connected(host, qpn));
    this.#foreign.leaves(own);
    this.#leaves(own);
    this.#forget(this.#flows.find(FlowTable.datagram(host, qpn)));
    this.#stopped.beginDatagrams(host, qpn);
  }

  /** The NIC of a host was reset: it has none of these queue pairs any more, which were not stopped by software. */
  deviceReset(host: number, qpns: readonly number[]): void {
    for (const qpn of qpns) this.qpGone(host, qpn);
  }

  /** Tells the monitor what has come to the hosts, so that it knows what answers a requester has. */
  listenAt(ports: HeardFrames): void {
    this.#goBacks.ports = ports;
    this.#notifications.ports = ports;
    this.#requests.ports = ports;
  }

  /** What a queue pair has tried to get an answer from its peer; see `Attempts.of`. */
  attempt(host: number, qpn: number, remoteHost: number, remoteQpn: number): Attempt | undefined {
    return this.#attempts.of(host, qpn, remoteHost, remoteQpn);
  }

  /**
   * How far a queue pair has got with what it sends to its peer, `remote`, or as datagrams (null); undefined where that is
   * not known.
   */
  progress(host: number, qpn: number, remote: QpAddress | null): FlowProgress | undefined {
    const datagrams = FlowTable.datagram(host, qpn);
    const flow =
      remote === null ? this.#flows.find(datagrams) : this.#foreign.requestsFrom(host, remote.host, remote.qpn);
    return progressOf(this.#flows, flow);
  }

  /**
   * PSN behind the newest request that has been sent to a queue pair whose peer began with `first`; -1 when that is not
   * known, or when requests have come more than half round since: what PSNs say of the first one is ambiguous then.
   */
  requestsTo(host: number, qpn: number, first: number): number {
    return this.#behindNewest(this.#flows.find(FlowTable.connected(host, qpn)), first);
  }

  /** PSN behind the newest request that a connected queue pair has sent, which began with `first`; -1 as in `requestsTo`. */
  requestsFrom(host: number, qpn: number, first: number): number {
    const s = this.#flows.state;
    const own = this.#flows.find(FlowTable.connected(host, qpn));
    const flow = own === NO_FLOW ? NO_FLOW : (s[own * FLOW_WORDS + FLOW.peer] as number);
    // Its peer may belong to another queue pair by now.
    const joined = flow !== NO_FLOW && s[flow * FLOW_WORDS + FLOW.peer] === own;
    return joined ? this.#behindNewest(flow, first) : -1;
  }

  /** The run has come to its end, and nothing is under way any more. */
  finish(): void {
    this.#notifications.finish();
  }

  /** How certain it is what messages must lead to. */
  get certainty(): Certainty {
    return this.#known.reliable.certainty;
  }

  /** Messages that a connected queue pair has sent and of which no answer has reached it; 0 where that is not known. */
  unanswered(host: number, remoteHost: number, remoteQpn: number): number {
    const { reliable } = this.#known;
    return reliable.requester(this.#foreign.requestsFrom(host, remoteHost, remoteQpn))?.unanswered ?? 0;
  }

  /** The latest answer with a wrong invariant CRC that has come to a connected queue pair; null = none has. */
  damagedAnswer(host: number, remoteHost: number, remoteQpn: number): DamagedAnswer | null {
    const flow = this.#foreign.requestsFrom(host, remoteHost, remoteQpn);
    return flow === NO_FLOW ? null : this.#flows.connection(stateOf(flow)).damaged;
  }

  /** A packet leaves a NIC. */
  write(p: DecodedPacket): void {
    if (!isSound(p)) return;
    this.#declared.check(p);
    this.#notifications.sent(p);
    this.#checkFlow(p);
  }

  #fated({ packet: p, copies }: PacketFate): void {
    if ((p.flags & OPCODE.deth) !== 0 || p.to < 0 || (p.flags & OPCODE.request) === 0) return;
    const flow = this.#requestsTo(p);
    // Nobody is to be blamed for answering twice what came twice.
    for (let i = 1; flow !== NO_FLOW && i < copies; i++) this.#requests.repeatedByLink(p, flow);
  }

  #checkFlow(p: DecodedPacket): void {
    if (p.opcode === OPCODE_CNP) return;
    const { flags } = p;
    if ((flags & OPCODE.deth) !== 0) {
      this.#paths.check(p, this.#wire.decoder.headers, NO_FLOW);
      const flow = this.#flows.open(FlowTable.datagram(p.host, p.sourceQp));
      this.#checkStopped(p, flow);
      this.#requests.datagram(p, flow);
      return;
    }
    if (p.to < 0) return;
    const asks = (flags & OPCODE.request) !== 0;
    let own = this.#requestsTo(p);
    if (own === NO_FLOW && asks) own = this.#flows.open(FlowTable.connected(p.to, p.destQp));
    this.#paths.check(p, this.#wire.decoder.headers, own);
    if (own !== NO_FLOW) this.#checkStopped(p, own);
    if (asks) this.#request(p, own);
    else if (own !== NO_FLOW) this.#response(p, own);
  }

  /** Flow of requests to the queue pair that a packet of a connected service goes to, or `NO_FLOW`. An answer comes from its peer. */
  #requestsTo({ flags, host, to, destQp }: DecodedPacket): number {
    const asks = (flags & OPCODE.request) !== 0;
    return asks ? this.#foreign.requestsFrom(host, to, destQp) : this.#flows.find(FlowTable.connected(to, destQp));
  }

  /** @param flow that the sender of the packet sends in */
  #checkStopped(p: DecodedPacket, flow: number): void {
    const bits = this.#flows.state[flow * FLOW_WORDS] as number;
    if ((bits & MAY_NOT_SEND) !== 0) this.#stopped.check(p, bits);
  }

  #request(p: DecodedPacket, own: number): void {
    if (p.opcode === BTH_OP.readRequest && own !== NO_FLOW && this.#isAnsweredApart(p, own)) {
      this.#flows.connection(stateOf(own)).countsApart = true;
      this.#known.reliable.misleads(own, 'a READ is answered in packets of another path MTU');
    }
    this.#requests.connected(p, own);
    const { reliable } = this.#known;
    if (ReliableConnections.concerns(p)) reliable.sent(p, own);
  }

  /**
   * Whether a packet that nobody answers reaches a queue pair in RTS, or further, that has not failed; a READ response that is the next
   * one too. To be asked before the packet is followed.
   */
  #isAwaited(p: DecodedPacket): boolean {
    const to = this.#requestsTo(p);
    const s = this.#flows.state;
    const own = to === NO_FLOW ? NO_FLOW : (s[to * FLOW_WORDS + FLOW.peer] as number);
    if (own < 0) return false;
    const bits = s[own * FLOW_WORDS] as number;
    if ((bits & FLOW_BIT.announced) === 0 || (bits & (FLOW_BIT.stopped | FLOW_BIT.refusedForGood)) !== 0) return false;
    return (p.flags & OPCODE.request) !== 0 || this.#known.reliable.requester(own)?.heard === p.psn;
  }

  /** A sound packet reaches a NIC. */
  #arrived(p: DecodedPacket, edited: boolean): void {
    if (!ReliableConnections.concerns(p)) return;
    const to = this.#requestsTo(p);
    if (to === NO_FLOW) return;
    const asks = (p.flags & OPCODE.request) !== 0;
    const flow = asks ? to : (this.#flows.state[to * FLOW_WORDS + FLOW.peer] as number);
    if (flow >= 0) this.#known.reliable.arrived(p, flow, edited, this.#scheduler.now);
  }

  /** Whether the path MTUs of both ends differ, and a READ is longer than a packet of the smaller one. */
  #isAnsweredApart({ dmaLength }: DecodedPacket, own: number): boolean {
    const s = this.#flows.state;
    const back = s[stateOf(own) + FLOW.peer] as number;
    const mtu = s[stateOf(own) + FLOW.mtu] as number;
    const other = back < 0 ? 0 : (s[stateOf(back) + FLOW.mtu] as number);
    return mtu > 0 && other > 0 && mtu !== other && dmaLength >>> 0 > Math.min(mtu, other);
  }

  /** A packet that a fault rule has changed reaches a NIC. */
  #damaged(p: DecodedPacket): void {
    const { opcode, psn, flags } = p;
    const answers = (flags & OPCODE.request) === 0 && ReliableConnections.concerns(p);
    if (p.kind !== PACKET.roce || isSound(p) || !answers) return;
    const own = this.#requestsTo(p);
    const requests = own === NO_FLOW ? NO_FLOW : (this.#flows.state[stateOf(own) + FLOW.peer] as number);
    if (requests >= 0) this.#flows.connection(stateOf(requests)).damaged = { opcode, psn, at: this.#scheduler.now };
  }

  /** @param own flow of requests to the queue pair that is answered */
  #response(p: DecodedPacket, own: number): void {
    const requests = this.#flows.state[own * FLOW_WORDS + FLOW.peer] as number;
    if (requests >= 0 && this.#flows.connection(stateOf(requests)).countsApart) return;
    if (requests >= 0) {
      const isRight = this.#responses.check(p, requests);
      this.#answered(p, requests, isRight);
      this.#stopped.refused(p, own * FLOW_WORDS);
    }
  }

  /** Queue pair that sends a packet, -1 where it is not known. */
  #sourceQp(p: DecodedPacket): number {
    if ((p.flags & OPCODE.deth) !== 0) return p.sourceQp;
    const flow = p.flags === 0 || p.to < 0 ? NO_FLOW : this.#requestsTo(p);
    if (flow === NO_FLOW) return flow;
    const back = this.#flows.state[flow * FLOW_WORDS + FLOW.peer] as number;
    const key = back < 0 ? this.#stopped.keyOf(flow) : this.#flows.keyOf(back);
    return FlowTable.hostOf(key) === p.host ? FlowTable.qpnOf(key) : NO_FLOW;
  }

  /** `requestsTo`, of a flow. */
  #behindNewest(flow: number, first: number): number {
    if (flow === NO_FLOW) return -1;
    const s = this.#flows.state;
    const at = flow * FLOW_WORDS;
    // `FLOW.first` moves on when the flow has come half round.
    const bits = s[at] as number;
    const known = (bits & FLOW_BIT.announced) !== 0 && (bits & FLOW_BIT.stopped) === 0 && s[at + FLOW.first] === first;
    return known ? (s[at + FLOW.top] as number) : -1;
  }

  /** @param own flow of requests to the queue pair @param requests flow in which it sends itself */
  #join(own: number, requests: number): void {
    this.#flows.state[own * FLOW_WORDS + FLOW.peer] = requests;
    this.#flows.state[requests * FLOW_WORDS + FLOW.peer] = own;
  }

  /** @param requests flow of what was asked @param isRight it is, by what was sent: one finding is enough */
  #answered(p: DecodedPacket, requests: number, isRight: boolean): void {
    const broken = this.#known.reliable.answered(p, requests);
    if (broken !== undefined && isRight) this.#wire.broken(broken.rule, p, broken.what);
  }

  /** @param own flow of requests to the queue pair @param requests flow in which it sends itself */
  #follow(own: number, requests: number, info: QpInfo): void {
    const { reliable } = this.#known;
    reliable.listensFrom(own, info.rqPsn);
    reliable.sendsFrom(requests, info.sqPsn);
  }

  /** @param own flow of requests to a queue pair that is gone */
  #leaves(own: number): void {
    const { reliable } = this.#known;
    if (own === NO_FLOW) return;
    reliable.listensNoMore(own);
    const requests = this.#flows.state[own * FLOW_WORDS + FLOW.peer] as number;
    if (requests < 0) return;
    reliable.sendsNoMore(requests);
    // It may answer on another path before it sends again.
    this.#paths.forget(requests);
  }

  #announce(flow: number, info: QpInfo): void {
    const at = flow * FLOW_WORDS;
    this.#forget(flow);
    const s = this.#flows.state;
    const known = FLOW_BIT.psnKnown | FLOW_BIT.announced | (info.type << FLOW_BIT.serviceShift);
    s[at] = (s[at] as number) | known;
    this.#known.requesters.begin(flow, info);
    s[at + FLOW.next] = info.sqPsn;
    s[at + FLOW.top] = info.sqPsn;
    s[at + FLOW.first] = info.sqPsn;
    s[at + FLOW.acknowledged] = info.sqPsn;
    s[at + FLOW.mtu] = info.mtu;
  }

  #forget(flow: number): void {
    if (flow < 0) return;
    this.#flows.restart(flow);
    this.#paths.forget(flow);
  }
}
