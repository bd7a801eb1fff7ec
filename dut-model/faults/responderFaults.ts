/** Bugs of the responder, the receive queue and the response unit. */
import { BTH_OP, SYNDROME } from '../../rdma/bth.ts';
import { MPT_PERMISSION, QPC_SERVICE, QPC_STATE } from '../../rdma/hangu/contexts.ts';
import type { HanguCore } from '../hangu/core.ts';
import { HanguNic } from '../hangu/hanguNic.ts';
import { qpPd, qpService, qpState } from '../hangu/qpContext.ts';
import type { QpSlot } from '../hangu/qpSlot.ts';
import { RECV, ReceiveQueue } from '../hangu/receiveQueue.ts';
import { Responder } from '../hangu/responder.ts';
import { XLATE } from '../hangu/translation.ts';
import { ResponseUnit } from '../hangu/responseUnit.ts';
import type { Resumable, RxPacket } from '../roce/rxPacket.ts';
import { Every, LONG_MESSAGES, SEND_ERRORS, SLOW_LINK, SLOW_READS, WRONG_KEYS, planted } from './fault.ts';
import type { Fault } from './fault.ts';

class WrongAckPsn extends ResponseUnit {
  readonly #turn = new Every(3);
  protected override ackPsn(psn: number): number {
    return this.#turn.hit() ? (psn + 1) & 0xffffff : psn;
  }
}

class StuckMsn extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome, psn, msn > 1 ? 1 : msn);
  }
}

class ForgottenMsn extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number): void {
    super.acknowledge(slot, syndrome, psn, 0);
  }
}

class EagerMsn extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome, psn, syndrome > SYNDROME.nakSequence ? msn + 1 : msn);
  }
}

/** Asks for the shortest time whenever it is not ready. */
class HastyReceiver extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    const notReady = syndrome >= SYNDROME.rnr && syndrome < SYNDROME.nakSequence;
    super.acknowledge(slot, notReady ? SYNDROME.rnr | 1 : syndrome, psn, msn);
  }
}

/** Goes on answering READs after software has stopped it. */
class TirelessResponder extends ResponseUnit {
  override drop(): void {}
}

/** Answers more READs at once than it has resources for. */
class UnlimitedAnswers extends ResponseUnit {
  override hasRoom(): boolean {
    return true;
  }
}

/** Answers what is asked for again of a READ from one packet further back in memory. */
class LateRest extends ResponseUnit {
  override repeatRead(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    super.repeatRead(slot, c, p, msn);
    const item = slot.respTail;
    const starts = slot.savedReads?.some((read) => read.psn === p.psn);
    if (starts === false && item?.read === true && !item.fresh && item.psn === p.psn) item.vaLo -= item.mtu;
  }
}

/** Overlooks every seventh READ that comes in order. */
class DeafToReads extends ResponseUnit {
  readonly #turn = new Every(7);
  override read(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    super.read(slot, c, p, msn);
    if (this.#turn.hit()) this.drop(slot);
  }
}

/** Says twice that it refuses a request for good. */
class RepeatingNak extends ResponseUnit {
  override acknowledge(slot: QpSlot, syndrome: number, psn: number, msn: number): void {
    super.acknowledge(slot, syndrome, psn, msn);
    if (syndrome > SYNDROME.nakSequence) super.acknowledge(slot, syndrome, psn, msn);
  }
}

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
    if (c >= 0 && qpState(core.bytes.i32, c) === QPC_STATE.err) writeAnyway(core, c, p);
    return super.handle(slot, p);
  }
}

/** Tells nobody that a peer talks to a queue pair in RTR. */
class QuietResponder extends Responder {
  protected override established(slot: QpSlot): void {
    slot.established = true;
  }
}

/** Tells of every request to a queue pair in RTR. */
class ChattyResponder extends Responder {
  protected override established(slot: QpSlot): void {
    super.established(slot);
    slot.established = false;
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

/** Does not see the receive for every fifth message of a reliable connection. */
class ReluctantQueue extends ReceiveQueue {
  readonly #turn = new Every(5);
  override take(slot: QpSlot, c: number, asker: Resumable): number {
    const reliable = qpService(this.core.bytes.i32, c) === QPC_SERVICE.rc;
    return reliable && slot.recvSegment < 0 && this.#turn.hit() ? RECV.empty : super.take(slot, c, asker);
  }
}

/** Skips a slot of the receive ring now and then. */
class SkippingQueue extends ReceiveQueue {
  readonly #turn = new Every(3);
  protected override nextHead(head: number, stride: number, ring: number): number {
    return super.nextHead(head, this.#turn.hit() ? stride * 2 : stride, ring);
  }
}

/** Uses every fifth receive buffer twice. */
class RepeatingQueue extends ReceiveQueue {
  readonly #turn = new Every(5);
  protected override nextHead(head: number, stride: number, ring: number): number {
    return this.#turn.hit() ? head : super.nextHead(head, stride, ring);
  }
}

/** Counts a receive as used although the message that came to it was lost. */
class WastefulQueue extends ReceiveQueue {
  readonly #wasted = new Set<QpSlot>();
  override giveBack(slot: QpSlot): void {
    if (slot.recvSegment >= 0) this.#wasted.add(slot);
    super.giveBack(slot);
  }
  override take(slot: QpSlot, c: number, asker: Resumable): number {
    if (this.#wasted.delete(slot)) this.consume(slot, c);
    return super.take(slot, c, asker);
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
    if ((p.opcode & 31) === BTH_OP.writeOnly && p.length === 0 && !this.#opens(c, p)) return DONE;
    return super.admit(slot, c, p, service);
  }

  #opens(c: number, p: RxPacket): boolean {
    const { xlate, bytes } = this.core;
    const need = MPT_PERMISSION.remoteWrite;
    return xlate.translate(p.rkey, qpPd(bytes.i32, c), p.vaHi, p.vaLo, 1, need, false, p) === XLATE.ok;
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
    name: 'ack_wrong_psn',
    block: 'response',
    description: 'every third acknowledgement carries the PSN after the right one',
    caughtBy: ['WIRE_ACK_PSN', 'WIRE_PSN', 'SCB_STATUS', 'SCB_STUCK'],
    create: planted({ responses: WrongAckPsn }),
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
    name: 'comm_est_again',
    block: 'responder',
    description: 'software is told of every request that comes in RTR',
    caughtBy: ['HCA_EVENT_GROUNDLESS'],
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
    name: 'msn_stuck',
    block: 'response',
    description: 'the MSN of acknowledgements stays at 1',
    caughtBy: ['WIRE_MSN'],
    create: planted({ responses: StuckMsn }),
  },
  {
    name: 'msn_zero',
    block: 'response',
    description: 'the MSN of acknowledgements is always 0',
    caughtBy: ['WIRE_MSN'],
    create: planted({ responses: ForgottenMsn }),
  },
  {
    name: 'msn_of_refused',
    block: 'response',
    description: 'the MSN of a NAK counts the message that it refuses',
    caughtBy: ['WIRE_MSN'],
    needs: WRONG_KEYS,
    create: planted({ responses: EagerMsn }),
  },
  {
    name: 'rnr_timer',
    block: 'response',
    description: 'a receiver that is not ready asks for the shortest time, whatever its queue pair was given',
    caughtBy: ['WIRE_RNR'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=late_receives', '+MIN_RNR_TIMER=3'],
    create: planted({ responses: HastyReceiver }),
  },
  {
    name: 'answers_after_stop',
    block: 'response',
    description: 'a queue pair goes on answering READs after it was stopped',
    caughtBy: ['WIRE_SILENT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=3'],
    create: planted({ responses: TirelessResponder }),
  },
  {
    name: 'nak_repeated',
    block: 'response',
    description: 'a NAK that takes its queue pair to the error state is sent twice',
    caughtBy: ['WIRE_SILENT'],
    needs: WRONG_KEYS,
    create: planted({ responses: RepeatingNak }),
  },
  {
    name: 'dest_read_limit',
    block: 'response',
    description: 'READs are answered for which the queue pair has no resources',
    caughtBy: ['SCB_STATUS'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=6'],
    create: planted({ responses: UnlimitedAnswers }),
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
    name: 'read_unanswered',
    block: 'response',
    description: 'every seventh READ is overlooked until it is asked for again',
    caughtBy: ['SCB_UNANSWERED'],
    needs: ['+ACK_TIMEOUT=3'],
    create: planted({ responses: DeafToReads }),
  },
  {
    name: 'read_rest_early',
    block: 'response',
    description: 'the rest of a READ that is asked for again is taken from one packet further back in memory',
    caughtBy: ['SCB_READ_AGAIN'],
    needs: SLOW_READS,
    create: planted({ responses: LateRest }),
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
    name: 'recv_overlooked',
    block: 'receive queue',
    description: 'every fifth message of a reliable connection is refused although a receive is posted',
    caughtBy: ['SCB_REFUSED'],
    create: planted({ receiveQueue: ReluctantQueue }),
  },
  {
    name: 'lost_consumes',
    block: 'receive queue',
    description: 'a message of an unreliable connection that is lost uses its receive up',
    caughtBy: ['SCB_ORDER'],
    needs: [...LONG_MESSAGES, '+UC_QP_NUM=2'],
    create: planted({ receiveQueue: WastefulQueue }),
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
    name: 'recv_slot_skipped',
    block: 'receive queue',
    description: 'every third receive request is skipped',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_STUCK'],
    create: planted({ receiveQueue: SkippingQueue }),
  },
  {
    name: 'recv_slot_reused',
    block: 'receive queue',
    description: 'every fifth receive request is used twice',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STRAY_WRITE', 'SCB_DATA', 'SCB_DUPLICATE', 'SCB_STUCK'],
    create: planted({ receiveQueue: RepeatingQueue }),
  },
];
