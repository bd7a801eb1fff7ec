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
import { Every, faultsOf, planted } from '../fault.ts';
import { REQUESTER_ROWS } from './rows/requesterRows.ts';

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

export const REQUESTER_FAULTS = faultsOf(REQUESTER_ROWS, {
  opcode_last: planted({ requestPackets: MiddleForLast }),
  ack_never_requested: planted({ requestPackets: NeverAsks }),
  ack_requested_seldom: planted({ requestPackets: AsksSeldom }),
  ack_requested_late: planted({ requestPackets: AsksLate }),
  turn_endless: planted({ requester: EndlessTurns }),
  timer_hasty: planted({ requester: HastyTimer }),
  read_limit_ignored: planted({ requester: UnlimitedReads }),
  drain_ignored: planted({ requester: Undrained }),
  drained_early: planted({ sendCompletion: HastyDrain }),
  drained_not_said: planted({ sendCompletion: SilentDrain }),
  drained_unasked: planted({ sendCompletion: TalkativeDrain }),
  fence_ignored: planted({ requester: FenceIgnored }),
  completed_unacknowledged: planted({ requesterReceive: GreedyAck }),
  rnr_not_waited: planted({ sendCompletion: Impatient }),
  sqe_skips_psn: planted({ sendCompletion: Forgetful }),
  sqe_stays: planted({ sendCompletion: NeverAgain }),
  flush_said_done: planted({ sendCompletion: NothingFlushed }),
  psn_plain_compare: planted({ requesterReceive: PlainCompare }),
  read_shifted: planted({ requesterReceive: ShiftedRead }),
  read_not_written: planted({ requesterReceive: ForgetfulRead }),
});
