/**
 * Judges the frames of a capture: rules of single packets, and of flows as far as no host has to be asked. The rules are those of
 * a run (`agents/wire`, `scoreboard/reference`); what a run is told by its hosts is learnt from the frames. Where a capture
 * begins or ends in the middle of a connection, what is missing is no finding.
 */

import { type CaptureFrame, DIRECTION } from '../../agents/link/capture/captureFrame.ts';
import { DecodedPacket, PACKET } from '../../agents/wire/decodedPacket.ts';
import { isSound } from '../../agents/wire/packetSoundness.ts';
import { opcodeName } from '../../agents/wire/packetTexts.ts';
import { problemText } from '../../agents/wire/problemTexts.ts';
import { psnAdd, psnCompare } from '../../agents/wire/psnArithmetic.ts';
import { LAST_ACK } from '../../agents/wire/syndromes.ts';
import { MESSAGE, OPCODE, messageOf } from '../../agents/wire/wireOpcodes.ts';
import { PROBLEM, WIRE_PROBLEM_IDS, type WireReportId } from '../../agents/wire/wireRules.ts';
import { BTH_CLASS, BTH_OP, OPCODE_CNP } from '../../rdma/bth.ts';
import { psnText } from '../../rdma/psnText.ts';
import { MODEL_CHOICES } from '../model/transportChoices.ts';
import type { Profile } from '../model/profile.ts';
import { Profiles } from '../model/profiles.ts';
import { FlowKnowledge } from '../reference/flowKnowledge.ts';
import { ANY_MESSAGE, FLOW, FLOW_BIT, stateOf } from '../reference/flowTable.ts';
import { GoBackChecker } from '../reference/goBackChecker.ts';
import { RequestChecker } from '../reference/requestChecker.ts';
import { ResponseChecker } from '../reference/responseChecker.ts';
import { Retransmissions } from '../reference/retransmissions.ts';
import type { CaptureDecoder } from './captureDecoder.ts';
import { CaptureFindings } from './captureFindings.ts';
import { CapturePoints } from './capturePoints.ts';
import { CauseJudge } from './causes/causeJudge.ts';
import { Transmitters } from './causes/transmitters.ts';
import { RULES_OF_CAUSES, RULES_OF_HOSTS, RULES_OF_SENDERS } from './captureRules.ts';
import { isAsSent, isConnected, type Learnt } from './captureSurvey.ts';
import { Connections, type Lane, type Life } from './connections.ts';
import { askedFor } from './peers.ts';

/** READs and atomics of a connection that are remembered, answered ones too: an answer may be given again. */
const KEPT_READS = 128;
/** PSNs before the first one in the capture that may be sent again. */
const BEFORE_CAPTURE = 1 << 12;
/** Datagrams that are missing at most before it is another life of their queue pair that begins. */
const MOST_DATAGRAMS_MISSED = 64;
/** Answers in a row that must agree before message numbers count, unless they count from the first message in the capture. */
const AGREEING = 2;
/** Answers in a row, each newer than the one before, after which a connection that began before the capture is known. */
const UNDISPUTED = 8;
/** What answers may look like to requests from before the capture. */
const OF_KNOWN_CONNECTIONS: readonly WireReportId[] = [
  'WIRE_ACK_PSN',
  'WIRE_RESPONSE',
  'WIRE_ACK_ORDER',
  'WIRE_READ_LENGTH',
];
/** Messages without an answer of which the ends are remembered, until message numbers are learnt. */
const MOST_ENDS = 1 << 12;
/** The first opcode of services that are not judged: XRC, and those of manufacturers. */
const OTHER_SERVICES = 0x80;

/** What nobody knows of the NICs of a capture: nothing is judged by it. */
const ANY_NIC: Profile = {
  wire: 'rocev2',
  choices: MODEL_CHOICES,
  reactionTime: 0,
  readsPerFrame: 0,
  restTime: 0,
  unseenTime: 0,
  answerTime: 0,
  framesPerTurn: 0,
  service: { bytePs: 0, piecePs: 0, requestPs: 0 },
  readsPerPiece: 0,
  readsPerRequest: 0,
  bytesPerRequest: 0,
  doorbellBytes: 0,
  doorbellBurst: 0,
};

/** How a capture is judged. */
export interface JudgeOptions {
  /** All frames are as their senders sent them, whatever the capture says. */
  readonly sent: boolean;
  /** Frames are missing: whoever captured says so. */
  readonly gaps: boolean;
  readonly off: readonly WireReportId[];
  /** Least ACK time-out of queue pairs, ps. */
  readonly ackTimeout: number;
  /** Findings that are kept with their texts. */
  readonly most: number;
}

/** Counts of what a capture holds. */
export interface CaptureCounts {
  frames: number;
  /** RoCEv2 packets, and those of them that could be judged in their flows. */
  packets: number;
  /** Of packets that were captured as they left: their arrivals. */
  arrivals: number;
  /** Packets that the testbench has put in: they are wrong on purpose, and not judged. */
  injected: number;
  inFlows: number;
  /** Frames that are as their senders sent them, of RoCEv2. */
  sent: number;
  cutOff: number;
  tooShort: number;
  otherServices: number;
  notifications: number;
}

/** What is learnt of a connection while it is judged. */
class JudgedLife {
  readonly flow: number;
  /** Messages sent so far whose last packet no answer has named: the PSNs behind them. */
  ends: number[] = [];
  /** By how much message numbers of answers are ahead of the messages counted here, and how many in a row agree. */
  ahead = -1;
  agreeing = 0;
  /** PSN behind the latest gap: of what is before it nobody knows how many messages it is. */
  gap: number;
  /** Path MTU in bytes, 0 where the capture does not show it. */
  readonly mtu: number;
  /** All that its requester has sent and that may still be answered is in the capture. */
  isKnown = false;
  /** The testbench has put packets into it: what is an answer to them nobody knows. */
  isDisturbed = false;
  /** Until then: answers in a row that could be to what is in the capture. */
  undisputed = 0;

  constructor(flow: number, first: number, mtu: number) {
    this.flow = flow;
    this.gap = first;
    this.mtu = mtu;
  }
}

export class CaptureJudge {
  readonly findings: CaptureFindings;
  readonly counts: CaptureCounts = {
    frames: 0,
    packets: 0,
    arrivals: 0,
    injected: 0,
    inFlows: 0,
    sent: 0,
    cutOff: 0,
    tooShort: 0,
    otherServices: 0,
    notifications: 0,
  };
  readonly connections: Connections;

  readonly #decoder: CaptureDecoder;
  readonly #learnt: Learnt;
  readonly #options: JudgeOptions;
  readonly #packet = new DecodedPacket();
  readonly #known: FlowKnowledge;
  readonly #requests: RequestChecker;
  readonly #responses: ResponseChecker;
  /** By number of the life. */
  readonly #lives: JudgedLife[] = [];
  /** Flows of datagrams by sender's address and queue pair. */
  readonly #datagrams = new Map<string, number>();
  readonly #points = new CapturePoints();
  readonly #causes: CauseJudge;
  readonly #transmitters: Transmitters;
  /** When the frame that is judged may have come in line for its transmitter at the earliest, ps. */
  #inLineSince = 0;
  /** NICs of which all that arrives and leaves is in the capture. */
  readonly #bothWays: ReadonlySet<string>;
  /** By number of a lane with requests: the lanes in which they are answered. Made for the first notification. */
  #askedBy: ReadonlyMap<number, readonly number[]> | undefined;
  /** Lanes into which something was put: the next connection there may have begun before. */
  readonly #disturbed = new Set<Lane>();
  readonly #never: ReadonlySet<WireReportId>;
  readonly #whereSent: ReadonlySet<WireReportId> = new Set(RULES_OF_SENDERS);
  #sent = false;
  /** The answer that is judged is one to a connection that may have begun before the capture. */
  #isYoung = false;

  constructor(decoder: CaptureDecoder, learnt: Learnt, options: JudgeOptions) {
    this.#decoder = decoder;
    this.#learnt = learnt;
    this.#options = options;
    this.connections = new Connections(decoder.bytes);
    this.findings = new CaptureFindings(options.most, (p) => this.#name(p));
    this.findings.isOff = (id) => this.#isOff(id);
    this.#never = new Set([...(Object.keys(RULES_OF_HOSTS) as WireReportId[]), ...RULES_OF_CAUSES, ...options.off]);
    this.#bothWays = options.gaps ? new Set() : learnt.bothWays;
    this.#causes = new CauseJudge((rule, p, text) => {
      if (!options.off.includes(rule.id)) this.findings.keep(rule.id, p, text);
    }, options.ackTimeout);
    this.#transmitters = new Transmitters(learnt.rates);
    this.#known = new FlowKnowledge(this.findings, new Profiles(ANY_NIC), KEPT_READS);
    const again = new Retransmissions(decoder.bytes, this.#known, this.findings);
    const backs = new GoBackChecker(this.#known, this.findings);
    this.#requests = new RequestChecker(this.#known, again, backs, this.findings);
    this.#responses = new ResponseChecker(this.#known, this.findings);
  }

  /** The next frame of the capture. */
  judge(frame: CaptureFrame): void {
    const { counts, findings } = this;
    const p = this.#packet;
    findings.frame = frame.number;
    counts.frames++;
    this.#inLineSince = this.#transmitters.since(frame);
    const isReadable = this.#decoder.decode(frame, p);
    if (p.kind === PACKET.other) return;
    if (frame.injected) {
      counts.injected++;
      if (isReadable && this.connections.address(p)) this.#injected(p, frame.number);
      return;
    }
    if (isReadable && this.connections.address(p) && this.#points.isSeenTwice(frame, p.host)) {
      counts.arrivals++;
      if (isSound(p)) this.#arrives(p, frame.number);
      return;
    }
    counts.packets++;
    if (frame.bytes.length < frame.length) counts.cutOff++;
    if (!isReadable) {
      counts.tooShort++;
      return;
    }
    if (p.opcode >= OTHER_SERVICES && p.opcode !== OPCODE_CNP && isOtherService(p)) {
      counts.otherServices++;
      return;
    }
    this.#sent = !this.#options.gaps && isAsSent(frame, this.#options.sent);
    if (this.#sent) counts.sent++;
    if (!this.connections.address(p)) return;
    if (p.problems !== 0) this.#reportProblems(p);
    if (!isSound(p)) return;
    if (p.opcode === OPCODE_CNP) {
      counts.notifications++;
      if (this.#isWhole(p.host)) this.#notifies(p);
    } else if (this.#inFlow(p, frame.number)) counts.inFlows++;
    if (frame.direction === DIRECTION.received) this.#arrives(p, frame.number);
  }

  /** Whether all that reaches and leaves the NIC of an address is in the capture. */
  #isWhole(address: number): boolean {
    return this.#bothWays.size > 0 && this.#bothWays.has(this.connections.addresses[address] as string);
  }

  /** A sound packet reaches a NIC. */
  #arrives(p: DecodedPacket, frame: number): void {
    if (!this.#isWhole(p.to)) return;
    this.#causes.arrives(p);
    const lane = isConnected(p) ? this.connections.find(p) : undefined;
    if (lane === undefined || p.opcode >= BTH_CLASS.uc) return;
    const life = (p.flags & OPCODE.request) !== 0 ? lane.life : this.#askedIn(lane, p, frame);
    if (life === null) return;
    if ((p.flags & OPCODE.request) === 0) this.#causes.answerArrives(p, life);
    else this.#causes.requestArrives(p, life, this.#lifeOf(life).mtu);
  }

  /** A packet that no NIC has sent reaches one. */
  #injected(p: DecodedPacket, frame: number): void {
    if (isSound(p) && this.#isWhole(p.to)) this.#causes.arrives(p);
    const lane = p.opcode === OPCODE_CNP ? undefined : this.connections.find(p);
    if (lane === undefined) return;
    // An opcode that means nothing is refused as a request is.
    const isAnswer = isConnected(p) && (p.flags & OPCODE.request) === 0;
    const life = isAnswer ? this.#askedIn(lane, p, frame) : lane.life;
    if (life !== null) this.#lifeOf(life).isDisturbed = true;
    // It may have come to a queue pair that is connected anew, and has not been sent anything else yet.
    this.#disturbed.add(life?.lane ?? lane);
  }

  /** The connection that an answer in a lane is about; null where that is not known. */
  #askedIn(lane: Lane, { psn }: DecodedPacket, frame: number): Life | null {
    const peer = this.#peerOf(lane, frame);
    if (peer === undefined) return null;
    return askedFor(peer, psn) ?? peer.life;
  }

  #notifies(p: DecodedPacket): void {
    const lane = this.#partnerOf(p);
    const isKnown = lane?.life !== undefined && lane.life !== null && this.#lifeOf(lane.life).isKnown;
    this.#causes.notifies(p, lane?.qpn, isKnown);
  }

  /** The lane to the queue pair that is connected with the one that a packet goes to; undefined where the capture does not show it. */
  #partnerOf(p: DecodedPacket): Lane | undefined {
    const lane = this.connections.find(p);
    if (lane === undefined) return undefined;
    this.#askedBy ??= askedLanes(this.#learnt.peers);
    const peers = this.#learnt.peers.get(lane.index) ?? [];
    const partners = new Set([...peers.map((peer) => peer.lane.index), ...(this.#askedBy.get(lane.index) ?? [])]);
    const [only] = partners;
    return partners.size === 1 ? this.connections.lanes[only as number] : undefined;
  }

  /** The lane of the requests that answers in a lane are to. */
  #peerOf({ index }: Lane, frame: number): Lane | undefined {
    const found = this.#learnt.peers.get(index)?.findLast(({ from }) => from <= frame)?.lane;
    return found === undefined ? undefined : this.connections.lanes[found.index];
  }

  /** Path MTUs of connections, in bytes. */
  get mtus(): ReadonlySet<number> {
    return new Set(this.#learnt.mtu.values());
  }

  #isOff(id: WireReportId): boolean {
    if (this.#never.has(id) || (!this.#sent && this.#whereSent.has(id))) return true;
    return this.#isYoung && OF_KNOWN_CONNECTIONS.includes(id);
  }

  #inFlow(p: DecodedPacket, frame: number): boolean {
    if ((p.flags & OPCODE.deth) !== 0) {
      this.#datagram(p);
      return true;
    }
    if (!isConnected(p)) return false;
    const lane = this.connections.lane(p);
    return (p.flags & OPCODE.request) !== 0 ? this.#request(p, lane) : this.#response(p, lane, frame);
  }

  /** Numbers of datagrams are those of their sender, whoever they go to. */
  #datagram(p: DecodedPacket): void {
    const { flows } = this.#known;
    const key = `${p.host} ${p.sourceQp}`;
    let flow = this.#datagrams.get(key);
    if (flow === undefined) {
      flow = flows.open(-2 - this.#datagrams.size);
      this.#datagrams.set(key, flow);
    }
    const at = stateOf(flow);
    const step = psnCompare(p.psn, flows.state[at + FLOW.next] as number);
    // A queue pair that begins anew begins anywhere.
    if (step < 0 || step > MOST_DATAGRAMS_MISSED) flows.state[at] = (flows.state[at] as number) & ~FLOW_BIT.psnKnown;
    this.#requests.datagram(p, flow);
  }

  #request(p: DecodedPacket, lane: Lane): boolean {
    const life = this.connections.request(p, lane);
    if (life === null) return false;
    const its = this.#lifeOf(life);
    const { flow } = its;
    const s = this.#known.flows.state;
    const at = stateOf(flow);
    const expected = s[at + FLOW.next] as number;
    const isAhead = psnCompare(p.psn, s[at + FLOW.top] as number) > 0;
    const isKnown = ((s[at] as number) & FLOW_BIT.psnKnown) !== 0;
    if (p.opcode >= BTH_CLASS.uc && (p.flags & OPCODE.start) !== 0) this.#mayBeCutShort(at);
    this.#requests.connected(p, flow);
    if (p.opcode >= BTH_CLASS.uc) return true;
    if (this.#isWhole(p.host)) this.#causes.requestSent(p, life, its, this.#inLineSince);
    if (isKnown && isAhead && p.psn !== expected) this.#skipped(its, p);
    if (messageOf(p.flags) >= MESSAGE.read) this.#mayComeAgain(p, at);
    const isNew = !p.retransmission && (p.flags & OPCODE.end) !== 0;
    if (isNew && its.ends.length < MOST_ENDS) its.ends.push(this.#known.flows.state[at + FLOW.next] as number);
    return true;
  }

  /** @returns whether it is known to what it is an answer */
  #response(p: DecodedPacket, lane: Lane, frame: number): boolean {
    const peer = this.#peerOf(lane, frame);
    const present = peer?.life ?? null;
    if (peer === undefined || present === null) return false;
    // What belongs to an earlier connection, or to what was sent before the capture, is not judged.
    const life = askedFor(peer, p.psn) ?? present;
    if (life !== present || psnCompare(p.psn, life.first) < 0) return false;
    const its = this.#lifeOf(life);
    if (its.isDisturbed || this.#mayBeOfRead(p, its, life)) return false;
    this.#check(p, its);
    if (p.opcode === BTH_OP.acknowledge && p.syndrome <= LAST_ACK) this.#learnNumbers(p, its);
    if (its.isKnown && this.#isWhole(p.host)) this.#causes.answerSent(p, life);
    return true;
  }

  /**
   * Where a capture begins, a requester may be sending again what it has sent before: answers to the rest of that are no
   * finding.
   */
  #check(p: DecodedPacket, its: JudgedLife): void {
    this.#isYoung = !its.isKnown;
    const isRight = this.#responses.check(p, its.flow);
    this.#isYoung = false;
    if (its.isKnown || p.answersAgain) return;
    its.undisputed = isRight ? its.undisputed + 1 : 0;
    its.isKnown = its.undisputed >= UNDISPUTED;
  }

  #lifeOf({ index, first, lane }: Life): JudgedLife {
    const { former } = lane;
    const known = this.#lives[index];
    if (known !== undefined) return known;
    const { flows } = this.#known;
    if (former !== null) {
      const before = this.#lives[former.index];
      if (before !== undefined) flows.connection(stateOf(before.flow)).reads = null;
    }
    const flow = flows.open(index);
    const its = new JudgedLife(flow, first, this.#learnt.mtu.get(index) ?? 0);
    its.isDisturbed = this.#disturbed.delete(lane);
    flows.state[stateOf(flow) + FLOW.mtu] = its.mtu;
    flows.state[stateOf(flow) + FLOW.acknowledged] = first;
    this.#lives[index] = its;
    return its;
  }

  /** A message of an unreliable connection ends where an error of its requester has cut it short, and software goes on (6.2). */
  #mayBeCutShort(at: number): void {
    const { state } = this.#known.flows;
    state[at + FLOW.message] = ANY_MESSAGE;
  }

  /** Without a path MTU it is not known how many PSNs a READ takes. */
  #mayBeOfRead({ psn }: DecodedPacket, { flow, mtu }: JudgedLife, { most }: Life): boolean {
    const isBehind = psnCompare(psn, this.#known.flows.state[stateOf(flow) + FLOW.top] as number) >= 0;
    return isBehind && mtu === 0 && psnCompare(psn, most) < 0;
  }

  /** The link may deliver a READ or an atomic any number of times, and each time it is answered. */
  #mayComeAgain({ psn }: DecodedPacket, at: number): void {
    const request = this.#known.flows.connection(at).reads?.awaiting(psn);
    if (request !== undefined) request.pending = Number.POSITIVE_INFINITY;
  }

  /** Packets before this one are missing: how many messages they were is not known. */
  #skipped(its: JudgedLife, { psn }: DecodedPacket): void {
    const { state } = this.#known.flows;
    const at = stateOf(its.flow);
    state[at] = (state[at] as number) & ~FLOW_BIT.announced;
    its.gap = psn;
    its.ends = [];
    its.agreeing = 0;
  }

  /**
   * Message numbers count from the beginning of a connection (3.2), which may lie before the capture. Once answers agree on how far
   * they are ahead of the messages in the capture, the connection is known like one that was seen from its first packet on.
   */
  #learnNumbers(p: DecodedPacket, its: JudgedLife): void {
    const { state } = this.#known.flows;
    const at = stateOf(its.flow);
    const next = psnAdd(p.psn, 1);
    const isKnown = ((state[at] as number) & FLOW_BIT.announced) !== 0;
    if (isKnown || its.ends.length >= MOST_ENDS || psnCompare(next, its.gap) <= 0) return;
    its.ends = its.ends.filter((end) => psnCompare(end, next) > 0);
    const counted = psnAdd(state[at + FLOW.messages] as number, -its.ends.length);
    const ahead = psnAdd(p.msn, -counted);
    its.agreeing = ahead === its.ahead ? its.agreeing + 1 : 1;
    its.ahead = ahead;
    if (ahead === 0) its.isKnown = true;
    if (its.agreeing < AGREEING && ahead !== 0) return;
    state[at + FLOW.messages] = psnAdd(state[at + FLOW.messages] as number, ahead);
    state[at + FLOW.msn] = p.msn;
    state[at + FLOW.first] = psnAdd(state[at + FLOW.first] as number, -BEFORE_CAPTURE);
    state[at] = (state[at] as number) | FLOW_BIT.announced;
    its.ends = [];
  }

  #reportProblems(p: DecodedPacket): void {
    const { u8 } = this.#decoder.bytes;
    for (let bit = 0; bit < WIRE_PROBLEM_IDS.length; bit++) {
      if ((p.problems & (1 << bit)) === 0) continue;
      this.findings.found(WIRE_PROBLEM_IDS[bit] as WireReportId, p, problemText(p, 1 << bit, u8));
    }
  }

  #name(p: DecodedPacket): string {
    const { addresses } = this.connections;
    const way = `${addresses[p.host] ?? '?'} to ${addresses[p.to] ?? '?'}`;
    if (p.flags === 0 && (p.problems & PROBLEM.opcode) === 0) return `${way}: malformed RoCEv2 packet`;
    const from = (p.flags & OPCODE.deth) === 0 ? '' : ` from QP ${p.sourceQp}`;
    return `${way} QP ${p.destQp}${from}: ${opcodeName(p.opcode)}, PSN ${psnText(p.psn)}`;
  }
}

function askedLanes(peers: Learnt['peers']): ReadonlyMap<number, readonly number[]> {
  const asked = new Map<number, number[]>();
  for (const [answers, all] of peers)
    for (const { lane } of all) asked.set(lane.index, [...(asked.get(lane.index) ?? []), answers]);
  return asked;
}

/** Whether nothing else is wrong with a packet of an opcode that is not known. */
function isOtherService({ problems, flags }: DecodedPacket): boolean {
  return flags === 0 && (problems & ~(PROBLEM.opcode | PROBLEM.icrc)) === 0;
}
