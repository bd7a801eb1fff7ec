/**
 * Placing of payload that requests bring: a SEND's through the scatter entries of the receive WQE in use, a WRITE's
 * from the address of its RETH on. The slot keeps how far a message has come, the packet how far itself has.
 */
import { MPT_PERMISSION } from '../../layout/contexts.ts';
import { GRH_BYTES } from '../../../../rdma/verbs.ts';
import { IPV4_BYTES } from '../../../roce/frameLayout.ts';
import { type MemoryTarget, WritesUnderWay } from '../../../roce/memoryTarget.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import type { HanguCore } from '../core.ts';
import { qpPd } from '../qpContext.ts';
import type { QpSlot } from '../transport/qpSlot.ts';
import { XLATE } from './translation.ts';

export class PayloadWriter {
  /** The packet for whose first byte the check of its range has just found the address. */
  located: RxPacket | null = null;

  protected readonly core: HanguCore;
  /** Latency in ps from a frame to its payload on the bus. */
  #receivePs = 0;

  constructor(core: HanguCore) {
    this.core = core;
    this.#receivePs = core.cycles(core.config.receiveCycles);
  }

  /** Places the rest of a SEND's packet. @returns `XLATE` result; with `XLATE.wait`, call again */
  scatter(slot: QpSlot, c: number, p: RxPacket): number {
    const { bytes, dma, xlate } = this.core;
    const pd = slot.shared === null ? qpPd(bytes.i32, c) : slot.shared.pd;
    const { length, payload } = p;
    let { done } = p;
    // Dword of the scatter entry.
    let d = (slot.recvSegment >> 2) + slot.recvSge * 4;
    let sgeDone = slot.recvSgeDone;
    let result: number = XLATE.ok;
    // Nearly always the entries of a request lie in one page of one region.
    let near = false;
    while (done < length) {
      const w = bytes.i32;
      const room = (w[d] as number) - sgeDone;
      if (room > 0) {
        const key = w[d + 1] as number;
        let lo = w[d + 2] as number;
        let hi = w[d + 3] as number;
        if (sgeDone > 0) {
          if (lo >>> 0 > (lo + sgeDone) >>> 0) hi++;
          lo = (lo + sgeDone) | 0;
        }
        let n = length - done;
        if (room < n) n = room;
        if (!near || !xlate.next(key, hi, lo, n)) {
          // What a look-up fetches is no payload.
          dma.delay = 0;
          result = xlate.translate(key, pd, hi, lo, n, MPT_PERMISSION.localWrite, false, p);
          if (result !== XLATE.ok) break;
          dma.delay = this.#receivePs;
          near = true;
        }
        if (xlate.available < n) n = xlate.available;
        this.store(p, payload + done, xlate.paHi, xlate.paLo, n);
        done += n;
        if (n !== room) {
          sgeDone += n;
          continue;
        }
      }
      d += 4;
      sgeDone = 0;
    }
    dma.delay = 0;
    p.done = done;
    slot.recvSge = (d - (slot.recvSegment >> 2)) >> 2;
    slot.recvSgeDone = sgeDone;
    return result;
  }

  /** Places the rest of a WRITE's packet. @returns as `scatter` */
  write(slot: QpSlot, c: number, p: RxPacket): number {
    const { dma, xlate: x } = this.core;
    const pd = qpPd(this.core.bytes.i32, c);
    while (p.done < p.length) {
      let n = p.length - p.done;
      if (this.located !== p) {
        const need = MPT_PERMISSION.remoteWrite;
        x.qpn = slot.qpn;
        const result = x.translate(slot.writeKey, pd, slot.writeHi, slot.writeLo, n, need, false, p);
        if (result !== XLATE.ok) return result;
      }
      this.located = null;
      if (x.available < n) n = x.available;
      dma.delay = this.#receivePs;
      this.store(p, p.payload + p.done, x.paHi, x.paLo, n);
      dma.delay = 0;
      p.done += n;
      const lo = (slot.writeLo >>> 0) + n;
      slot.writeLo = lo | 0;
      if (lo > 0xffff_ffff) slot.writeHi = (slot.writeHi + 1) | 0;
      slot.writeLeft -= n;
    }
    return XLATE.ok;
  }

  /** The receive buffer of UD starts with the IP header: moves header and payload into a block of their own. */
  prependGrh(p: RxPacket): void {
    const { bytes, blocks } = this.core;
    const block = blocks.acquire();
    const at = blocks.offset(block);
    const header = p.l3Bytes === IPV4_BYTES ? IPV4_BYTES : GRH_BYTES;
    bytes.zero(at, GRH_BYTES - header);
    bytes.copy(at + GRH_BYTES - header, p.l3, header);
    bytes.copy(at + GRH_BYTES, p.payload, p.length);
    blocks.release(p.block);
    p.block = block;
    p.payload = at;
    p.length += GRH_BYTES;
  }

  /** One DMA write of a packet's payload from byte-store offset `at` on; overridable for planting. */
  protected store(p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    const { target } = this.core.xlate;
    if (target.isPosted) target.write(hi, lo, n, at, p.block);
    else this.#storeAside(target, p, at, hi, lo, n);
  }

  /** The same where its end is to be waited for. */
  #storeAside(target: MemoryTarget, p: RxPacket, at: number, hi: number, lo: number, n: number): void {
    const slot = p.slot as QpSlot;
    slot.rxWrites ??= new WritesUnderWay();
    target.delay = this.#receivePs;
    target.write(hi, lo, n, at, p.block, slot.rxWrites.begin());
    target.delay = 0;
  }
}
