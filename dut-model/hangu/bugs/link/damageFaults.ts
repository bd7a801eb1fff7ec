/** Bugs with frames that are damaged or marked on their way, and with what is lost of unreliable connections. */
import { QPC_SERVICE } from '../../layout/contexts.ts';
import { CongestionUnit } from '../../model/transport/congestionUnit.ts';
import { expectedPsn, setExpectedPsn } from '../../model/qpContext.ts';
import { IN_MESSAGE, type QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { PSN_MASK } from '../../../../rdma/bth.ts';
import { BTH_BYTES, UDP_BYTES } from '../../../roce/frameLayout.ts';
import { FrameParser } from '../../../roce/frameParser.ts';
import { OP } from '../../../roce/opcodeTable.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { faultsOf, planted } from '../fault.ts';
import { DAMAGE_ROWS } from './rows/damageRows.ts';

/** Bytes behind the base transport header of packets without payload. */
const MOST_HEADERS = 32;

/** The admission step is over with a packet. */
const DONE = 0;

class Trusting extends FrameParser {
  protected override icrcMatches(): boolean {
    return true;
  }
}

/** Looks at the checksum of packets with payload only. */
class TrustingAnswers extends FrameParser {
  protected override icrcMatches(l3: number, l3Bytes: number, end: number): boolean {
    const isShort = end - l3 - l3Bytes - UDP_BYTES - BTH_BYTES <= MOST_HEADERS;
    return isShort || super.icrcMatches(l3, l3Bytes, end);
  }
}

/** Takes packets for marked that could have been. */
class Worried extends CongestionUnit {
  protected override isMarked(p: RxPacket): boolean {
    const byte = this.core.bytes.u8[p.l3 + 1] as number;
    return ((p.l3Bytes === 20 ? byte : byte >> 4) & 3) !== 0;
  }
}

class Unworried extends CongestionUnit {
  protected override isMarked(): boolean {
    return false;
  }
}

/** Says of every marked packet that it was. */
class Talkative extends CongestionUnit {
  override accepted(slot: QpSlot, p: RxPacket): void {
    slot.cnpNotBefore = 0;
    super.accepted(slot, p);
  }
}

/** Sends CNPs as ordinary packets. */
class SilentSignal extends CongestionUnit {
  protected override signalBits(): number {
    return 0;
  }
}

/** Names another queue pair. */
class MisledSignal extends CongestionUnit {
  override accepted(slot: QpSlot, p: RxPacket): void {
    const { remoteQpn } = slot;
    slot.remoteQpn ^= 1;
    super.accepted(slot, p);
    slot.remoteQpn = remoteQpn;
  }
}

/** Goes on with a message of UC though packets of it are missing. */
class PatchedMessage extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    const inside = slot.inMessage !== IN_MESSAGE.none && (p.bits & OP.start) === 0;
    if (service === QPC_SERVICE.uc && inside) setExpectedPsn(this.core.bytes.i32, c, p.psn);
    return super.admit(slot, c, p, service);
  }
}

/** Waits on UC for the packet that is missing. */
class WaitingForLost extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    if (service === QPC_SERVICE.uc && p.psn !== expectedPsn(this.core.bytes.i32, c)) return DONE;
    return super.admit(slot, c, p, service);
  }
}

/** Goes on with a message of UC from its start when packets of it are missing. */
class ForgottenBytes extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    const before = slot.messageBytes;
    const missing = service === QPC_SERVICE.uc && p.psn !== expectedPsn(this.core.bytes.i32, c);
    const result = super.admit(slot, c, p, service);
    // What the next message brings comes on top of what was there of the lost one.
    if (missing && (p.bits & OP.start) !== 0 && slot.messageBytes === 0) slot.messageBytes = before;
    return result;
  }
}

/** Takes every third message of UC off the wire without a word, and leaves its receive for the next one. */
class DroppedMessages extends Responder {
  readonly #dropping = new Set<QpSlot>();
  #messages = 0;

  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    if (service !== QPC_SERVICE.uc || (p.bits & OP.send) === 0) return super.admit(slot, c, p, service);
    if ((p.bits & OP.start) !== 0) {
      this.#dropping.delete(slot);
      if (++this.#messages % 3 === 0) this.#dropping.add(slot);
    }
    if (!this.#dropping.has(slot)) return super.admit(slot, c, p, service);
    setExpectedPsn(this.core.bytes.i32, c, (p.psn + 1) & PSN_MASK);
    return DONE;
  }
}

export const DAMAGE_FAULTS = faultsOf(DAMAGE_ROWS, {
  icrc_ignored: planted({ parser: Trusting }),
  icrc_ignored_without_data: planted({ parser: TrustingAnswers }),
  cnp_unmarked: planted({ congestion: Worried }),
  cnp_missing: planted({ congestion: Unworried }),
  cnp_unpaced: planted({ congestion: Talkative }),
  cnp_without_becn: planted({ congestion: SilentSignal }),
  cnp_other_qp: planted({ congestion: MisledSignal }),
  uc_gap_patched: planted({ responder: PatchedMessage }),
  uc_waits_for_lost: planted({ responder: WaitingForLost }),
  uc_bytes_kept: planted({ responder: ForgottenBytes }),
  uc_message_dropped: planted({ responder: DroppedMessages }),
});
