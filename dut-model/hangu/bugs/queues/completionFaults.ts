/** Bugs of the completion unit and of how requests are completed. */
import { CompletionEntry } from '../../model/queues/completionEntry.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { Every, planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

/** As many completions as 16 bits count. */
const WRAP = 2 ** 16;

class LosingUnit extends CompletionUnit {
  readonly #turn = new Every(9);
  override post(e: CompletionEntry): void {
    if (!this.#turn.hit()) super.post(e);
  }
}

class RepeatingUnit extends CompletionUnit {
  readonly #turn = new Every(7);
  override post(e: CompletionEntry): void {
    const again = this.#turn.hit() ? Object.assign(new CompletionEntry(), e, { next: null }) : null;
    super.post(e);
    if (again !== null) super.post(again);
  }
}

/** Uses the completion queue of the next number. */
class StrangeQueue extends CompletionUnit {
  readonly #turn = new Every(9);
  override post(e: CompletionEntry): void {
    if (this.#turn.hit()) e.cqn ^= 1;
    super.post(e);
  }
}

class MisplacingUnit extends CompletionUnit {
  protected override slotOffset(k: number, logSize: number): number {
    return super.slotOffset(k % 6 === 5 ? k + 1 : k, logSize);
  }
}

/** Every fifth send completion waits until the next one of the same CQ has been written. */
class SwappingUnit extends CompletionUnit {
  readonly #turn = new Every(5);
  #held: CompletionEntry | null = null;
  override post(e: CompletionEntry): void {
    const held = this.#held;
    if (held === null && e.isSend && this.#turn.hit()) {
      this.#held = e;
      return;
    }
    super.post(e);
    if (held !== null && held.cqn === e.cqn) {
      this.#held = null;
      super.post(held);
    }
  }
}

/** Takes software, once it has seen more than 16 bits count, to be ahead of the CQ that it arms. */
class ShortIndex extends CompletionUnit {
  override arm(cqn: number, solicitedOnly: boolean, consumer: number): void {
    super.arm(cqn, solicitedOnly, consumer >= WRAP ? consumer + WRAP : consumer);
  }
}

class SilentUnreliable extends SendCompletion {
  override unacknowledged(slot: QpSlot, r: SendRequest): void {
    if (slot.head !== r) return;
    slot.head = r.next;
    if (slot.head === null) slot.tail = null;
    if (slot.cursor === r) slot.cursor = r.next;
    this.sendQueue.release(r);
  }
}

/** Drops requests that it fetches after the failure of their queue pair. */
class ForgetfulFlush extends SendCompletion {
  override flushFetched(r: SendRequest): void {
    const { slot } = r;
    this.sendQueue.release(r);
    if (this.sendQueue.hasMore(slot)) this.requester.schedule(slot);
  }
}

export const COMPLETION_FAULTS: readonly Fault[] = [
  {
    name: 'cqe_lost',
    block: 'completion',
    description: 'every ninth completion is not written',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING', 'SCB_ORDER', 'SCB_WR_ID'],
    create: planted({ completions: LosingUnit }),
  },
  {
    name: 'cqe_repeated',
    block: 'completion',
    description: 'every seventh completion is written twice',
    caughtBy: ['SCB_DUPLICATE', 'SCB_SURPLUS'],
    create: planted({ completions: RepeatingUnit }),
  },
  {
    name: 'cqe_other_queue',
    block: 'completion',
    description: 'every ninth completion is written to the completion queue beside its own',
    caughtBy: ['HCA_CQE_WRONG_CQ'],
    create: planted({ completions: StrangeQueue }),
  },
  {
    name: 'cqe_slot',
    block: 'completion',
    description: 'every sixth completion lands one slot too far',
    caughtBy: ['SCB_CQE_ADDR'],
    create: planted({ completions: MisplacingUnit }),
  },
  {
    name: 'cqe_swapped',
    block: 'completion',
    description: 'two completions of a queue change places',
    caughtBy: ['SCB_ORDER', 'SCB_WR_ID', 'SCB_STUCK', 'SCB_DATA'],
    create: planted({ completions: SwappingUnit }),
  },
  {
    name: 'uc_completion_missing',
    block: 'completion',
    description: 'unreliable sends never complete',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING'],
    create: planted({ sendCompletion: SilentUnreliable }),
  },
  {
    name: 'flush_unfetched_lost',
    block: 'completion',
    description: 'requests that are fetched after the failure of their queue pair are never flushed',
    caughtBy: ['SCB_MISSING'],
    needs: ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=7', '+MAX_SEND_WR=30'],
    create: planted({ sendCompletion: ForgetfulFlush }),
  },
  {
    name: 'arm_long_index',
    block: 'completion',
    description:
      'a completion queue that is armed behind its 65536th completion sends no event for what has come before',
    caughtBy: ['SEQ_EVENT_LOST'],
    needs: [
      ...['+RC_QP_NUM=256', '+UC_QP_NUM=0', '+UD_QP_NUM=0', '+PROC_NUM=1', '+SHARED_CQ=0', '+ONE_SIDE_LAUNCH=1'],
      ...['+DB_NUM=10', '+SEND_WQE_NUM=30', '+RECV_WQE_NUM=30', '+WRITE_WQE_NUM=0', '+READ_WQE_NUM=0'],
      ...['+SG_NUM=1', '+DATA_CNT=8', '+CQ_EVENT=1'],
    ],
    create: planted({ completions: ShortIndex }),
  },
];
