/** Bugs of declared budgets at their smallest and largest values: retries, refusals, outstanding READs, credits, depths of queues. */
import type { RxPacket } from '../../../roce/rxPacket.ts';
import { CQE_SYNDROME, isFetch } from '../../layout/queues.ts';
import { QPC_DW, retryLimit, rnrRetryLimit } from '../../model/qpContext.ts';
import { CompletionUnit, CQC_DW } from '../../model/queues/completionUnit.ts';
import { ReceiveQueue } from '../../model/queues/receiveQueue.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { Requester } from '../../model/transport/requester.ts';
import { ResponseUnit } from '../../model/transport/responseUnit.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { faultsOf, planted } from '../fault.ts';
import { BUDGET_ROWS } from './rows/budgetRows.ts';

/** Retries of queue pairs that may have so many are counted from another number. */
function retriesFrom(limit: number, first: number): typeof SendCompletion {
  return class extends SendCompletion {
    override retry(slot: QpSlot, c: number, psn: number): void {
      if (retryLimit(this.core.bytes.i32, c) === limit && slot.retries === 0) slot.retries = first;
      super.retry(slot, c, psn);
    }
  };
}

/** Refusals of queue pairs that may have so many are counted from another number. */
function refusalsFrom(limit: number, first: number): typeof SendCompletion {
  return class extends SendCompletion {
    override receiverNotReady(slot: QpSlot, c: number, psn: number, delayPs: number): void {
      if (rnrRetryLimit(this.core.bytes.i32, c) === limit && slot.rnrRetries === 0) slot.rnrRetries = first;
      super.receiverNotReady(slot, c, psn, delayPs);
    }
  };
}

/** A counter of refusals of three bits: for ever is over with the eighth. */
class ThreeBits extends SendCompletion {
  override receiverNotReady(slot: QpSlot, c: number, psn: number, delayPs: number): void {
    super.receiverNotReady(slot, c, psn, delayPs);
    if (slot.rnrRetries === 8) this.fail(slot, c, CQE_SYNDROME.rnrRetryExceeded);
  }
}

/** A limit of one READ is two. */
class OneIsTwo extends Requester {
  protected override mayFetch(slot: QpSlot, c: number, r: SendRequest): boolean {
    return super.mayFetch(slot, c, r) || (isFetch(r.opcode) && slot.reads === 1);
  }
}

/** What may be outstanding counts a READ as over when its first answer has come. */
class ReadsEndEarly extends Requester {
  protected override mayFetch(slot: QpSlot, c: number, r: SendRequest): boolean {
    const head = slot.head;
    const begun = head !== null && isFetch(head.opcode) && (head.sge > 0 || head.sgeDone > 0);
    return super.mayFetch(slot, c, r) || (begun && slot.reads === 1);
  }
}

/** A responder with room for few READs has room for one. */
class RoomForOne extends ResponseUnit {
  override hasRoom(slot: QpSlot, c: number): boolean {
    return super.hasRoom(slot, c) && slot.respReads < 1;
  }
}

/** A READ that comes again takes a resource that it does not give back. */
class RepeatsTakeRoom extends ResponseUnit {
  override repeatRead(slot: QpSlot, c: number, p: RxPacket, msn: number): void {
    slot.respReads++;
    super.repeatRead(slot, c, p, msn);
  }
}

/** The last receive of a ring of so many slots is passed over. */
function shortRing(most: number): typeof ReceiveQueue {
  return class extends ReceiveQueue {
    protected override nextHead(head: number, stride: number, ring: number): number {
      const next = super.nextHead(head, stride, ring);
      return ring <= most * stride && next === ring - stride ? 0 : next;
    }
  };
}

/** Completion queues of up to so many entries are full one entry early. */
class SmallFullEarly extends CompletionUnit {
  protected override isFull(w: Int32Array, c: number): boolean {
    const entries = 1 << ((w[c + CQC_DW.logSize] as number) >>> 24);
    const held = ((w[c + CQC_DW.producer] as number) - (w[c + CQC_DW.consumer] as number)) & 0x3_ffff;
    return super.isFull(w, c) || (entries <= 4 && held === entries - 1);
  }
}

/** Counts of retries are reloaded by any answer, also one that acknowledges nothing new. */
class ReloadedByNak extends SendCompletion {
  override retry(slot: QpSlot, c: number, psn: number): void {
    if (psn !== slot.retryPsn || psn === (this.core.bytes.i32[c + QPC_DW.unaPsn] as number))
      slot.retries = Math.min(slot.retries, 1);
    super.retry(slot, c, psn);
  }
}

export const BUDGET_FAULTS = faultsOf(BUDGET_ROWS, {
  retry_none_is_one: planted({ sendCompletion: retriesFrom(0, -1) }),
  retry_one_is_none: planted({ sendCompletion: retriesFrom(1, 1) }),
  retry_one_is_two: planted({ sendCompletion: retriesFrom(1, -1) }),
  retry_reloaded_by_nak: planted({ sendCompletion: ReloadedByNak }),
  rnr_one_is_none: planted({ sendCompletion: refusalsFrom(1, 1) }),
  rnr_one_is_two: planted({ sendCompletion: refusalsFrom(1, -1) }),
  rnr_for_ever_is_eight: planted({ sendCompletion: ThreeBits }),
  reads_one_is_two: planted({ requester: OneIsTwo }),
  reads_end_early: planted({ requester: ReadsEndEarly }),
  answers_few_is_one: planted({ responses: RoomForOne }),
  repeats_take_room: planted({ responses: RepeatsTakeRoom }),
  receive_ring_usual: planted({ receiveQueue: shortRing(32) }),
  cq_small_full_early: planted({ completions: SmallFullEarly }),
});
