/** Bugs of queue pairs that are drained, stopped or changed: what goes on then, and what has to end. */
import { QPC_STATE } from '../../layout/contexts.ts';
import { CQE_SYNDROME, WQE_OPCODE } from '../../layout/queues.ts';
import type { CompletionEntry } from '../../model/queues/completionEntry.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import { extension } from '../../model/qpContext.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { Requester } from '../../model/transport/requester.ts';
import { ResponseUnit } from '../../model/transport/responseUnit.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { planted, SEND_ERRORS } from '../fault.ts';
import type { Fault } from '../fault.ts';

const SEQUENCE = '+UVM_TESTNAME=test_sequence';
const STOP_MIDWAY: readonly string[] = [SEQUENCE, '+UVM_TEST_SEQ=stop_midway', '+RC_QP_NUM=11'];

/** Leaves what is posted in SQE where it is. */
class IdleInSqe extends Requester {
  protected override flushes(state: number): boolean {
    return state !== QPC_STATE.sqe && super.flushes(state);
  }
}

/** Does not hold READs back that are fenced. */
class UnfencedReads extends Requester {
  protected override mayTransmit(slot: QpSlot, c: number, r: SendRequest): boolean {
    if (r.opcode === WQE_OPCODE.read) r.fence = false;
    return super.mayTransmit(slot, c, r);
  }
}

/** Sends a datagram that is longer than the path MTU in several packets. */
class CutDatagrams extends SendCompletion {
  override localError(slot: QpSlot, c: number, r: SendRequest): void {
    if (r.syndrome !== CQE_SYNDROME.localLength) {
      super.localError(slot, c, r);
      return;
    }
    r.syndrome = 0;
    this.requester.schedule(slot);
  }
}

/** Lets a request that cannot be carried out end in place of the oldest one. */
class HastyError extends SendCompletion {
  override localError(slot: QpSlot, c: number, r: SendRequest): void {
    super.localError(slot, c, slot.head !== null && slot.head.firstPsn >= 0 ? failing(slot.head, r) : r);
  }
}

function failing(head: SendRequest, r: SendRequest): SendRequest {
  head.syndrome = r.syndrome;
  return head;
}

/** Flushes what it has fetched when it is taken to ERR, and fetches no more. */
class IdleInError extends SendCompletion {
  override fetchRest(): void {}
}

/** Goes on answering as many READs at once as it did when it answered the first one. */
class KeptResources extends ResponseUnit {
  readonly #first = new Map<QpSlot, number>();
  override hasRoom(slot: QpSlot, c: number): boolean {
    const now = extension(this.core.bytes.i32, c) & 0xff;
    const first = this.#first.get(slot) ?? now;
    this.#first.set(slot, first);
    return slot.respReads < first;
  }
}

/** Completes flushed receives where the send requests of their queue pair complete. */
class SharedFlush extends CompletionUnit {
  readonly #queues = new Map<number, number>();
  override post(e: CompletionEntry): void {
    if (e.isSend) this.#queues.set(e.qpn, e.cqn);
    else if (e.syndrome === CQE_SYNDROME.flush) e.cqn = this.#queues.get(e.qpn) ?? e.cqn;
    super.post(e);
  }
}

export const STATE_FAULTS: readonly Fault[] = [
  {
    name: 'sqe_not_flushed',
    block: 'requester',
    description: 'requests that are posted in SQE are not flushed',
    caughtBy: ['SCB_MISSING', 'SCB_STUCK'],
    needs: [...SEND_ERRORS, '+RC_QP_NUM=0'],
    create: planted({ requester: IdleInSqe }),
  },
  {
    name: 'fence_ignored_by_reads',
    block: 'requester',
    description: 'a fenced READ does not wait for the READs before it',
    caughtBy: ['SCB_FENCE'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=linked_fences'],
    create: planted({ requester: UnfencedReads }),
  },
  {
    name: 'datagram_cut',
    block: 'send completion',
    description: 'a datagram that is longer than the path MTU is sent in several packets',
    caughtBy: ['WIRE_OPCODE', 'SCB_STATUS'],
    needs: [...SEND_ERRORS.filter((arg) => arg !== '+UC_QP_NUM=1'), '+RC_QP_NUM=0', '+UC_QP_NUM=0'],
    create: planted({ sendCompletion: CutDatagrams }),
  },
  {
    name: 'error_of_oldest',
    block: 'send completion',
    description: 'a request that cannot be carried out takes the oldest one with it',
    caughtBy: ['SCB_STATUS'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=wrong_keys', '+RC_QP_NUM=29', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
    create: planted({ sendCompletion: HastyError }),
  },
  {
    name: 'drained_not_flushed',
    block: 'send completion',
    description: 'what was posted in SQD is not flushed when its queue pair goes to ERR',
    caughtBy: ['SCB_MISSING'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=drained_peers', '+RC_QP_NUM=1', '+UC_QP_NUM=0', '+UD_QP_NUM=0'],
    create: planted({ sendCompletion: IdleInError }),
  },
  {
    name: 'read_resources_kept',
    block: 'responses',
    description: 'READs are answered although software has taken the resources for that away',
    caughtBy: ['SCB_STATUS'],
    needs: STOP_MIDWAY,
    create: planted({ responses: KeptResources }),
  },
  {
    name: 'flush_in_send_cq',
    block: 'completion',
    description: 'flushed receives complete in the completion queue of send requests',
    caughtBy: ['HCA_CQE_WRONG_CQ', 'SCB_CQ'],
    needs: [...STOP_MIDWAY, '+SPLIT_CQ=1'],
    create: planted({ completions: SharedFlush }),
  },
];
