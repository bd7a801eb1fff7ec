/** Writes reports of packets and bitmaps (blue-rdma.md section 5.3) into the report ring of a queue pair's channel. */
import { BTH_OP } from '../../../rdma/bth.ts';
import { PACKET_REPORT, READ_REPORT, WINDOW_REPORT } from '../layout/descriptors.ts';
import { INDEX_SHIFT } from '../layout/limits.ts';
import { WINDOW_ETH } from '../layout/wire.ts';
import type { BlueCore } from './core.ts';
import type { PsnWindows } from './psnWindows.ts';
import { PACKET_KIND, type ReceivedPacket } from './receivedPacket.ts';
import type { ReportRing } from './reportRing.ts';

/** Words of a bitmap. */
const WORDS = 4;

export class Reports {
  protected readonly core: BlueCore;
  readonly #rings: readonly ReportRing[];

  constructor(core: BlueCore, rings: readonly ReportRing[]) {
    this.core = core;
    this.#rings = rings;
  }

  ringOf(qpn: number): ReportRing {
    return this.#rings[this.core.channelOf(qpn >>> INDEX_SHIFT)] as ReportRing;
  }

  /** Header of a packet; a READ request has a second descriptor. */
  packet(p: ReceivedPacket): void {
    const ring = this.ringOf(p.destQpn);
    const isRead = p.kind === PACKET_KIND.readRequest;
    const at = ring.begin(p.opcode, isRead);
    const w = this.core.bytes.i32;
    w[at + PACKET_REPORT.imm] = this.immOf(p);
    w[at + PACKET_REPORT.rkey] = p.rkey;
    w[at + PACKET_REPORT.vaLo] = p.vaLo;
    w[at + PACKET_REPORT.vaHi] = p.vaHi;
    w[at + PACKET_REPORT.total] = p.length;
    w[at + PACKET_REPORT.qpn.word] = p.destQpn << PACKET_REPORT.qpn.shift;
    w[at + PACKET_REPORT.psn.word] = (p.psn << PACKET_REPORT.psn.shift) | this.flagsOf(p);
    w[at + PACKET_REPORT.msn.word] = (w[at + PACKET_REPORT.msn.word] as number) | p.msn;
    if (isRead) this.#readExtension(ring, p);
    ring.written();
  }

  /** Bitmap of a receive queue; with the one before, of which something is lost, when `lost`. */
  localWindow(qpn: number, windows: PsnWindows, lost: boolean, sequence: number): void {
    const index = qpn >>> INDEX_SHIFT;
    const ring = this.ringOf(qpn);
    const flags = WINDOW_REPORT.byLocalHardware | (lost ? WINDOW_REPORT.lost | WINDOW_REPORT.slid : 0);
    const at = ring.begin(BTH_OP.acknowledge, lost);
    for (let n = 0; n < WORDS; n++) this.core.bytes.i32[at + n] = windows.word(index, n);
    this.#windowFields(at, qpn, sequence, windows.psnNow(index), lost ? windows.psnBefore : 0, flags);
    if (lost) {
      const second = ring.begin(BTH_OP.acknowledge, false);
      for (let n = 0; n < WORDS; n++) this.core.bytes.i32[second + n] = windows.before[n] as number;
    }
    ring.written();
  }

  /** Acknowledgement of the peer. */
  peerWindow(p: ReceivedPacket): void {
    const ring = this.ringOf(p.destQpn);
    const slid = (p.windowFlags & WINDOW_ETH.slid) !== 0;
    const flags =
      (slid ? WINDOW_REPORT.slid : 0) |
      ((p.windowFlags & WINDOW_ETH.lost) === 0 ? 0 : WINDOW_REPORT.lost) |
      ((p.windowFlags & WINDOW_ETH.byDriver) === 0 ? 0 : WINDOW_REPORT.byDriver);
    const { u8 } = this.core.bytes;
    const at = ring.begin(BTH_OP.acknowledge, slid);
    for (let n = 0; n < WORDS; n++) this.core.bytes.i32[at + n] = p.window(u8, 'now', n);
    this.#windowFields(at, p.destQpn, p.msn, p.psn, p.psnBefore, flags);
    if (slid) {
      const second = ring.begin(BTH_OP.acknowledge, false);
      for (let n = 0; n < WORDS; n++) this.core.bytes.i32[second + n] = p.window(u8, 'before', n);
    }
    ring.written();
  }

  /** Immediate of a report; overridable for planting, as what follows. */
  protected immOf(p: ReceivedPacket): number {
    return p.imm;
  }

  protected flagsOf(p: ReceivedPacket): number {
    return (
      (p.retry ? PACKET_REPORT.retry : 0) |
      (p.ackRequest ? PACKET_REPORT.ackRequest : 0) |
      (p.solicited ? PACKET_REPORT.solicited : 0) |
      (p.congestion ? PACKET_REPORT.congestion : 0)
    );
  }

  #readExtension(ring: ReportRing, p: ReceivedPacket): void {
    const at = ring.begin(p.opcode, false);
    const w = this.core.bytes.i32;
    w[at + READ_REPORT.lkey] = p.lkey;
    w[at + READ_REPORT.localLo] = p.localLo;
    w[at + READ_REPORT.localHi] = p.localHi;
    w[at + READ_REPORT.total] = p.length;
  }

  #windowFields(at: number, qpn: number, sequence: number, psnNow: number, psnBefore: number, flags: number): void {
    const w = this.core.bytes.i32;
    w[at + WINDOW_REPORT.sequence.word] = (sequence & 0xffff) | (qpn << WINDOW_REPORT.qpnLow.shift);
    w[at + WINDOW_REPORT.psnNow.word] = ((qpn >>> 16) & 0xff) | (psnNow << WINDOW_REPORT.psnNow.shift);
    w[at + WINDOW_REPORT.psnBefore.word] = psnBefore << WINDOW_REPORT.psnBefore.shift;
    w[at + 7] = (w[at + 7] as number) | flags;
  }
}
