/**
 * Receive pipeline (blue-rdma.md section 10). For an accepted packet the payload is written first, then its bit is set,
 * then what there is to report: all in the order of posted writes, so that no report overtakes what it promises.
 */
import { INDEX_SHIFT } from '../layout/limits.ts';
import type { EventHandler } from '../../../uvm/kernel/scheduler.ts';
import { psnCmp } from '../../roce/psn.ts';
import { ACK_REPORT } from './blueConfig.ts';
import type { BlueCore } from './core.ts';
import type { MrTable } from './mrTable.ts';
import type { PacketChecks } from './packetChecks.ts';
import { WINDOW_STEP, type PsnWindows } from './psnWindows.ts';
import type { QpTable } from './qpTable.ts';
import { PACKET_KIND, ReceivedPacket } from './receivedPacket.ts';
import type { Reports } from './reports.ts';

/** What the pipeline has the NIC send. */
export interface ControlPackets {
  /** The window of a queue pair has moved over a hole. */
  lost(index: number, windows: PsnWindows, sequence: number): void;
  congestion(index: number): void;
}

export interface ReceiveParts {
  readonly qps: QpTable;
  readonly mrs: MrTable;
  readonly windows: PsnWindows;
  readonly checks: PacketChecks;
  readonly reports: Reports;
  readonly control: ControlPackets;
}

/** Most descriptors that one packet is reported with: READ request or last packet, loss, and bitmap. */
export const MOST_REPORTS = 5;
/** An idle report that finds no room tries again after so many clock cycles. */
const RETRY_CYCLES = 64;

export class ReceiveUnit implements EventHandler {
  protected readonly core: BlueCore;
  protected readonly parts: ReceiveParts;
  readonly packet = new ReceivedPacket();
  /** By queue pair: its next loss has this number, when its last packet came, what is not reported yet. */
  readonly #sequence: Uint16Array;
  readonly #lastAt: Float64Array;
  readonly #changed: Uint8Array;
  readonly #timed: Uint8Array;
  #life = 0;

  constructor(core: BlueCore, parts: ReceiveParts) {
    const n = parts.qps.entries;
    this.core = core;
    this.parts = parts;
    this.#sequence = new Uint16Array(n);
    this.#lastAt = new Float64Array(n);
    this.#changed = new Uint8Array(n);
    this.#timed = new Uint8Array(n);
  }

  reset(): void {
    this.#life++;
    this.#changed.fill(0);
    this.#timed.fill(0);
  }

  /** A queue pair has become valid. */
  begins(index: number): void {
    this.#sequence[index] = 0;
    this.#changed[index] = 0;
  }

  frame(block: number, data: number, length: number): void {
    const p = this.packet;
    if (!p.parse(this.core.bytes.u8, data, length)) {
      this.core.count(0, 'header');
      return;
    }
    const failed = this.parts.checks.failed(p);
    if (failed !== null) this.core.count(this.core.channelOf(p.destQpn >>> INDEX_SHIFT), failed);
    else if (p.kind === PACKET_KIND.acknowledge) this.parts.reports.peerWindow(p);
    else if (p.kind !== PACKET_KIND.congestion) this.accept(p.destQpn >>> INDEX_SHIFT, p, block);
  }

  /** The quiet time of a queue pair may be over. */
  fire(arg: number): void {
    const { core } = this;
    const index = arg % this.parts.qps.entries;
    if (Math.floor(arg / this.parts.qps.entries) !== this.#life) return;
    this.#timed[index] = 0;
    if (this.#changed[index] === 0 || this.parts.qps.valid[index] === 0) return;
    const due = (this.#lastAt[index] as number) + core.cycles(core.config.idleCycles);
    const qpn = this.parts.qps.qpn[index] as number;
    if (due > core.scheduler.now) this.#timer(index, due);
    else if (!this.parts.reports.ringOf(qpn).hasRoom(1)) {
      this.#timer(index, core.scheduler.now + core.cycles(RETRY_CYCLES));
    } else this.#reportWindow(index);
  }

  /** Overridable for planting, as what follows. */
  protected accept(index: number, p: ReceivedPacket, block: number): void {
    if (p.bytes > 0 && !this.belowFloor(index, p)) this.writePayload(p, block);
    const step = this.mark(index, p);
    if (this.isReported(p)) this.parts.reports.packet(p);
    if (p.congestion) this.parts.control.congestion(index);
    if (step === WINDOW_STEP.lost) this.loss(index);
    else if (step !== WINDOW_STEP.behind && step !== WINDOW_STEP.again) this.#changes(index);
    const afterLast = this.core.config.ackReport !== ACK_REPORT.idle && p.last;
    if (afterLast && this.#changed[index] === 1) this.#reportWindow(index);
  }

  protected mark(index: number, p: ReceivedPacket): number {
    return this.parts.windows.accept(index, p.psn);
  }

  protected writePayload(p: ReceivedPacket, block: number): void {
    const { mrs } = this.parts;
    mrs.translate(p.rkey, p.vaHi, p.vaLo);
    this.core.dma.write(mrs.paHi, mrs.paLo, p.bytes, p.payload, block);
  }

  protected belowFloor(index: number, p: ReceivedPacket): boolean {
    const { qps } = this.parts;
    if (this.core.config.psnFloor === 0 || qps.floorSet[index] === 0) return false;
    return psnCmp(p.psn, qps.floor[index] as number) < 0;
  }

  /** Ends of messages, READ requests, and whatever is sent again. */
  protected isReported(p: ReceivedPacket): boolean {
    return p.first || p.last || p.retry;
  }

  /** Both the driver and the peer are told. */
  protected loss(index: number): void {
    const sequence = this.nextSequence(index);
    this.parts.reports.localWindow(this.parts.qps.qpn[index] as number, this.parts.windows, true, sequence);
    this.#changed[index] = 0;
    this.parts.control.lost(index, this.parts.windows, sequence);
  }

  /** A bitmap without a loss. */
  protected reportWindow(index: number): void {
    this.parts.reports.localWindow(this.parts.qps.qpn[index] as number, this.parts.windows, false, 0);
  }

  protected nextSequence(index: number): number {
    const sequence = this.#sequence[index] as number;
    this.#sequence[index] = sequence + 1;
    return sequence;
  }

  #reportWindow(index: number): void {
    this.#changed[index] = 0;
    this.reportWindow(index);
  }

  #changes(index: number): void {
    const { now } = this.core.scheduler;
    this.#lastAt[index] = now;
    this.#changed[index] = 1;
    const waits = this.core.config.ackReport !== ACK_REPORT.afterLast;
    if (waits && this.#timed[index] === 0) this.#timer(index, now + this.core.cycles(this.core.config.idleCycles));
  }

  #timer(index: number, at: number): void {
    this.#timed[index] = 1;
    this.core.scheduler.scheduleAt(at, this, this.#life * this.parts.qps.entries + index);
  }
}
