/** Meta-report worker: takes reports out of all report rings by turns and decodes them (blue-rdma.md section 5.3). */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { PACKET_REPORT, READ_REPORT, WINDOW_REPORT } from '../../layout/descriptors.ts';
import { INDEX_SHIFT } from '../../layout/limits.ts';
import type { BlueQp } from '../blueObjects.ts';
import type { ToHostRing } from '../rings/toHostRing.ts';
import { WINDOW_WORDS, WindowBits } from '../tracking/windowBits.ts';
import type { Worker } from '../worker.ts';

/** A packet as it is reported. One object serves all. */
export class PacketReport {
  opcode = 0;
  imm = 0;
  rkey = 0;
  vaHi = 0;
  vaLo = 0;
  total = 0;
  retry = false;
  ackRequest = false;
  solicited = false;
  psn = 0;
  msn = 0;
  /** Of a READ request. */
  localHi = 0;
  localLo = 0;
  lkey = 0;
}

/** What reports are for. */
export interface ReportUser {
  packet(qp: BlueQp, report: PacketReport): void;
  localAck(qp: BlueQp, now: WindowBits): void;
  localNak(qp: BlueQp, before: WindowBits, now: WindowBits): void;
  driverAck(qp: BlueQp, end: number): void;
  driverNak(qp: BlueQp, base: number, end: number): void;
  hardwareNak(qp: BlueQp, sequence: number, before: WindowBits, now: WindowBits): void;
  /** The timer of a queue pair begins anew. */
  restarted(qp: BlueQp): void;
}

export class ReportReader {
  /** Set once after construction. */
  worker!: Worker;
  /** Reports that mean nothing: unknown queue pair, opcode or combination of flags. */
  ignored = 0;
  #rings: readonly ToHostRing[] = [];
  readonly #qps: readonly (BlueQp | null)[];
  readonly #user: ReportUser;
  readonly #packet = new PacketReport();
  readonly #now = new WindowBits();
  readonly #before = new WindowBits();

  /** @param qps by index */
  constructor(qps: readonly (BlueQp | null)[], user: ReportUser) {
    this.#qps = qps;
    this.#user = user;
  }

  open(rings: readonly ToHostRing[], depth: number): void {
    this.#rings = rings;
    for (const ring of rings) ring.open(depth);
  }

  close(): void {
    for (const ring of this.#rings) ring.close();
    this.#rings = [];
  }

  /** The NIC has written there; upper half 0. */
  written(lo: number): boolean {
    if (!this.#rings.some((ring) => ring.holds(lo))) return false;
    this.worker.wake();
    return true;
  }

  work(): void {
    let left = this.#rings.reduce((sum, { depth }) => sum + depth, 0);
    for (let found = true; found && left > 0; ) {
      found = false;
      for (const ring of this.#rings) {
        if (!ring.take()) continue;
        found = true;
        left--;
        this.#report(ring);
      }
    }
    if (left <= 0) this.worker.wake();
    for (const ring of this.#rings) ring.publish();
  }

  #report(ring: ToHostRing): void {
    if (ring.opcode === BTH_OP.acknowledge) this.#window(ring);
    else this.#header(ring);
  }

  #header({ first: w, second: v, opcode, isPair }: ToHostRing): void {
    const qp = this.#find((w[PACKET_REPORT.qpn.word] as number) >>> PACKET_REPORT.qpn.shift);
    if (qp === null || isPair !== (opcode === BTH_OP.readRequest)) {
      this.ignored++;
      return;
    }
    const p = this.#packet;
    const flags = w[PACKET_REPORT.psn.word] as number;
    p.opcode = opcode;
    p.imm = w[PACKET_REPORT.imm] as number;
    p.rkey = w[PACKET_REPORT.rkey] as number;
    p.vaLo = w[PACKET_REPORT.vaLo] as number;
    p.vaHi = w[PACKET_REPORT.vaHi] as number;
    p.total = (w[PACKET_REPORT.total] as number) >>> 0;
    p.retry = (flags & PACKET_REPORT.retry) !== 0;
    p.ackRequest = (flags & PACKET_REPORT.ackRequest) !== 0;
    p.solicited = (flags & PACKET_REPORT.solicited) !== 0;
    p.psn = flags >>> PACKET_REPORT.psn.shift;
    p.msn = (w[PACKET_REPORT.msn.word] as number) & PACKET_REPORT.msn.mask;
    if (isPair) {
      p.lkey = v[READ_REPORT.lkey] as number;
      p.localLo = v[READ_REPORT.localLo] as number;
      p.localHi = v[READ_REPORT.localHi] as number;
    }
    this.#user.packet(qp, p);
  }

  #window({ first: w, second: v, isPair }: ToHostRing): void {
    const low = (w[WINDOW_REPORT.qpnLow.word] as number) >>> WINDOW_REPORT.qpnLow.shift;
    const qp = this.#find((((w[WINDOW_REPORT.qpnHigh.word] as number) & WINDOW_REPORT.qpnHigh.mask) << 16) | low);
    const flags = w[7] as number;
    const byDriver = (flags & WINDOW_REPORT.byDriver) !== 0;
    const local = (flags & WINDOW_REPORT.byLocalHardware) !== 0;
    if (qp === null || (byDriver && local) || (!byDriver && !local && !isPair)) {
      this.ignored++;
      return;
    }
    const psnNow = (w[WINDOW_REPORT.psnNow.word] as number) >>> WINDOW_REPORT.psnNow.shift;
    const psnBefore = (w[WINDOW_REPORT.psnBefore.word] as number) >>> WINDOW_REPORT.psnBefore.shift;
    if (byDriver) {
      if (isPair) this.#user.driverNak(qp, psnBefore, psnNow);
      else this.#user.driverAck(qp, psnNow);
      return;
    }
    this.place(this.#now, psnNow);
    this.#copy(this.#now, w);
    if (!isPair) {
      this.#user.localAck(qp, this.#now);
      return;
    }
    this.place(this.#before, psnBefore);
    this.#copy(this.#before, v);
    const sequence = (w[WINDOW_REPORT.sequence.word] as number) & WINDOW_REPORT.sequence.mask;
    if (local) this.#user.localNak(qp, this.#before, this.#now);
    else this.#user.hardwareNak(qp, sequence, this.#before, this.#now);
  }

  /** Tells that all timers are to begin anew; for planting. */
  protected restartAll(): void {
    for (const qp of this.#qps) if (qp?.running === true) this.#user.restarted(qp);
  }

  /** Overridable for planting. */
  protected place(window: WindowBits, psnOfStride: number): void {
    window.place(psnOfStride);
  }

  #copy(window: WindowBits, words: Int32Array): void {
    for (let i = 0; i < WINDOW_WORDS; i++) window.words[i] = words[i] as number;
  }

  #find(qpn: number): BlueQp | null {
    const qp = this.#qps[qpn >>> INDEX_SHIFT] ?? null;
    return qp !== null && qp.qpn === qpn && qp.running ? qp : null;
  }
}
