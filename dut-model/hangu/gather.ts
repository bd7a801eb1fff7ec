/**
 * Packets under construction: gathers payload from host memory into the frame, through the request's data segments or
 * a READ's contiguous range, and hands finished packets to the link in the order in which they were started
 * (hangu-rtl-facts.md 4.2, "DataPack": gaps between entries vanish, the byte stream is cut at the MTU).
 */
import { CQE_SYNDROME, DATA_SEG_INLINE } from '../../rdma/hangu/queues.ts';
import { MPT_PERMISSION } from '../../rdma/hangu/contexts.ts';
import type { Frame } from '../nic.ts';
import { frameData } from '../roce/frameBuilder.ts';
import type { HanguCore } from './core.ts';
import { PacketJob } from './qpSlot.ts';
import type { QpSlot, SendRequest } from './qpSlot.ts';
import { XLATE } from './translation.ts';

export class Gather {
  protected readonly core: HanguCore;
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
    }
    if (j.pending === 0) j.ready = true;
  }

  arrived(j: PacketJob, ok: boolean): void {
    j.pending--;
    if (!ok && j.syndrome === 0) {
      j.syndrome = j.response ? CQE_SYNDROME.remoteOperation : CQE_SYNDROME.localProtection;
      j.left = 0;
    }
    if (j.pending === 0 && j.left === 0) j.ready = true;
  }

  /** Closes the frame and sends it. The job itself stays with the caller. */
  send(j: PacketJob): void {
    const frame = j.frame;
    if (frame === null) return;
    j.frame = null;
    this.sendFrame(frame, j.l3Bytes, j.end);
  }

  /** Closes a frame whose last byte before the ICRC lies in front of byte-store offset `end`, and sends it. */
  sendFrame(frame: Frame, l3Bytes: number, end: number): void {
    const core = this.core;
    const block = core.blocks.offset(frame.block);
    frame.data = frameData(block);
    frame.length = core.builder.end(block, l3Bytes, end);
    frame.readyAt = core.scheduler.now + this.#transmitPs;
    core.counters.framesSent++;
    core.link.send(frame);
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
    const first = (j.request as SendRequest).segments;
    const { pd } = j;
    dma.delay = this.#parsePs;
    while (j.left > 0) {
      const w = bytes.i32;
      const d = first + j.sge * 4;
      const size = w[d] as number;
      if (size & DATA_SEG_INLINE) {
        this.#inline(j, d, size & 0x7fff_ffff);
        continue;
      }
      const { sgeDone } = j;
      const room = size - sgeDone;
      if (room > 0) {
        const base = w[d + 2] as number;
        const lo = (base + sgeDone) | 0;
        const hi = (w[d + 3] as number) + (lo >>> 0 < base >>> 0 ? 1 : 0);
        const result = xlate.translate(w[d + 1] as number, pd, hi, lo, room, 0, false, j);
        if (result === XLATE.wait) {
          dma.delay = 0;
          return false;
        }
        if (result !== XLATE.ok) {
          j.syndrome = CQE_SYNDROME.localProtection;
          j.left = 0;
          break;
        }
        let n = room < j.left ? room : j.left;
        if (xlate.available < n) n = xlate.available;
        this.fetch(j, xlate.paHi, xlate.paLo, n);
        if (n !== room) {
          j.sgeDone = sgeDone + n;
          continue;
        }
      }
      j.sge++;
      j.sgeDone = 0;
    }
    dma.delay = 0;
    return true;
  }

  /** READ response: a contiguous range of the responder's memory. */
  #range(j: PacketJob): boolean {
    const x = this.core.xlate;
    while (j.left > 0) {
      const need = MPT_PERMISSION.remoteRead;
      const result = x.translate(j.rkey, j.pd, j.vaHi, j.vaLo, j.left, need, false, j);
      if (result === XLATE.wait) return false;
      if (result !== XLATE.ok) {
        j.syndrome = CQE_SYNDROME.remoteAccess;
        j.left = 0;
        break;
      }
      const n = x.available < j.left ? x.available : j.left;
      this.fetch(j, x.paHi, x.paLo, n);
      const lo = (j.vaLo >>> 0) + n;
      j.vaLo = lo | 0;
      if (lo > 0xffff_ffff) j.vaHi = (j.vaHi + 1) | 0;
    }
    return true;
  }

  /** One DMA read into the frame; overridable for planting. */
  protected fetch(j: PacketJob, hi: number, lo: number, n: number): void {
    j.pending++;
    this.core.dma.read(hi, lo, n, j.at, j);
    j.at += n;
    j.left -= n;
  }

  #inline(j: PacketJob, d: number, size: number): void {
    const n = Math.min(size - j.sgeDone, j.left);
    this.core.bytes.copy(j.at, (d + 1) * 4 + j.sgeDone, n);
    j.at += n;
    j.left -= n;
    j.sgeDone += n;
    if (j.sgeDone === size) {
      j.sge += inlineUnits(size);
      j.sgeDone = 0;
    }
  }
}

/** 16-byte units of an inline segment: its count and data, rounded up. */
function inlineUnits(size: number): number {
  return (size + 4 + 15) >> 4;
}
