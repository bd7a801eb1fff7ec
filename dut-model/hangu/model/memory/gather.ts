/**
 * Packets under construction: gathers payload from host memory into the frame, through the request's data segments or
 * a READ's contiguous range, and hands finished packets to the link in the order in which they were started
 * (hangu-rtl-facts.md 4.2, "DataPack": gaps between entries vanish, the byte stream is cut at the MTU).
 */
import { CQE_SYNDROME, DATA_SEG_INLINE } from '../../layout/queues.ts';
import { MPT_PERMISSION } from '../../layout/contexts.ts';
import type { Frame } from '../../../nic.ts';
import { frameData } from '../../../roce/frameBuilder.ts';
import { MIN_FRAME } from '../../../roce/frameLayout.ts';
import type { HanguCore } from '../core.ts';
import type { MemoryTarget } from '../../../roce/memoryTarget.ts';
import { inlineUnits } from '../queues/inlineUnits.ts';
import { PacketJob } from '../transport/qpSlot.ts';
import type { QpSlot, SendRequest } from '../transport/qpSlot.ts';
import { XLATE } from './translation.ts';

/** Of a frame that software has built, in place of the bytes of its network header. */
export const NO_NETWORK = 0;

/** Who reads payload. */
export type PayloadReader = Pick<MemoryTarget, 'read'>;

export class Gather {
  protected readonly core: HanguCore;
  /** Who reads in place of the target that payload lies in: a faulty NIC has something in between. */
  protected readonly reader: PayloadReader | null = null;
  #free: PacketJob | null = null;
  /** Latencies in ps from a parsed request to its first fetch, and from the last byte to the wire. */
  #parsePs = 0;
  #transmitPs = 0;

  constructor(core: HanguCore) {
    this.core = core;
    this.#parsePs = core.cycles(core.config.parseCycles);
    this.#transmitPs = core.cycles(core.config.transmitCycles);
  }

  acquire(slot: QpSlot): PacketJob {
    let j = this.#free;
    if (j === null) j = new PacketJob();
    else this.#free = j.next;
    j.slot = slot;
    j.next = null;
    j.request = null;
    j.response = false;
    j.epoch = slot.epoch;
    j.pending = 0;
    j.ready = false;
    j.syndrome = 0;
    j.last = false;
    j.ackRequest = false;
    j.frame = this.core.link.acquire();
    return j;
  }

  /** Throws a job away with its frame. */
  discard(j: PacketJob): void {
    const frame = j.frame;
    if (frame !== null) this.core.blocks.release(frame.block);
    this.release(j);
  }

  /** Throws all packets of a queue pair away, of requests and responses. Nothing is fetched for them any more. */
  discardAll(slot: QpSlot): void {
    for (const first of [slot.txHead, slot.rtHead]) {
      for (let j = first; j !== null; ) {
        const { next } = j;
        this.discard(j);
        j = next;
      }
    }
    slot.txHead = null;
    slot.txTail = null;
    slot.rtHead = null;
    slot.rtTail = null;
  }

  release(j: PacketJob): void {
    this.core.xlate.drop(j);
    j.frame = null;
    j.request = null;
    j.next = this.#free;
    this.#free = j;
  }

  /** Starts or goes on fetching the payload. Sets `ready` once nothing is missing. */
  run(j: PacketJob): void {
    if (j.syndrome === 0) {
      const more = j.response ? this.#range(j) : this.#segments(j);
      if (!more) return;
    } else j.left = 0;
    if (j.pending === 0) j.ready = true;
  }

  arrived(j: PacketJob, ok: boolean): void {
    j.pending--;
    // One that waits for a translation goes on when that has come, and not before: whoever has it would resume another.
    if (!ok && j.syndrome === 0) j.syndrome = j.response ? CQE_SYNDROME.remoteOperation : CQE_SYNDROME.localProtection;
    if (j.pending === 0 && j.left === 0) j.ready = true;
  }

  /** Closes the frame and sends it. The job itself stays with the caller. */
  send(j: PacketJob): void {
    const frame = j.frame;
    if (frame === null) return;
    j.frame = null;
    this.sendFrame(frame, j.l3Bytes, j.end);
  }

  /**
   * Closes a frame whose last byte before the ICRC lies in front of byte-store offset `end`, and sends it.
   * @param later by how much (ps) it leaves later than it could
   */
  sendFrame(frame: Frame, l3Bytes: number, end: number, later = 0): void {
    const core = this.core;
    const block = core.blocks.offset(frame.block);
    frame.data = frameData(block);
    frame.length = l3Bytes === NO_NETWORK ? this.closeRaw(frame.data, end) : core.builder.end(block, l3Bytes, end);
    frame.readyAt = core.scheduler.now + this.#transmitPs + later;
    core.counters.framesSent++;
    core.link.send(frame);
  }

  /** Fills a frame of software up; overridable for planting. @returns its length */
  protected closeRaw(data: number, end: number): number {
    const length = Math.max(end - data, MIN_FRAME);
    this.core.bytes.zero(end, data + length - end);
    return length;
  }

  /**
   * Moves the request's segment cursor past the payload of the packet just started, whose own cursor keeps the start.
   */
  advance(r: SendRequest, bytes: number): void {
    const w = this.core.bytes.i32;
    let left = bytes;
    while (left > 0) {
      const count = w[r.segments + r.sge * 4] as number;
      const size = count & 0x7fff_ffff;
      const n = Math.min(left, size - r.sgeDone);
      r.sgeDone += n;
      left -= n;
      if (r.sgeDone === size) {
        r.sge += count & DATA_SEG_INLINE ? inlineUnits(size) : 1;
        r.sgeDone = 0;
      }
    }
  }

  /** Walks the data segments; false when it has to wait for a translation. */
  #segments(j: PacketJob): boolean {
    const { bytes, dma, xlate } = this.core;
    const { segments } = j.request as SendRequest;
    const { pd } = j;
    let { sgeDone, at, left } = j;
    // Dword of the data segment.
    let d = segments + j.sge * 4;
    let result: number = XLATE.ok;
    // Nearly always the entries of a request lie in one page of one region.
    let near = false;
    dma.delay = this.#parsePs;
    while (left > 0) {
      const w = bytes.i32;
      const size = w[d] as number;
      if (size & DATA_SEG_INLINE) {
        const n = this.inline(at, (d + 1) * 4 + sgeDone, (size & 0x7fff_ffff) - sgeDone, left);
        at += n;
        left -= n;
        sgeDone += n;
        if (sgeDone < (size & 0x7fff_ffff)) break;
        d += inlineUnits(sgeDone) * 4;
        sgeDone = 0;
        continue;
      }
      const room = size - sgeDone;
      if (room > 0) {
        const key = w[d + 1] as number;
        let lo = w[d + 2] as number;
        let hi = w[d + 3] as number;
        if (sgeDone > 0) {
          if (lo >>> 0 > (lo + sgeDone) >>> 0) hi++;
          lo = (lo + sgeDone) | 0;
        }
        if (!near || !xlate.next(key, hi, lo, room)) {
          result = xlate.translate(key, pd, hi, lo, room, 0, false, j);
          if (result !== XLATE.ok) break;
          near = true;
        }
        let n = room < left ? room : left;
        if (xlate.available < n) n = xlate.available;
        j.pending++;
        this.#read(xlate.target, xlate.paHi, xlate.paLo, n, at, j);
        at += n;
        left -= n;
        if (n !== room) {
          sgeDone += n;
          continue;
        }
      }
      d += 4;
      sgeDone = 0;
    }
    dma.delay = 0;
    j.sge = (d - segments) >> 2;
    j.sgeDone = sgeDone;
    j.at = at;
    j.left = left;
    return this.#done(j, result, CQE_SYNDROME.localProtection);
  }

  /** Part of a packet's payload, with the latency of a request that has been parsed. */
  #read(target: MemoryTarget, hi: number, lo: number, n: number, at: number, j: PacketJob): void {
    target.delay = this.#parsePs;
    (this.reader ?? target).read(hi, lo, n, at, j);
    // The delay of host memory stays until all segments have been walked: it is that of look-ups as well.
    if (target !== this.core.dma) target.delay = 0;
  }

  /** READ response: a contiguous range of the responder's memory. */
  #range(j: PacketJob): boolean {
    const x = this.core.xlate;
    while (j.left > 0) {
      const need = MPT_PERMISSION.remoteRead;
      x.qpn = j.slot.qpn;
      const result = x.translate(j.rkey, j.pd, j.vaHi, j.vaLo, j.left, need, false, j);
      if (result !== XLATE.ok) return this.#done(j, result, CQE_SYNDROME.remoteAccess);
      const n = x.available < j.left ? x.available : j.left;
      j.pending++;
      (this.reader ?? x.target).read(x.paHi, x.paLo, n, j.at, j);
      j.at += n;
      j.left -= n;
      const lo = (j.vaLo >>> 0) + n;
      j.vaLo = lo | 0;
      if (lo > 0xffff_ffff) j.vaHi = (j.vaHi + 1) | 0;
    }
    return true;
  }

  /** What the last translation says of a job: false when it has to wait, otherwise nothing more is to be fetched. */
  #done(j: PacketJob, result: number, syndrome: number): boolean {
    if (result === XLATE.wait) return false;
    if (result !== XLATE.ok) {
      j.syndrome = result === XLATE.failed ? this.unread(j) : syndrome;
      j.left = 0;
    }
    return true;
  }

  /** What a job ends with for which a translation could not be read; overridable for planting. */
  protected unread(j: PacketJob): number {
    return j.response ? CQE_SYNDROME.remoteOperation : CQE_SYNDROME.localProtection;
  }

  /** Copies as much of an inline segment as the packet takes; overridable for planting. @returns bytes copied */
  protected inline(at: number, from: number, size: number, left: number): number {
    const n = Math.min(size, left);
    this.core.bytes.copy(at, from, n);
    return n;
  }
}
