/** Bugs that show where a packet comes that no healthy NIC has sent: what must be dropped or refused is taken. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { QPC_SERVICE } from '../../layout/contexts.ts';
import { FrameParser, DROP } from '../../../roce/frameParser.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { NO_CONTEXT, WAIT } from '../../model/core.ts';
import { expectedPsn, QPC_DW, qpService, setExpectedPsn } from '../../model/qpContext.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { IN_MESSAGE } from '../../model/transport/qpSlot.ts';
import { RequesterReceive } from '../../model/transport/requesterReceive.ts';
import { Responder } from '../../model/transport/responder.ts';
import { faultsOf, planted } from '../fault.ts';
import { INJECTED_ROWS } from './rows/injectedRows.ts';

/** Takes packets of any transport version, once their CRC is right. */
class VersionUnchecked extends FrameParser {
  readonly #store: ConstructorParameters<typeof FrameParser>[0];
  #again = false;

  constructor(bytes: ConstructorParameters<typeof FrameParser>[0]) {
    super(bytes);
    this.#store = bytes;
  }

  protected override check(data: number, length: number, p: RxPacket): number {
    const reason = super.check(data, length, p);
    if (reason !== DROP.version) return reason;
    const at = p.l3 + p.l3Bytes + 9;
    const { u8 } = this.#store;
    const byte = u8[at] as number;
    u8[at] = byte & 0xf0;
    this.#again = true;
    const second = super.check(data, length, p);
    this.#again = false;
    u8[at] = byte;
    return second;
  }

  protected override icrcMatches(l3: number, l3Bytes: number, end: number): boolean {
    return this.#again || super.icrcMatches(l3, l3Bytes, end);
  }
}

/** Takes packets of other partitions. */
class PartitionUnchecked extends Responder {
  override handle(slot: QpSlot, p: RxPacket): boolean {
    p.pkey = 0xffff;
    return super.handle(slot, p);
  }
}

/** Takes requests of UC for those of RC, and the other way round. */
class ServiceUnchecked extends Responder {
  override handle(slot: QpSlot, p: RxPacket): boolean {
    const c = this.core.contextOf(slot, p);
    if (c !== WAIT && c !== NO_CONTEXT && p.opcode >>> 5 <= QPC_SERVICE.uc) {
      const service = qpService(this.core.bytes.i32, c);
      if (service <= QPC_SERVICE.uc) p.opcode = (service << 5) | (p.opcode & 31);
    }
    return super.handle(slot, p);
  }
}

/** Counts a request of a reserved opcode, and does nothing else about it. */
class ReservedCounted extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    const w = this.core.bytes.i32;
    if (service !== QPC_SERVICE.rc || (p.bits & OP.known) !== 0 || p.psn !== expectedPsn(w, c))
      return super.admit(slot, c, p, service);
    setExpectedPsn(w, c, psnAdd(p.psn, 1));
    this.core.touch(slot);
    return DONE;
  }
}

/** Drops what continues no message, and goes on behind it. */
class StrayPacketsDropped extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    const w = this.core.bytes.i32;
    const isStray = slot.inMessage === IN_MESSAGE.none && (p.bits & (OP.start | OP.known)) === OP.known;
    if (service !== QPC_SERVICE.rc || !isStray || p.psn !== expectedPsn(w, c)) return super.admit(slot, c, p, service);
    setExpectedPsn(w, c, psnAdd(p.psn, 1));
    this.core.touch(slot);
    return DONE;
  }
}

/** Takes the first packet of a message whatever its length is. */
class FirstLengthUnchecked extends Responder {
  protected override lengthLegal(c: number, p: RxPacket): boolean {
    return (p.bits & OP.full) !== 0 || super.lengthLegal(c, p);
  }
}

/** Takes the only packet of a message whatever its length is. */
class OnlyLengthUnchecked extends Responder {
  protected override lengthLegal(c: number, p: RxPacket): boolean {
    const only = OP.start | OP.end;
    return (p.bits & only) === only || super.lengthLegal(c, p);
  }
}

/** Takes a refusal of what has been acknowledged for one of what is oldest now. */
class StaleNakTaken extends RequesterReceive {
  override handle(slot: QpSlot, p: RxPacket): boolean {
    const c = this.core.contextOf(slot, p);
    if (c !== WAIT && c !== NO_CONTEXT && slot.head !== null && p.syndrome > LAST_SEQUENCE_NAK) {
      const una = this.core.bytes.i32[c + QPC_DW.unaPsn] as number;
      if ((p.opcode & 31) === BTH_OP.acknowledge && psnCmp(p.psn, una) < 0) p.psn = una;
    }
    return super.handle(slot, p);
  }
}

/** Takes an acknowledgement of what was never sent for one of all that was. */
class GhostAckTaken extends RequesterReceive {
  override handle(slot: QpSlot, p: RxPacket): boolean {
    const c = this.core.contextOf(slot, p);
    if (c !== WAIT && c !== NO_CONTEXT && (p.opcode & 31) === BTH_OP.acknowledge && p.syndrome <= LAST_ACK) {
      const next = this.core.bytes.i32[c + QPC_DW.nextPsn] as number;
      if (psnCmp(p.psn, next) >= 0) p.psn = psnAdd(next, -1);
    }
    return super.handle(slot, p);
  }
}

/** Takes NAKs of reserved codes for nothing. */
class ReservedNakIgnored extends RequesterReceive {
  protected override acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    if (p.syndrome <= LAST_NAK) super.acknowledge(slot, c, p);
  }
}

/** Takes reserved syndromes for acknowledgements. */
class ReservedSyndromeAcks extends RequesterReceive {
  protected override acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    if (p.syndrome >>> 5 === RESERVED_TYPE) this.acknowledged(slot, c, p.psn);
    else super.acknowledge(slot, c, p);
  }
}

/** The packet has been dealt with: what `Responder.admit` says then. */
const DONE = 0;

/** Syndromes up to which a response acknowledges, asks for what is missing, or refuses by a code that is not reserved. */
const LAST_ACK = 0x1f;

const LAST_SEQUENCE_NAK = 0x60;

const LAST_NAK = 0x63;

const RESERVED_TYPE = 2;

export const INJECTED_FAULTS = faultsOf(INJECTED_ROWS, {
  version_unchecked: planted({ parser: VersionUnchecked }),
  partition_unchecked: planted({ responder: PartitionUnchecked }),
  service_unchecked: planted({ responder: ServiceUnchecked }),
  stale_nak_taken: planted({ requesterReceive: StaleNakTaken }),
  ghost_ack_taken: planted({ requesterReceive: GhostAckTaken }),
  reserved_opcode_counted: planted({ responder: ReservedCounted }),
  stray_packets_dropped: planted({ responder: StrayPacketsDropped }),
  first_length_unchecked: planted({ responder: FirstLengthUnchecked }),
  only_length_unchecked: planted({ responder: OnlyLengthUnchecked }),
  reserved_nak_ignored: planted({ requesterReceive: ReservedNakIgnored }),
  reserved_syndrome_acks: planted({ requesterReceive: ReservedSyndromeAcks }),
});
