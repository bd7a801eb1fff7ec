/** Bugs where implementations differ: the NIC does otherwise than its profile declares. */
import { BTH_CLASS, BTH_OP } from '../../../../rdma/bth.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import { FrameBuilder } from '../../../roce/frameBuilder.ts';
import { BTH_BYTES, L3_AT, UDP_BYTES } from '../../../roce/frameLayout.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { CongestionUnit } from '../../model/transport/congestionUnit.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { faultsOf, planted } from '../fault.ts';
import { DECLARED_ROWS } from './rows/declaredRows.ts';

const MIGRATION_REQUEST = 0x40_0000;

/** Says in every packet that the path is to be migrated. */
class Migrating extends FrameBuilder {
  override begin(
    block: number,
    template: number,
    l3Bytes: number,
    bth0: number,
    ...rest: [destQpn: number, bth2: number, ext: number, payload: number]
  ): number {
    return super.begin(block, template, l3Bytes, bth0 | MIGRATION_REQUEST, ...rest);
  }
}

/** Changes extended headers before the checksum is made. */
abstract class ChangedHeaders extends FrameBuilder {
  readonly #store: ByteStore;

  constructor(bytes: ByteStore) {
    super(bytes);
    this.#store = bytes;
  }

  override end(block: number, l3Bytes: number, payloadEnd: number): number {
    const base = block + L3_AT + l3Bytes + UDP_BYTES;
    const { u8 } = this.#store;
    this.change(u8, u8[base] as number, base + BTH_BYTES);
    return super.end(block, l3Bytes, payloadEnd);
  }

  /** @param at of the first byte behind the base transport header */
  protected abstract change(u8: Uint8Array, opcode: number, at: number): void;
}

/** Grants no credits. */
class Creditless extends ChangedHeaders {
  protected override change(u8: Uint8Array, opcode: number, at: number): void {
    if (opcode === (BTH_CLASS.rc | BTH_OP.acknowledge) && (u8[at] as number) === 0x1f) u8[at] = 0;
  }
}

/** Bytes of an AtomicETH in front of its compare field. */
const COMPARE_AT = 20;

/** Leaves in the compare field of a FETCH_ADD what a compare-and-swap would have there. */
class Comparing extends ChangedHeaders {
  protected override change(u8: Uint8Array, opcode: number, at: number): void {
    if (opcode === (BTH_CLASS.rc | BTH_OP.fetchAdd))
      u8.copyWithin(at + COMPARE_AT, at + COMPARE_AT - 8, at + COMPARE_AT);
  }
}

/** Tells of a gap behind each packet, also behind one that it has refused for want of a receive. */
class NakBehindRefusal extends Responder {
  /** PSN of the gap that was told of last. */
  readonly #told = new Map<QpSlot, number>();

  protected override outOfOrder(slot: QpSlot, c: number, expected: number): void {
    if (this.#told.get(slot) !== expected) slot.nakSent = false;
    this.#told.set(slot, expected);
    super.outOfOrder(slot, c, expected);
  }
}

/** Tells of marks on requests of reliable connections alone. */
class RequestsAlone extends CongestionUnit {
  override accepted(slot: QpSlot, p: RxPacket): void {
    if ((p.bits & OP.response) === 0 && p.opcode < BTH_CLASS.uc) super.accepted(slot, p);
  }
}

/** Tells of marks on everything but packets of unreliable connections. */
class ReliableAlone extends CongestionUnit {
  override accepted(slot: QpSlot, p: RxPacket): void {
    if (p.opcode < BTH_CLASS.uc) super.accepted(slot, p);
  }
}

export const DECLARED_FAULTS = faultsOf(DECLARED_ROWS, {
  migration_requested: planted({ builder: Migrating }),
  credits_none: planted({ builder: Creditless }),
  fetch_add_compares: planted({ builder: Comparing }),
  nak_behind_rnr: planted({ responder: NakBehindRefusal }),
  cnp_requests_alone: planted({ congestion: RequestsAlone }),
  cnp_reliable_alone: planted({ congestion: ReliableAlone }),
});
