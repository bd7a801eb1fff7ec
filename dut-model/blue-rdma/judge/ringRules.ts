/**
 * Rules of the rings of a host (blue-rdma.md sections 4 and 5), from what crosses its PCIe port: pointers, blocks, valid bits,
 * reserved bits, and reports that are held against what has reached the NIC.
 */
import { aRing } from '../../../rdma/subjectParts.ts';
import type { Subject } from '../../../rdma/subject.ts';
import {
  CHANNEL_STRIDE,
  COMMAND_REQUEST_RING,
  COMMAND_RESPONSE_RING,
  RAW_RECEIVE_RING,
  RAW_SEND_RING,
  REGISTER,
  REPORT_RING,
  RING_ALIGNMENT,
  RING_REGISTER,
  SEND_RING,
} from '../layout/registers.ts';
import { DESCRIPTOR_BYTES, DESCRIPTOR_WORDS, HEADER, PACKET_REPORT, WINDOW_REPORT } from '../layout/descriptors.ts';
import { type CompletionItem, TLP_KIND, type Tlp } from '../../../agents/pcie/pcieItems.ts';
import type { ByteStore } from '../../../uvm/bytes/byteStore.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import type { Findings } from '../../../uvm/report/findings.ts';
import { ReportRing, SendRing } from './handovers.ts';
import { psnSteps } from './psnOrder.ts';
import type { BlueReportId } from './reportIds.ts';
import type { WireRules } from './wireRules.ts';

/** Bytes of the aligned blocks within which descriptors are read, and written, at once. */
const READ_BYTES = 512;
const WRITE_BYTES = 128;
const CHANNELS = 4;
/** Bits 13:9 of the common header. */
const HEADER_RESERVED = 0x1f << 25;
const ACKNOWLEDGE = 0x11;

/** Packets so far behind the newest one that was sent are surely in the window. */
const RECENT = 64;

interface Clock {
  readonly now: SimTime;
}

class Ring {
  readonly name: string;
  /** Address of its registers. */
  readonly register: number;
  readonly toCard: boolean;
  readonly isSend: boolean;
  readonly isReport: boolean;
  base = 0;
  /** The pointer of the driver, as it has reached the NIC: head of rings to the card, tail of rings to the host. */
  pointer = 0;
  /** Descriptors that the NIC has read or written, modulo twice the depth. */
  moved = 0;
  isOpen = false;
  /** What is handed over by it, where it is a send ring, and what its driver hears by it, where it is a report ring. */
  sends: SendRing | null = null;
  reports: ReportRing | null = null;

  constructor(name: string, register: number, toCard: boolean) {
    this.name = name;
    this.register = register;
    this.toCard = toCard;
    this.isSend = name.startsWith('send');
    this.isReport = name.startsWith('report');
  }
}

export class RingRules {
  /** Descriptors that have been judged. */
  judged = 0;
  readonly #host: number;
  readonly #bytes: ByteStore;
  readonly #findings: Findings<BlueReportId, Subject>;
  readonly #wire: WireRules;
  readonly #clock: Clock;
  readonly #rings: readonly Ring[];
  #depth = 0;
  #broken = false;

  constructor(
    host: number,
    bytes: ByteStore,
    findings: Findings<BlueReportId, Subject>,
    wire: WireRules,
    clock: Clock,
  ) {
    this.#clock = clock;
    this.#host = host;
    this.#bytes = bytes;
    this.#findings = findings;
    this.#wire = wire;
    const channels = Array.from({ length: CHANNELS }, (_, i) => [
      new Ring(`send ring ${i}`, CHANNEL_STRIDE * i + SEND_RING, true),
      new Ring(`report ring ${i}`, CHANNEL_STRIDE * i + REPORT_RING, false),
    ]).flat();
    this.#rings = [
      ...channels,
      new Ring('command ring', COMMAND_REQUEST_RING, true),
      new Ring('response ring', COMMAND_RESPONSE_RING, false),
      new Ring('raw send ring', RAW_SEND_RING, true),
      new Ring('raw receive ring', RAW_RECEIVE_RING, false),
    ];
  }

  /** The driver accesses a register. */
  access(t: Tlp): void {
    if (t.kind !== TLP_KIND.memWrite) {
      if (t.lo === REGISTER.ringDepth && t.length === 4) this.#depth = this.#word(t.data, 0);
      return;
    }
    const ring = this.#rings.find(({ register }) => t.lo >= register && t.lo < register + 0x10);
    if (ring === undefined || t.length !== 4) return;
    const value = this.#word(t.data, 0) >>> 0;
    switch (t.lo - ring.register) {
      case RING_REGISTER.baseLow:
        this.#open(ring, value);
        break;
      case RING_REGISTER.head:
        if (ring.toCard) this.#headMoves(ring, value);
        break;
      case RING_REGISTER.tail:
        if (!ring.toCard) this.#tailMoves(ring, value);
        break;
      default:
        break;
    }
  }

  /** The NIC reads or writes host memory. */
  request(t: Tlp): void {
    if (t.hi !== 0 || t.interrupt || t.length === 0) return;
    const ring = this.#ringAt(t.lo >>> 0, t.kind !== TLP_KIND.memWrite);
    if (ring !== null) this.#descriptors(ring, t);
  }

  /** The NIC is given what it has read. */
  answered({ tlp, lost }: CompletionItem): void {
    if (tlp.hi !== 0 || (tlp.remaining > 0 && !lost)) return;
    const ring = this.#ringAt(tlp.lo >>> 0, true);
    if (ring === null || this.#broken) return;
    if (lost) {
      this.#wire.handoversUnknown(this.#host);
      return;
    }
    const slot = ((tlp.lo >>> 0) - ring.base) / DESCRIPTOR_BYTES;
    for (let i = 0; (i + 1) * DESCRIPTOR_BYTES <= tlp.length; i++)
      this.#whole(ring, tlp.data + i * DESCRIPTOR_BYTES, slot + i);
  }

  get #mask(): number {
    return 2 * this.#depth - 1;
  }

  #ringAt(lo: number, toCard: boolean): Ring | null {
    for (const ring of this.#rings) {
      if (!ring.isOpen || ring.toCard !== toCard) continue;
      if (lo >= ring.base && lo < ring.base + this.#depth * DESCRIPTOR_BYTES) return ring;
    }
    return null;
  }

  #open(ring: Ring, base: number): void {
    ring.base = base;
    ring.isOpen = this.#depth > 0;
    ring.pointer = 0;
    ring.moved = 0;
    ring.sends = ring.isSend ? new SendRing(this.#host, this.#wire, this.#depth) : null;
    ring.reports = ring.isReport ? new ReportRing(this.#host, this.#wire) : null;
    this.#broken = false;
    if (base % RING_ALIGNMENT !== 0) this.#error('BLUE_RING_BASE', ring, () => `begins at 0x${base.toString(16)}`);
  }

  #headMoves(ring: Ring, head: number): void {
    const filled = (head - ring.moved) & this.#mask;
    if (filled > this.#depth)
      this.#error(
        'BLUE_RING_HEAD',
        ring,
        () => `head ${head} is ${filled} ahead of what the NIC has read; the depth is ${this.#depth}`,
      );
    ring.sends?.headMoves((head - ring.pointer) & this.#mask);
    ring.pointer = head;
  }

  #tailMoves(ring: Ring, tail: number): void {
    const open = (ring.moved - ring.pointer) & this.#mask;
    const taken = (tail - ring.pointer) & this.#mask;
    if (taken > open)
      this.#error(
        'BLUE_RING_TAIL',
        ring,
        () => `tail ${tail} passes ${taken} descriptors, and ${open} had been written`,
      );
    ring.reports?.tailMoves(taken);
    ring.pointer = tail;
  }

  #descriptors(ring: Ring, t: Tlp): void {
    const lo = t.lo >>> 0;
    const block = ring.toCard ? READ_BYTES : WRITE_BYTES;
    const count = t.length / DESCRIPTOR_BYTES;
    const end = ring.base + this.#depth * DESCRIPTOR_BYTES;
    if (Math.floor(lo / block) !== Math.floor((lo + t.length - 1) / block) || lo + t.length > end)
      this.#error(
        'BLUE_RING_BLOCK',
        ring,
        () => `${t.length} B at 0x${lo.toString(16)} are not in one block of ${block} B`,
      );
    const slot = (lo - ring.base) / DESCRIPTOR_BYTES;
    const next = ring.moved & (this.#depth - 1);
    if (slot !== next || !Number.isInteger(count)) {
      this.#error('BLUE_RING_ORDER', ring, () => `descriptor ${slot} is accessed, ${next} is next`);
      this.#broken = true;
      this.#wire.handoversUnknown(this.#host);
      return;
    }
    if (ring.toCard) this.#fetched(ring, count);
    else this.#written(ring, count, t.data);
  }

  #fetched(ring: Ring, count: number): void {
    const shown = (ring.pointer - ring.moved) & this.#mask;
    if (count > shown)
      this.#error('BLUE_RING_UNPUBLISHED', ring, () => `${count} descriptors are read, and the head shows ${shown}`);
    ring.moved = (ring.moved + count) & this.#mask;
  }

  #written(ring: Ring, count: number, data: number): void {
    const used = (ring.moved - ring.pointer) & this.#mask;
    if (used + count > this.#depth)
      this.#error(
        'BLUE_RING_OVERWRITE',
        ring,
        () => `${count} descriptors are written behind ${used} that have not been taken; the depth is ${this.#depth}`,
      );
    ring.moved = (ring.moved + count) & this.#mask;
    for (let i = 0; i < count; i++) this.#whole(ring, data + i * DESCRIPTOR_BYTES, 0);
  }

  /** A descriptor by itself. @param slot where it is read from, of rings to the card */
  #whole(ring: Ring, at: number, slot: number): void {
    this.judged++;
    const header = this.#word(at, HEADER.word);
    if ((header & HEADER.valid) === 0) this.#error('BLUE_RING_VALID', ring, () => 'a descriptor is not valid');
    if ((header & HEADER_RESERVED) !== 0)
      this.#error(
        'BLUE_RING_RESERVED',
        ring,
        () => `reserved bits of header 0x${(header >>> 16).toString(16)} are not 0`,
      );
    const opcode = (header >>> HEADER.opcodeShift) & HEADER.opcodeMask;
    const word = (n: number): number => this.#word(at, n);
    ring.sends?.fetched(slot, word);
    ring.reports?.written(opcode === ACKNOWLEDGE, word);
    if (ring.isReport && opcode !== ACKNOWLEDGE) this.#report(ring, at, opcode);
    else if (ring.isReport) this.#window(at);
  }

  /** A bitmap of the NIC's own, not of a peer's acknowledgement. */
  #window(at: number): void {
    const flags = this.#word(at, HEADER.word);
    if ((flags & WINDOW_REPORT.byLocalHardware) === 0) return;
    const { qpnLow, qpnHigh } = WINDOW_REPORT;
    const upper = (this.#word(at, qpnHigh.word) & qpnHigh.mask) << 16;
    const flow = this.#wire.flowTo(this.#host, upper | (this.#word(at, qpnLow.word) >>> qpnLow.shift));
    if (flow === undefined) return;
    flow.unshownSince = -1;
    if ((flags & WINDOW_REPORT.lost) === 0) return;
    flow.lossesTold++;
    flow.toldAt = this.#clock.now;
  }

  #report(ring: Ring, at: number, opcode: number): void {
    const qpn = this.#word(at, PACKET_REPORT.qpn.word) >>> PACKET_REPORT.qpn.shift;
    // The second descriptor of a READ request names no queue pair.
    if (qpn === 0) return;
    const flow = this.#wire.flowTo(this.#host, qpn);
    if (flow === undefined || flow.isLater) return;
    const flags = this.#word(at, PACKET_REPORT.psn.word);
    const psn = flags >>> PACKET_REPORT.psn.shift;
    const packet = flow.sent.get(psn);
    const msn = this.#word(at, HEADER.word) & PACKET_REPORT.msn.mask;
    const retry = (flags & PACKET_REPORT.retry) !== 0;
    const wrong =
      packet?.arrived !== true
        ? 'has not reached the NIC'
        : packet.opcode !== opcode
          ? `has opcode 0x${packet.opcode.toString(16)}`
          : packet.msn !== msn
            ? `is of message ${packet.msn}`
            : packet.rkey !== this.#word(at, PACKET_REPORT.rkey) >>> 0
              ? `has rkey 0x${packet.rkey.toString(16)}`
              : packet.vaLo !== this.#word(at, PACKET_REPORT.vaLo) || packet.vaHi !== this.#word(at, PACKET_REPORT.vaHi)
                ? 'has another address'
                : packet.total !== this.#word(at, PACKET_REPORT.total) >>> 0
                  ? `says ${packet.total} B`
                  : packet.imm !== this.#word(at, PACKET_REPORT.imm)
                    ? `has other immediate data`
                    : packet.ackRequest !== ((flags & PACKET_REPORT.ackRequest) !== 0)
                      ? 'asks for an acknowledgement or does not'
                      : packet.solicited !== ((flags & PACKET_REPORT.solicited) !== 0)
                        ? 'is solicited or is not'
                        : retry && !packet.arrivedAgain
                          ? 'was not sent again'
                          : '';
    if (packet !== undefined && wrong === '') {
      // What comes twice, or behind the window, changes no bitmap.
      const isNew = !retry && !packet.reported && psnSteps(psn, flow.next) <= RECENT;
      if (isNew && this.#wire.isShown(this.#host, packet)) flow.unshownSince = this.#clock.now;
      packet.reported = true;
    }
    if (wrong !== '')
      this.#error(
        'BLUE_REPORT',
        ring,
        () =>
          `reports PSN ${psn} of QP ${qpn}, opcode 0x${opcode.toString(16)}, message ${msn}, retry ${retry ? 1 : 0}: that packet ${wrong}`,
      );
  }

  #word(at: number, word: number): number {
    const i = at + 4 * (word % DESCRIPTOR_WORDS);
    const { u8 } = this.#bytes;
    return (
      (u8[i] as number) | ((u8[i + 1] as number) << 8) | ((u8[i + 2] as number) << 16) | ((u8[i + 3] as number) << 24)
    );
  }

  #error(id: BlueReportId, { name }: Ring, text: () => string): void {
    this.#findings.error(id, () => `host ${this.#host}, ${name}: ${text()}`, [aRing(this.#host, name)]);
  }
}
