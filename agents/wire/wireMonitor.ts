/**
 * The room of packets: code of its own that decodes frames (`wireDecoder`, `wireHeaders`, `wireIcrc`), and the rules that one
 * packet, or one path, can break by itself (`wireRules`, `pathChecker`). It shares no code with the codec of the NIC models.
 * `agents/link` feeds it every frame before faults; `scoreboard/reference`, coverage and traces subscribe to its packets.
 * A rule that needs to know an earlier packet or a queue pair does not belong here.
 *
 * This file, the monitor of the wire: decodes the frames that NICs send, reports what is wrong with a packet by itself, and publishes
 * it. What packets mean to each other is the business of its subscribers.
 */

import { Component } from '../../uvm/base/component.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import { Findings } from '../../uvm/report/findings.ts';
import type { Run } from '../../uvm/run.ts';
import { AnalysisPort, type Subscriber } from '../../uvm/tlm/analysisPort.ts';
import type { FrameItem } from '../link/linkItems.ts';
import { DecodedPacket, PACKET } from './decodedPacket.ts';
import { foreignText } from './foreignFrames.ts';
import { tracePackets } from './linkTrace.ts';
import { packetInFrame } from './packetTexts.ts';
import { problemText } from './problemTexts.ts';
import type { RuleReporter } from './ruleReporter.ts';
import { WireDecoder } from './wireDecoder.ts';
import { OPCODE } from './wireOpcodes.ts';
import { PROBLEM, WIRE_PROBLEM_IDS, type WireReportId } from './wireRules.ts';

/**
 * Connect `LinkAgent.frames` to it, before faults, so that it judges senders only, and `LinkAgent.duplicates` to
 * `duplicated`. The report ids are those of `WIRE_REPORT_IDS`, also of the rules that subscribers check.
 */
export class WireMonitor extends Component implements Subscriber<FrameItem>, RuleReporter {
  /** Every RoCEv2 packet, also broken ones (`problems`), after its own checks. Reused: valid during the call. */
  readonly packets = new AnalysisPort<DecodedPacket>('packets');
  /** A request that has just left its NIC is delivered once more. Reused, as above. */
  readonly repeats = new AnalysisPort<DecodedPacket>('repeats');
  readonly decoder: WireDecoder;
  /** Queue pair that sends a packet, -1 where it is not known; for messages. Set by who knows the connections. */
  sourceQp: (packet: DecodedPacket) => number = namedSource;
  /** Frames seen, and those of other protocols. */
  frames = 0;
  otherFrames = 0;

  readonly #findings = new Findings(this);
  readonly #scheduler: Scheduler;
  readonly #packet = new DecodedPacket();

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
    p.to = frame.to;
    p.time = frame.time;
    p.handedOver = this.#scheduler.now;
    this.frames++;
    this.decoder.decode(frame.data, frame.length, p);
    if (p.kind === PACKET.other) {
      this.otherFrames++;
      this.#foreign(p);
      return;
    }
    if (p.vlan >= 0) this.#foreign(p);
    if (p.problems !== 0) this.#reportProblems(p);
    // Not by the port, whose `write` is shared with all others: here the engine knows whom it calls.
    const { subscribers } = this.packets;
    for (let i = 0; i < subscribers.length; i++) (subscribers[i] as Subscriber<DecodedPacket>).write(p);
  }

  /** A frame that has just left its NIC is delivered once more. */
  duplicated(frame: FrameItem): void {
    const p = this.#packet;
    this.decoder.decode(frame.data, frame.length, p);
    if (!isSound(p) || (p.flags & OPCODE.request) === 0) return;
    p.host = frame.host;
    p.to = frame.to;
    this.repeats.write(p);
  }

  broken(id: WireReportId, p: DecodedPacket, what: string): void {
    this.#findings.error(id, () => `${this.#name(p)} ${what}`);
  }

  brokenAtRest(id: WireReportId, text: () => string): void {
    this.#findings.error(id, text);
  }

  /** What nobody asked for: software gives a NIC no other protocol to speak, and no VLAN. */
  #foreign(p: DecodedPacket): void {
    const text = (): string => foreignText(p, this.run.bytes.u8);
    this.#findings.error('WIRE_FOREIGN', text);
  }

  #name(p: DecodedPacket): string {
    return packetInFrame(p, this.sourceQp(p));
  }

  #reportProblems(p: DecodedPacket): void {
    for (let bit = 0; bit < WIRE_PROBLEM_IDS.length; bit++) {
      if ((p.problems & (1 << bit)) === 0) continue;
      const text = (): string => `${this.#name(p)} ${problemText(p, 1 << bit, this.run.bytes.u8)}`;
      this.#findings.error(WIRE_PROBLEM_IDS[bit] as WireReportId, text);
    }
  }
}

/** Whether a packet means what its headers say: it could be decoded to the end, and its invariant CRC is right. */
export function isSound(p: DecodedPacket): boolean {
  return p.kind === PACKET.roce && (p.problems & PROBLEM.icrc) === 0;
}

function namedSource(p: DecodedPacket): number {
  return (p.flags & OPCODE.deth) !== 0 ? p.sourceQp : -1;
}
