/**
 * The room of packets: code of its own that decodes frames (`wireDecoder`, `wireHeaders`, `wireIcrc`), and the rules that one
 * packet, or one path, can break by itself (`wireRules`, `pathChecker`). It shares no code with the codec of the NIC models.
 * `agents/link` feeds it every frame before faults; `scoreboard/reference`, coverage and traces subscribe to its packets.
 * A rule that needs to know an earlier packet or a queue pair does not belong here.
 *
 * This file, the monitor of the wire: decodes the frames that NICs send, reports what is wrong with a packet by itself, and publishes
 * it. What packets mean to each other is the business of its subscribers.
 */

import type { Subject, WrongValue } from '../../rdma/subject.ts';
import { aFrame, aPacket } from '../../rdma/subjectParts.ts';
import { Component } from '../../uvm/base/component.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import { Findings } from '../../uvm/report/findings.ts';
import { UVM_DEBUG } from '../../uvm/report/verbosity.ts';
import type { Run } from '../../uvm/run.ts';
import { AnalysisPort, type Subscriber } from '../../uvm/tlm/analysisPort.ts';
import type { ArrivalItem, FrameFate, FrameItem } from '../link/linkItems.ts';
import { INJECTED_TAG } from '../link/inject/injectedPacket.ts';
import { DecodedPacket, PACKET, PacketArrival, PacketDelivery, PacketFate, REACH } from './decodedPacket.ts';
import { foreignText } from './foreignFrames.ts';
import { sealOf } from './frameSeal.ts';
import { traceInjected, tracePackets, traceRawFrame } from './linkTrace.ts';
import { packetInFrame } from './packetTexts.ts';
import { problemText } from './problemTexts.ts';
import { RuleHits } from './ruleHits.ts';
import type { RuleReporter } from './ruleReporter.ts';
import { isRoceFrame } from './roceFrame.ts';
import type { TransportRule } from './transportRules.ts';
import { WireDecoder } from './wireDecoder.ts';
import { isSound, reachesTransport } from './packetSoundness.ts';
import { OPCODE } from './wireOpcodes.ts';
import { WIRE_PROBLEM_IDS, type WireReportId } from './wireRules.ts';

/** Who knows which frames are those of software. */
export interface FramesOfSoftware {
  /** Whether software has posted frames at a port of a host that have not left. */
  isExpected(host: number, port: number): boolean;
}

/**
 * Connect `LinkAgent.frames` to it, before faults, so that it judges senders only, `LinkAgent.fates` to `fated`, and
 * `LinkAgent.arrivals` to `arrived`. The report ids are those of `WIRE_REPORT_IDS`, also of the rules that subscribers check.
 */
export class WireMonitor extends Component implements Subscriber<FrameItem>, RuleReporter {
  /** Every RoCEv2 packet, also broken ones (`problems`), after its own checks. Reused: valid during the call. */
  readonly packets = new AnalysisPort<DecodedPacket>('packets');
  /** Sound packets that fault rules do something to, right after they were published. Reused, as above. */
  readonly fates = new AnalysisPort<PacketFate>('fates');
  /** Packets that reach a NIC, of those to which somebody has given a tag or a fault rule other bytes. Reused, as above. */
  readonly arrivals = new AnalysisPort<PacketArrival>('arrivals');
  /** Every sound packet that reaches a NIC, decoded from the bytes that arrive; costs something once somebody subscribes. Reused, as above. */
  readonly deliveries = new AnalysisPort<PacketDelivery>('deliveries');
  readonly decoder: WireDecoder;
  /** Queue pair that sends a packet, -1 where it is not known; for messages. Set by who knows the connections. */
  sourceQp: (packet: DecodedPacket) => number = namedSource;
  /** Rules of the transport that hold, and how often each was broken. */
  readonly rules = new RuleHits();
  /** Who knows what frames software has built; null: none. */
  software: FramesOfSoftware | null = null;
  /** Frames seen, those of other protocols, and of these the ones that software has built. */
  frames = 0;
  otherFrames = 0;
  rawFrames = 0;
  /** Packets that no NIC has sent, and that reach one. */
  injectedPackets = 0;

  readonly #findings = new Findings<WireReportId, Subject>(this);
  readonly #scheduler: Scheduler;
  readonly #packet = new DecodedPacket();
  readonly #reaching = new DecodedPacket();
  readonly #fate = new PacketFate();
  readonly #arrival = new PacketArrival();
  readonly #delivery = new PacketDelivery();

  constructor(name: string, parent: Component | Run) {
    super(name, parent);
    this.#scheduler = this.run.scheduler;
    this.decoder = new WireDecoder(this.run.bytes);
  }

  override startOfSimulationPhase(): void {
    tracePackets(this, (packet) => this.sourceQp(packet));
  }

  override checkPhase(): void {
    this.#findings.summarise();
  }

  override preAbort(): void {
    this.#findings.summarise();
  }

  /** A frame leaves a NIC. */
  write(frame: FrameItem): void {
    const p = this.#packet;
    p.host = frame.host;
    p.port = frame.port;
    p.to = frame.to;
    p.time = frame.time;
    p.handedOver = this.#scheduler.now;
    p.tag = 0;
    this.frames++;
    this.decoder.decode(frame.data, frame.length, p);
    frame.seal = sealOf(p);
    frame.icrc = p.icrc;
    if (p.kind === PACKET.other || (p.kind === PACKET.malformed && this.#isRaw(p))) {
      this.otherFrames++;
      this.#other(p);
      return;
    }
    if (p.vlan >= 0) this.#foreign(p);
    if (p.problems !== 0) this.#reportProblems(p);
    // Not by the port, whose `write` is shared with all others: here the engine knows whom it calls.
    const { subscribers } = this.packets;
    for (let i = 0; i < subscribers.length; i++) (subscribers[i] as Subscriber<DecodedPacket>).write(p);
    frame.tag = p.tag;
  }

  /** Fault rules do something to the frame that has just left its NIC. */
  fated({ duplicates, dropped, delayed, edited }: FrameFate): void {
    if (!isSound(this.#packet)) return;
    const fate = this.#fate;
    fate.packet = this.#packet;
    fate.copies = duplicates + (dropped ? 0 : 1);
    fate.delayed = delayed;
    fate.edited = edited;
    this.fates.write(fate);
  }

  /** A frame reaches a NIC. */
  arrived({ host, from, tag, data, length, edited, sentIcrc }: ArrivalItem): void {
    const injected = tag === INJECTED_TAG;
    if (injected) this.#injected(data, length, from, host);
    const delivers = this.deliveries.subscribers.length > 0 && !injected;
    const packet = edited || delivers ? this.#decodeArrived(data, length, from, host) : null;
    if (delivers && packet !== null) this.#deliver(packet, edited && packet.icrc !== sentIcrc);
    const changed = packet !== null && edited && (injected || !isAsSent(packet, sentIcrc));
    if (tag === 0 && !changed) return;
    const arrival = this.#arrival;
    arrival.host = host;
    arrival.from = from;
    arrival.injected = injected;
    arrival.reach = REACH.nothing;
    arrival.tag = injected ? 0 : tag;
    arrival.edited = changed ? packet : null;
    this.arrivals.write(arrival);
  }

  #injected(data: number, length: number, from: number, to: number): void {
    this.injectedPackets++;
    if (this.mayReport(UVM_DEBUG)) traceInjected(this, this.#decodeArrived(data, length, from, to));
  }

  #deliver(packet: DecodedPacket, edited: boolean): void {
    if (!reachesTransport(packet)) return;
    const delivery = this.#delivery;
    delivery.packet = packet;
    delivery.edited = edited;
    this.deliveries.write(delivery);
  }

  #decodeArrived(data: number, length: number, from: number, to: number): DecodedPacket {
    const p = this.#reaching;
    p.host = from;
    p.to = to;
    p.time = this.#scheduler.now;
    p.handedOver = this.#scheduler.now;
    this.decoder.decode(data, length, p);
    return p;
  }

  broken(rule: TransportRule, p: DecodedPacket, what: string, ...values: readonly WrongValue[]): void {
    if (!this.rules.found(rule)) return;
    this.#findings.error(rule.id, () => `${this.#name(p)} ${what}`, [...this.#subject(p), ...values]);
  }

  brokenAtRest(rule: TransportRule, text: () => string, about: Subject): void {
    if (this.rules.found(rule)) this.#findings.error(rule.id, text, about);
  }

  /** A frame of another protocol: software has built it, or nobody asked for it. */
  #other(p: DecodedPacket): void {
    if (this.#isRaw(p)) {
      this.rawFrames++;
      traceRawFrame(this, p);
    } else this.#foreign(p);
  }

  #isRaw({ host, port, frame, frameLength }: DecodedPacket): boolean {
    if (this.software?.isExpected(host, port) !== true) return false;
    return !isRoceFrame(this.run.bytes.u8, frame, frameLength);
  }

  /** What nobody asked for: software gives a NIC no other protocol to speak, and no VLAN. */
  #foreign(p: DecodedPacket): void {
    const text = (): string => foreignText(p, this.run.bytes.u8);
    this.#findings.error('WIRE_FOREIGN', text, [aFrame(p.host, p.time)]);
  }

  #subject(p: DecodedPacket): Subject {
    return [aPacket(p, this.sourceQp(p))];
  }

  #name(p: DecodedPacket): string {
    return packetInFrame(p, this.sourceQp(p));
  }

  #reportProblems(p: DecodedPacket): void {
    for (let bit = 0; bit < WIRE_PROBLEM_IDS.length; bit++) {
      if ((p.problems & (1 << bit)) === 0) continue;
      const text = (): string => `${this.#name(p)} ${problemText(p, 1 << bit, this.run.bytes.u8)}`;
      this.#findings.error(WIRE_PROBLEM_IDS[bit] as WireReportId, text, this.#subject(p));
    }
  }
}

/**
 * Whether a packet on which a fault rule has acted says what it said when it was sent: all that its invariant CRC covers. The
 * rest, as marks of congestion, is not what a transport goes by.
 */
function isAsSent(p: DecodedPacket, sentIcrc: number): boolean {
  return p.icrc === sentIcrc && reachesTransport(p);
}

function namedSource(p: DecodedPacket): number {
  return (p.flags & OPCODE.deth) !== 0 ? p.sourceQp : -1;
}
