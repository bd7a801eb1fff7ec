/** Bugs of the send queue and the requester. */
import { CQE_SYNDROME, WQE_OPCODE } from '../../layout/queues.ts';
import { QPC_DW } from '../../model/qpContext.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { RequestPackets } from '../../model/transport/requestPackets.ts';
import { Requester } from '../../model/transport/requester.ts';
import { RequesterReceive } from '../../model/transport/requesterReceive.ts';
import { psnAdd, psnCmp } from '../../../roce/psn.ts';
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { Every, SEND_ERRORS, planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

class MiddleForLast extends RequestPackets {
  protected override operation(write: boolean, first: boolean, last: boolean, imm: boolean): number {
    return super.operation(write, first, last && (first || imm), imm);
  }
}

class NeverAsks extends RequestPackets {
  protected override wantsAck(): boolean {
    return false;
  }
}

/** Asks at the end of every second message only. */
class AsksSeldom extends RequestPackets {
  readonly #turn = new Every(2);
  protected override wantsAck(last: boolean, psn: number): boolean {
    return super.wantsAck(last, psn) && (!last || this.#turn.hit());
  }
}

/** Asks inside a message every 96 packets only. */
class AsksLate extends RequestPackets {
  protected override wantsAck(last: boolean, psn: number): boolean {
    return last || psn % 96 === 0;
  }
}

/** Goes on with the queue pair that it serves as long as that has work. */
class EndlessTurns extends Requester {
  #served: QpSlot | null = null;
  override schedule(slot: QpSlot): void {
    if (slot.turnLeft === 0 && slot === this.#served) slot.turnLeft = 1;
    super.schedule(slot);
  }
  protected override mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    this.#served = slot;
    return super.mayTransmit(slot, c, r);
  }
}

/** Takes a hundredth of the ACK time-out. */
class HastyTimer extends Requester {
  override restartTimer(slot: QpSlot): void {
    const given = slot.timeoutPs;
    slot.timeoutPs = given / 100;
    super.restartTimer(slot);
    slot.timeoutPs = given;
  }
}

/** Takes plain comparison for sequence comparison: acknowledgements behind the wrap look old. */
class PlainCompare extends RequesterReceive {
  override handle(slot: QpSlot, p: RxPacket): boolean {
    const c = this.core.queuePair(slot.qpn, p);
    if (c >= 0 && p.psn < (this.core.bytes.i32[c + QPC_DW.unaPsn] as number)) return true;
    return super.handle(slot, p);
  }
}

/** Has as many READs under way as there are. */
class UnlimitedReads extends Requester {
  protected override mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    const { reads } = slot;
    slot.reads = 0;
    const may = super.mayTransmit(slot, c, r);
    slot.reads = reads;
    return may;
  }
}

/** Does not hold back what is fenced. */
class FenceIgnored extends Requester {
  protected override mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    r.fence = false;
    return super.mayTransmit(slot, c, r);
  }
}

/** Starts requests in SQD as well. */
class Undrained extends Requester {
  protected override startsNew(): boolean {
    return true;
  }
}

/** Takes an acknowledgement for one of everything that it has sent, up to the next READ. */
class GreedyAck extends RequesterReceive {
  protected override acknowledged(slot: QpSlot, c: number, psn: number, implied = false): void {
    let last = psn;
    for (let r = slot.head; r?.sent === true && r.opcode !== WQE_OPCODE.read; r = r.next) {
      if (psnCmp(r.lastPsn, last) > 0) last = r.lastPsn;
    }
    super.acknowledged(slot, c, implied ? psn : last, implied);
  }
}

/** READ data of every sixth response go four bytes too far. */
class ShiftedRead extends RequesterReceive {
  readonly #turn = new Every(6);
  protected override store(p: RxPacket, hi: number, lo: number, n: number): void {
    super.store(p, hi, this.#turn.hit() && (lo & 0xfff) + n <= 4092 ? lo + 4 : lo, n);
  }
}

/** READ completes although the data of its last response were not written. */
class ForgetfulRead extends RequesterReceive {
  readonly #turn = new Every(5);
  protected override store(p: RxPacket, hi: number, lo: number, n: number): void {
    if (!this.#turn.hit()) super.store(p, hi, lo, n);
  }
}

/** Sends again at once what the receiver was not ready for. */
class Impatient extends SendCompletion {
  override receiverNotReady(slot: QpSlot, c: number, psn: number): void {
    super.receiverNotReady(slot, c, psn, 0);
  }
}

/** Goes on after an error behind the numbers of packets that it never sent. */
class Forgetful extends SendCompletion {
  protected override nextPsn(r: SendRequest): number {
    return psnAdd(super.nextPsn(r), 1);
  }
}

/** Takes a queue to be drained when only one of the requests that were started is left. */
class HastyDrain extends SendCompletion {
  override isDraining(slot: QpSlot): boolean {
    const second = slot.head?.next ?? null;
    return second !== null && second.firstPsn >= 0;
  }
}

/** Says that a queue is drained when its last request completes, and nothing where none was outstanding. */
class SilentDrain extends SendCompletion {
  #completes = false;
  override completeHead(slot: QpSlot, syndrome: number): void {
    this.#completes = true;
    super.completeHead(slot, syndrome);
    this.#completes = false;
  }

  override drained(slot: QpSlot): void {
    if (this.#completes) super.drained(slot);
  }
}

/** Says of every fifth queue that has nothing left to do that it is drained, asked or not. */
class TalkativeDrain extends SendCompletion {
  readonly #turn = new Every(5);
  override completeHead(slot: QpSlot, syndrome: number): void {
    super.completeHead(slot, syndrome);
    if (slot.head === null && this.#turn.hit()) this.drained(slot);
  }
}

/** Whatever is behind a request that failed is said to have been carried out. */
class NothingFlushed extends SendCompletion {
  protected override report(slot: QpSlot, r: SendRequest, syndrome: number): void {
    super.report(slot, r, syndrome === CQE_SYNDROME.flush ? 0 : syndrome);
  }
}

/** Says nothing of what an unreliable queue pair has sent since it came out of SQE. */
class NeverAgain extends SendCompletion {
  readonly #failed = new Set<QpSlot>();

  override localError(slot: QpSlot, c: number, r: SendRequest): void {
    if (slot.head === r) this.#failed.add(slot);
    super.localError(slot, c, r);
  }

  override unacknowledged(slot: QpSlot, r: SendRequest): void {
    if (!this.#failed.has(slot)) super.unacknowledged(slot, r);
  }
}

const LATE_RECEIVES = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=late_receives', '+RNR_RETRY=7'];

export const REQUESTER_FAULTS: readonly Fault[] = [
  {
    name: 'opcode_last',
    block: 'requester',
    description: 'the last packet of a longer message is sent as a middle one',
    caughtBy: ['WIRE_PAYLOAD', 'SCB_STUCK', 'SCB_STATUS'],
    needs: ['+DATA_CNT=9000', '+DATA_UNIT=B', '+MTU=1024'],
    create: planted({ requestPackets: MiddleForLast }),
  },
  {
    name: 'ack_never_requested',
    block: 'requester',
    description: 'no packet asks for an acknowledgement',
    caughtBy: ['SCB_STUCK', 'SCB_STATUS', 'WIRE_ACK_REQUEST'],
    needs: ['+READ_WQE_NUM=0'],
    create: planted({ requestPackets: NeverAsks }),
  },
  {
    name: 'ack_requested_seldom',
    block: 'requester',
    description: 'only every second message asks for an acknowledgement',
    caughtBy: ['WIRE_ACK_REQUEST'],
    create: planted({ requestPackets: AsksSeldom }),
  },
  {
    name: 'ack_requested_late',
    block: 'requester',
    description: 'inside a long message only one packet in 96 asks for an acknowledgement',
    caughtBy: ['WIRE_ACK_REQUEST'],
    needs: ['+DATA_CNT=30000', '+DATA_UNIT=B', '+MTU=256'],
    create: planted({ requestPackets: AsksLate }),
  },
  {
    name: 'turn_endless',
    block: 'requester',
    description: 'a queue pair is served until it has nothing left, and the others wait',
    caughtBy: ['SCB_STARVED'],
    needs: [
      ...['+RC_QP_NUM=0', '+UC_QP_NUM=2', '+UD_QP_NUM=0', '+PROC_NUM=1', '+ONE_SIDE_LAUNCH', '+NIC_SEND_JOBS=1'],
      ...['+SEND_WQE_NUM=0', '+RECV_WQE_NUM=0', '+READ_WQE_NUM=0', '+WRITE_WQE_NUM=1'],
      ...['+DB_NUM=1', '+SG_NUM=1', '+DATA_CNT=2500000', '+DATA_UNIT=B', '+MTU=256'],
    ],
    create: planted({ requester: EndlessTurns }),
  },
  {
    name: 'timer_hasty',
    block: 'requester',
    description: 'the ACK time-out is a hundred times too short',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: ['+ACK_TIMEOUT=5'],
    create: planted({ requester: HastyTimer }),
  },
  {
    name: 'read_limit_ignored',
    block: 'requester',
    description: 'more READs are outstanding than the queue pair may have',
    caughtBy: ['WIRE_READ_LIMIT'],
    needs: ['+MAX_RD_ATOMIC=2'],
    create: planted({ requester: UnlimitedReads }),
  },
  {
    name: 'drain_ignored',
    block: 'requester',
    description: 'requests are started in SQD',
    caughtBy: ['WIRE_SILENT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=4'],
    create: planted({ requester: Undrained }),
  },
  {
    name: 'drained_early',
    block: 'requester',
    description: 'a send queue is said to be drained before its requests are answered',
    caughtBy: ['WIRE_DRAINED'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=10'],
    create: planted({ sendCompletion: HastyDrain }),
  },
  {
    name: 'drained_not_said',
    block: 'requester',
    description: 'of a send queue in which nothing is outstanding it is not said that it is drained',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=drained_peers'],
    create: planted({ sendCompletion: SilentDrain }),
  },
  {
    name: 'drained_unasked',
    block: 'requester',
    description: 'now and then a send queue is said to be drained although software has not asked',
    caughtBy: ['SCB_EVENT_GROUNDLESS'],
    create: planted({ sendCompletion: TalkativeDrain }),
  },
  {
    name: 'fence_ignored',
    block: 'requester',
    description: 'fenced requests do not wait for the READs before them',
    caughtBy: ['SCB_FENCE'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=send_flags'],
    create: planted({ requester: FenceIgnored }),
  },
  {
    name: 'completed_unacknowledged',
    block: 'requester',
    description: 'an acknowledgement completes everything that was sent, and not only what it covers',
    caughtBy: ['SCB_EARLY'],
    create: planted({ requesterReceive: GreedyAck }),
  },
  {
    name: 'rnr_not_waited',
    block: 'requester',
    description: 'what the receiver is not ready for is sent again at once',
    caughtBy: ['WIRE_RNR'],
    needs: LATE_RECEIVES,
    create: planted({ sendCompletion: Impatient }),
  },
  {
    name: 'sqe_skips_psn',
    block: 'requester',
    description:
      'after an error of its own an unreliable queue pair goes on behind the number of a packet it never sent',
    caughtBy: ['WIRE_PSN'],
    needs: SEND_ERRORS,
    create: planted({ sendCompletion: Forgetful }),
  },
  {
    name: 'sqe_stays',
    block: 'requester',
    description: 'an unreliable queue pair completes nothing that is posted after it was taken out of SQE',
    caughtBy: ['SCB_STUCK'],
    needs: SEND_ERRORS,
    create: planted({ sendCompletion: NeverAgain }),
  },
  {
    name: 'flush_said_done',
    block: 'requester',
    description: 'requests behind one that failed complete with success instead of being flushed',
    caughtBy: ['SCB_STATUS'],
    needs: SEND_ERRORS,
    create: planted({ sendCompletion: NothingFlushed }),
  },
  {
    name: 'psn_plain_compare',
    block: 'requester',
    description: 'acknowledgements behind the wrap of the PSN are taken for old ones',
    caughtBy: ['SCB_STUCK', 'SCB_STATUS', 'WIRE_UNPROVOKED'],
    needs: ['+PSN=0xfffffe', '+READ_WQE_NUM=0', '+DATA_CNT=9000'],
    create: planted({ requesterReceive: PlainCompare }),
  },
  {
    name: 'read_shifted',
    block: 'requester',
    description: 'the data of every sixth READ response are placed four bytes too far',
    caughtBy: ['SCB_DATA', 'SCB_STRAY_WRITE'],
    create: planted({ requesterReceive: ShiftedRead }),
  },
  {
    name: 'read_not_written',
    block: 'requester',
    description: 'the data of every fifth READ response are not written',
    caughtBy: ['SCB_DATA'],
    create: planted({ requesterReceive: ForgetfulRead }),
  },
];
