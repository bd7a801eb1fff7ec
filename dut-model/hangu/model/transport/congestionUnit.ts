/**
 * Notification point of congestion control (roce-transport.md 8): a data packet of a connected queue pair that was marked
 * by a switch is answered with a CNP (1.8), one in an interval for each queue pair.
 */

import { OPCODE_CNP } from '../../../../rdma/bth.ts';
import { bthWord0, P_KEY_DEFAULT } from '../../../roce/frameBuilder.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import type { HanguCore } from '../core.ts';
import type { Gather } from '../memory/gather.ts';
import type { QpSlot } from './qpSlot.ts';

/** Reserved bytes behind the base transport header of a CNP. */
const RESERVED_BYTES = 16;
/** In the second word of that header, whose first byte is its lowest. */
const BECN = 0x40;
/** The two bits of a traffic class: congestion experienced. */
const EXPERIENCED = 3;
const PS_PER_NS = 1000;

export class CongestionUnit {
  protected readonly core: HanguCore;
  readonly #gather: Gather;

  constructor(core: HanguCore, gather: Gather) {
    this.core = core;
    this.#gather = gather;
  }

  /** A frame has come: notes whether it was marked. Nothing is, where congestion notification is off. */
  arrived(p: RxPacket): void {
    p.marked = this.core.config.ecn === 1 && this.isMarked(p);
  }

  /** A packet has passed the checks that all must pass, and the template of its queue pair is there. */
  accepted(slot: QpSlot, p: RxPacket): void {
    if (!p.marked) return;
    p.marked = false;
    const { now } = this.core.scheduler;
    if (now < slot.cnpNotBefore) return;
    slot.cnpNotBefore = now + this.core.config.cnpNs * PS_PER_NS;
    this.#send(slot);
  }

  /** Whether its IP header says that congestion was experienced; overridable for planting. */
  protected isMarked({ l3, l3Bytes }: RxPacket): boolean {
    const byte = this.core.bytes.u8[l3 + 1] as number;
    return ((l3Bytes === 20 ? byte : byte >> 4) & EXPERIENCED) === EXPERIENCED;
  }

  /** Of the second word of the base transport header; overridable for planting. */
  protected signalBits(): number {
    return BECN;
  }

  #send(slot: QpSlot): void {
    const { blocks, builder, bytes, link } = this.core;
    const frame = link.acquire();
    const b0 = bthWord0(OPCODE_CNP, false, P_KEY_DEFAULT);
    const { template, l3Bytes, remoteQpn } = slot;
    const at = builder.begin(blocks.offset(frame.block), template, l3Bytes, b0, remoteQpn, 0, RESERVED_BYTES, 0);
    const w = at >> 2;
    const { i32 } = bytes;
    i32[w - 2] = (i32[w - 2] as number) | this.signalBits();
    i32.fill(0, w, w + RESERVED_BYTES / 4);
    this.#gather.sendFrame(frame, l3Bytes, at + RESERVED_BYTES);
  }
}
