/**
 * The blue-rdma NIC (blue-rdma.md): builds the blocks, joins them to the two ports, and routes what arrives.
 *
 *   BAR 0 ─ registers ─ rings ─ send queue ─ send unit ─ port ─ link        link ─ MAC ─ receive unit ─ reports ─ rings
 *                         ├─ command unit ─ tables                                  └ raw unit ─ slots
 *                         └─ raw unit ─ port
 *
 * It keeps no state of a connection but addresses and a bitmap: what needs more is the driver's.
 */
import { CPL_STATUS } from '../../nic.ts';
import type { Frame, LinkUpstream, Nic, NicContext, PcieUpstream, Tlp } from '../../nic.ts';
import { BLUE_BLOCKS, type BlueBlocks } from './blueBlocks.ts';
import type { BlueConfig } from './blueConfig.ts';
import type { CommandTargets, CommandUnit } from './commandUnit.ts';
import type { ControlUnit } from './controlUnit.ts';
import { BlueCore } from './core.ts';
import type { FetchRing } from './fetchRing.ts';
import type { FrameUser, MacReceiver } from './macReceiver.ts';
import type { MrTable } from './mrTable.ts';
import { Port } from './port.ts';
import type { PsnWindows } from './psnWindows.ts';
import { QpTable } from './qpTable.ts';
import type { RawUnit } from './rawUnit.ts';
import { MOST_REPORTS, type ReceiveUnit } from './receiveUnit.ts';
import { type BlueRings, Registers } from './registers.ts';
import type { ReportRing, ReportUser } from './reportRing.ts';
import type { SendQueue } from './sendQueue.ts';
import type { SendUnit } from './sendUnit.ts';

export class BlueNic implements Nic, CommandTargets, FrameUser, ReportUser {
  readonly core: BlueCore;
  readonly qps: QpTable;
  readonly mrs: MrTable;
  readonly windows: PsnWindows;
  readonly registers: Registers;
  readonly rings: BlueRings;
  readonly commands: CommandUnit;
  readonly mac: MacReceiver;
  readonly raw: RawUnit;
  readonly send: SendUnit;
  readonly receiver: ReceiveUnit;
  readonly #queue: SendQueue;
  readonly #control: ControlUnit;
  #host!: PcieUpstream;

  /** @param blocks classes in place of the usual ones */
  constructor(context: NicContext, config: BlueConfig, blocks: Partial<BlueBlocks> = {}) {
    const made = { ...BLUE_BLOCKS, ...blocks };
    const core = new BlueCore(context, config);
    this.core = core;
    this.qps = new QpTable(config.qpEntries);
    this.mrs = new made.mrs(config.mrEntries, config.pageEntries);
    this.windows = new made.windows(config.qpEntries);
    const writer = new made.writer(core.bytes, core);
    const port = new Port(core);
    this.commands = new made.commands(core, this);
    this.raw = new made.raw(core, port);
    this.#queue = new made.sendQueue(core);
    this.send = new made.send(core, this.#queue, this.mrs, this.qps, writer, port);
    this.#control = new made.control(core, this.qps, writer, port);
    const channels = Array.from({ length: config.channels }, (_, i) => i);
    this.rings = {
      send: channels.map((i) => new made.fetchRing(core, this.#queue, i)),
      report: channels.map(() => new made.reportRing(core)),
      commandRequest: new made.fetchRing(core, this.commands),
      commandResponse: new made.reportRing(core),
      rawSend: new made.fetchRing(core, this.raw),
      rawReceive: new made.reportRing(core),
    };
    const checks = new made.checks(this.qps, this.mrs);
    const reports = new made.reports(core, this.rings.report);
    const { qps, mrs, windows } = this;
    this.receiver = new made.receive(core, { qps, mrs, windows, checks, reports, control: this.#control });
    this.mac = new made.mac(core);
    this.registers = new Registers(core, this.rings);
    this.#join(port);
  }

  connect(host: PcieUpstream, links: readonly LinkUpstream[]): void {
    const link = links[0] as LinkUpstream;
    this.#host = host;
    this.core.dma.connect(host);
    this.core.link = link;
    this.send.connect();
    this.core.reset();
  }

  reset(): void {
    this.core.reset();
    this.qps.reset();
    this.mrs.reset();
    this.registers.reset();
    for (const ring of this.#rings()) ring.reset();
    this.commands.reset();
    this.raw.reset();
    this.#queue.reset();
    this.send.reset();
    this.mac.reset();
    this.receiver.reset();
    this.#control.reset();
  }

  barWrite(tlp: Tlp): void {
    this.registers.write(tlp);
  }

  barRead(tlp: Tlp): void {
    const value = this.registers.read(tlp.bar, tlp.lo);
    const m = this.core.bytes.u8;
    for (let i = 0; i < tlp.length; i++) m[tlp.data + i] = value >>> (8 * ((tlp.lo + i) & 3));
    this.#host.complete(tlp, CPL_STATUS.success);
  }

  completion(tlp: Tlp): void {
    this.core.dma.completion(tlp);
  }

  receive(frame: Frame): void {
    this.mac.receive(frame);
  }

  canReceive(): boolean {
    // Every ring must have room: whose packet it is shows only later.
    let room = true;
    for (const ring of this.rings.report) if (!ring.hasRoom(MOST_REPORTS)) room = false;
    return room;
  }

  rdmaFrame(block: number, data: number, length: number): void {
    this.receiver.frame(block, data, length);
  }

  rawFrame(block: number, data: number, length: number): void {
    this.raw.receive(block, data, length);
  }

  roomForReports(): void {
    this.mac.goOn();
  }

  qpBegins(index: number): void {
    this.receiver.begins(index);
  }

  afterReads(then: () => void): void {
    this.send.afterReads(then);
  }

  setRawSlots(hi: number, lo: number): void {
    this.raw.setSlots(hi, lo);
  }

  #join(port: Port): void {
    const { rings } = this;
    port.debug = this.registers.debug;
    port.receive = (frame) => this.mac.receive(frame);
    this.#queue.rings = rings.send;
    this.#queue.user = this.send;
    this.commands.responses = rings.commandResponse;
    this.commands.more = () => rings.commandRequest.fetch();
    rings.commandResponse.user = this.commands;
    this.raw.received = rings.rawReceive;
    this.raw.more = () => rings.rawSend.fetch();
    for (const ring of rings.report) ring.user = this;
    this.mac.user = this;
  }

  #rings(): readonly (FetchRing | ReportRing)[] {
    const { send, report, commandRequest, commandResponse, rawSend, rawReceive } = this.rings;
    return [...send, ...report, commandRequest, commandResponse, rawSend, rawReceive];
  }
}
