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
import { faultsOf, planted } from '../fault.ts';
import { STATE_ROWS } from './rows/stateRows.ts';

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

export const STATE_FAULTS = faultsOf(STATE_ROWS, {
  sqe_not_flushed: planted({ requester: IdleInSqe }),
  fence_ignored_by_reads: planted({ requester: UnfencedReads }),
  datagram_cut: planted({ sendCompletion: CutDatagrams }),
  error_of_oldest: planted({ sendCompletion: HastyError }),
  drained_not_flushed: planted({ sendCompletion: IdleInError }),
  read_resources_kept: planted({ responses: KeptResources }),
  flush_in_send_cq: planted({ completions: SharedFlush }),
});
