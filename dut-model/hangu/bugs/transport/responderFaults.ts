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
import { Every, LONG_MESSAGES, SEND_ERRORS, SLOW_LINK, WRONG_KEYS, planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

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

const RECONNECTS = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=reconnects', '+SEQ_COUNT=2', '+UD_QP_NUM=0'];

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

export const RESPONDER_FAULTS: readonly Fault[] = [
  {
    name: 'qkey_ignored',
    block: 'responder',
    description: 'datagrams are taken whatever their Q_Key',
    caughtBy: ['SCB_NO_MESSAGE', 'SCB_DATA'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=datagram_peers'],
    create: (c, k) => new HanguNic(c, { ...k, checkQkey: 0 }),
  },
  {
    name: 'qkey_half',
    block: 'responder',
    description: 'datagrams are taken when the lower half of their Q_Key is right',
    caughtBy: ['SCB_NO_MESSAGE', 'SCB_DATA'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=datagram_peers'],
    create: planted({ responder: HalfQkey }),
  },
  {
    name: 'source_ignored',
    block: 'responder',
    description: 'requests are taken from any host that names the queue pair',
    caughtBy: ['SCB_NO_MESSAGE', 'SCB_STRAY_WRITE', 'WIRE_ACK_PSN'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=strangers', '+HOST_NUM=3', '+RC_QP_NUM=3', '+UC_QP_NUM=3'],
    create: planted({ responder: Unsuspecting }),
  },
  {
    name: 'write_again',
    block: 'responder',
    description: 'a WRITE of one packet that comes once more is executed once more',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: SLOW_LINK,
    create: planted({ responder: WritingAgain }),
  },
  {
    name: 'comm_est_lost',
    block: 'responder',
    description: 'software is not told of the first message that comes in RTR',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: RECONNECTS,
    create: planted({ responder: QuietResponder }),
  },
  {
    name: 'comm_est_of_sends',
    block: 'responder',
    description: 'software is not told of the first WRITE or READ that comes in RTR',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: RECONNECTS,
    create: planted({ responder: TellingOfSends }),
  },
  {
    name: 'comm_est_again',
    block: 'responder',
    description: 'software is told of every request that comes in RTR',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    needs: RECONNECTS,
    create: planted({ responder: ChattyResponder }),
  },
  {
    name: 'sqd_deaf',
    block: 'responder',
    description: 'a queue pair whose send queue is drained receives nothing',
    caughtBy: ['SCB_UNANSWERED', 'SCB_STUCK', 'SCB_STATUS', 'SCB_MISSING'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=drained_peers'],
    create: planted({ responder: DeafInSqd }),
  },
  {
    name: 'empty_write_refused',
    block: 'responder',
    description: 'a WRITE of no bytes is dropped when its key opens nothing',
    caughtBy: ['SCB_UNANSWERED', 'SCB_STUCK', 'SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=empty_requests', '+UD_QP_NUM=0'],
    create: planted({ responder: FussyResponder }),
  },
  {
    name: 'write_in_err',
    block: 'responder',
    description: 'a queue pair in ERR goes on executing WRITEs',
    caughtBy: ['SCB_STRAY_WRITE'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=dead_peers', '+MTU=4096'],
    create: planted({ responder: Undead }),
  },
  {
    name: 'ack_missing',
    block: 'responder',
    description: 'every 15th packet that asks for an acknowledgement gets none',
    caughtBy: ['SCB_UNANSWERED'],
    needs: [
      '+READ_WQE_NUM=0',
      '+WRITE_WQE_NUM=0',
      '+SEND_WQE_NUM=1',
      '+RECV_WQE_NUM=1',
      '+DB_NUM=10',
      '+ACK_TIMEOUT=2',
    ],
    create: planted({ responder: SilentResponder }),
  },
  {
    name: 'nak_after_ack',
    block: 'responder',
    description: 'every 15th acknowledged packet is asked for again',
    caughtBy: ['WIRE_NAK'],
    needs: ['+READ_WQE_NUM=0'],
    create: planted({ responder: ForgetfulResponder }),
  },
  {
    name: 'read_checked_by_packet',
    block: 'responder',
    description: 'the key of a READ is held against the first packet of its answer before that is sent',
    caughtBy: ['SCB_ANSWERED'],
    needs: WRONG_KEYS,
    create: planted({ responder: CheckingByPacket }),
  },
  {
    name: 'ud_too_long_cut',
    block: 'responder',
    description: 'a datagram that is too long for its receive is cut',
    caughtBy: ['SCB_BYTE_LEN'],
    needs: [...LONG_MESSAGES, '+UD_QP_NUM=2'],
    create: planted({ responder: CuttingResponder }),
  },
  {
    name: 'sqe_deaf',
    block: 'responder',
    description: 'a queue pair whose send queue has stopped for an error drops what it should receive',
    caughtBy: ['SCB_STUCK'],
    needs: SEND_ERRORS,
    create: planted({ responder: DeafInSqe }),
  },
  {
    name: 'nak_every_packet',
    block: 'responder',
    description: 'every packet behind a missing or refused one is answered with a NAK, and not only the first',
    caughtBy: ['WIRE_NAK'],
    needs: [
      '+UVM_TESTNAME=test_sequence',
      '+UVM_TEST_SEQ=late_receives',
      '+RC_QP_NUM=29',
      '+MTU=256',
      '+LINK_LATENCY_NS=10000',
    ],
    create: planted({ responder: ImpatientResponder }),
  },
];
