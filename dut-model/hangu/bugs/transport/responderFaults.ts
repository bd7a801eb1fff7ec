/** Bugs of the responder. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import { MPT_PERMISSION, QPC_STATE } from '../../layout/contexts.ts';
import { WAIT } from '../../model/core.ts';
import type { HanguCore } from '../../model/core.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import { QPC_DW, qpIpv6, qpMtu, qpPd, qpState } from '../../model/qpContext.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import { XLATE } from '../../model/memory/translation.ts';
import { swap32 } from '../../../roce/endian.ts';
import { IPV4_BYTES } from '../../../roce/frameLayout.ts';
import type { Resumable, RxPacket } from '../../../roce/rxPacket.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { RESPONDER_ROWS } from './rows/responderRows.ts';

/** Dword of an IPv4 header that holds the source address. */
const IPV4_SOURCE_DW = 3;

/** Half of a Q_Key. */
const LOWER_HALF = 0xffff;

/** Puts the payload of a WRITE of one packet where it says, whatever else there is to be asked. */
function writeAnyway(core: HanguCore, c: number, p: RxPacket): void {
  const { xlate, dma, bytes } = core;
  if ((p.opcode & 31) !== BTH_OP.writeOnly || p.length === 0) return;
  const asker: Resumable = { resume() {} };
  const need = MPT_PERMISSION.remoteWrite;
  const found = xlate.translate(p.rkey, qpPd(bytes.i32, c), p.vaHi, p.vaLo, p.length, need, false, asker);
  if (found === XLATE.ok) dma.write(xlate.paHi, xlate.paLo, Math.min(p.length, xlate.available), p.payload, p.block);
  xlate.drop(asker);
}

/** Executes WRITEs of one packet again when they come again. */
class WritingAgain extends Responder {
  protected override duplicate(slot: QpSlot, c: number, p: RxPacket, expected: number): void {
    super.duplicate(slot, c, p, expected);
    writeAnyway(this.core, c, p);
  }
}

/** Goes on executing WRITEs in ERR. */
class Undead extends Responder {
  override handle(slot: QpSlot, p: RxPacket): boolean {
    const { core } = this;
    const c = core.contextOf(slot, p);
    // Asked once: a packet that waits twice is resumed twice, the second time when it is gone.
    if (c === WAIT) return false;
    if (c >= 0 && qpState(core.bytes.i32, c) === QPC_STATE.err) writeAnyway(core, c, p);
    return super.handle(slot, p);
  }
}

/** Takes the source address of an IPv4 packet for that of its queue pair's peer. */
class Unsuspecting extends Responder {
  override handle(slot: QpSlot, p: RxPacket): boolean {
    const { core } = this;
    const c = core.contextOf(slot, p);
    if (c === WAIT) return false;
    const w = core.bytes.i32;
    const at = (p.l3 >> 2) + IPV4_SOURCE_DW;
    if (c < 0 || p.stage !== 0 || p.l3Bytes !== IPV4_BYTES || qpIpv6(w, c)) return super.handle(slot, p);
    const source = w[at] as number;
    w[at] = swap32(w[c + QPC_DW.dip] as number);
    const done = super.handle(slot, p);
    w[at] = source;
    return done;
  }
}

/** Takes a Q_Key for the right one when its lower half is. */
class HalfQkey extends Responder {
  override handle(slot: QpSlot, p: RxPacket): boolean {
    const { core } = this;
    const c = core.contextOf(slot, p);
    if (c === WAIT) return false;
    const own = c < 0 ? 0 : (core.bytes.i32[c + QPC_DW.qkey] as number);
    if (c >= 0 && ((p.qkey ^ own) & LOWER_HALF) === 0) p.qkey = own;
    return super.handle(slot, p);
  }
}

/** Holds only the first packet of a READ's answer against its key, and the others when their turn comes. */
class CheckingByPacket extends Responder {
  protected override checkKey(c: number, p: RxPacket, need: number): number {
    const whole = p.dmaLength;
    if (need === MPT_PERMISSION.remoteRead) p.dmaLength = Math.min(whole, qpMtu(this.core.bytes.i32, c));
    const result = super.checkKey(c, p, need);
    p.dmaLength = whole;
    return result;
  }
}

/** Tells nobody that a peer talks to a queue pair in RTR. */
class QuietResponder extends Responder {
  protected override established(slot: QpSlot): void {
    slot.established = true;
  }
}

/** Tells nobody that a peer writes to a queue pair in RTR, or reads from it. */
class TellingOfSends extends Responder {
  override handle(slot: QpSlot, p: RxPacket): boolean {
    const told = slot.established;
    const silent = (p.opcode & 31) > BTH_OP.sendOnlyImm;
    if (silent) slot.established = true;
    const done = super.handle(slot, p);
    if (silent) slot.established = told;
    return done;
  }
}

/** Tells of every request to a queue pair in RTR. */
class ChattyResponder extends Responder {
  protected override established(slot: QpSlot): void {
    super.established(slot);
    slot.established = false;
  }
}

/** Asks for a missing packet once for each that follows it. */
class ImpatientResponder extends Responder {
  protected override outOfOrder(slot: QpSlot, c: number, expected: number): void {
    slot.nakSent = false;
    super.outOfOrder(slot, c, expected);
  }
}

/** Forgets to answer every 15th packet that asked for an answer. */
class SilentResponder extends Responder {
  readonly #turn = new Every(15);
  protected override acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    if (!this.#turn.hit()) super.acknowledge(slot, c, p);
  }
}

/** Asks again for every 15th packet that it has acknowledged. */
class ForgetfulResponder extends Responder {
  readonly #turn = new Every(15);
  protected override acknowledge(slot: QpSlot, c: number, p: RxPacket): void {
    super.acknowledge(slot, c, p);
    if (this.#turn.hit()) this.outOfOrder(slot, c, p.psn);
  }
}

/** Puts as much of a datagram into its receive as there is room for. */
class CuttingResponder extends Responder {
  protected override hasRoom(slot: QpSlot, p: RxPacket, before: number): boolean {
    if (!super.hasRoom(slot, p, before)) p.length = Math.max(0, slot.recvRoom - before);
    return true;
  }
}

/** What `admit` returns for a packet that is done with. */
const DONE = 0;

const WAITING = 1;

/** Takes SQE for ERR: drops what comes. */
class DeafInSqe extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    if (qpState(this.core.bytes.i32, c) === QPC_STATE.sqe) return DONE;
    return super.admit(slot, c, p, service);
  }
}

/** Receives nothing while its send queue is drained. */
class DeafInSqd extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    if (qpState(this.core.bytes.i32, c) === QPC_STATE.sqd) return DONE;
    return super.admit(slot, c, p, service);
  }
}

/** Drops WRITEs of no bytes under keys that open nothing, as it would others. */
class FussyResponder extends Responder {
  protected override admit(slot: QpSlot, c: number, p: RxPacket, service: number): number {
    if ((p.opcode & 31) !== BTH_OP.writeOnly || p.length > 0) return super.admit(slot, c, p, service);
    const { xlate, bytes } = this.core;
    const need = MPT_PERMISSION.remoteWrite;
    const opened = xlate.translate(p.rkey, qpPd(bytes.i32, c), p.vaHi, p.vaLo, 1, need, false, p);
    if (opened === XLATE.wait) return WAITING;
    return opened === XLATE.ok ? super.admit(slot, c, p, service) : DONE;
  }
}

export const RESPONDER_FAULTS = faultsOf(RESPONDER_ROWS, {
  qkey_ignored: (c, k) => new HanguNic(c, { ...k, checkQkey: 0 }),
  qkey_half: planted({ responder: HalfQkey }),
  source_ignored: planted({ responder: Unsuspecting }),
  write_again: planted({ responder: WritingAgain }),
  comm_est_lost: planted({ responder: QuietResponder }),
  comm_est_of_sends: planted({ responder: TellingOfSends }),
  comm_est_again: planted({ responder: ChattyResponder }),
  sqd_deaf: planted({ responder: DeafInSqd }),
  empty_write_refused: planted({ responder: FussyResponder }),
  write_in_err: planted({ responder: Undead }),
  ack_missing: planted({ responder: SilentResponder }),
  nak_after_ack: planted({ responder: ForgetfulResponder }),
  read_checked_by_packet: planted({ responder: CheckingByPacket }),
  ud_too_long_cut: planted({ responder: CuttingResponder }),
  sqe_deaf: planted({ responder: DeafInSqe }),
  nak_every_packet: planted({ responder: ImpatientResponder }),
});
