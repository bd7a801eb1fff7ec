/** Bugs of the completion unit and of how requests are completed. */
import { CompletionEntry } from '../../model/queues/completionEntry.ts';
import { CompletionUnit } from '../../model/queues/completionUnit.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { Every, faultsOf, planted } from '../fault.ts';
import { COMPLETION_ROWS } from './rows/completionRows.ts';

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

export const COMPLETION_FAULTS = faultsOf(COMPLETION_ROWS, {
  cqe_lost: planted({ completions: LosingUnit }),
  cqe_repeated: planted({ completions: RepeatingUnit }),
  cqe_other_queue: planted({ completions: StrangeQueue }),
  cqe_slot: planted({ completions: MisplacingUnit }),
  cqe_swapped: planted({ completions: SwappingUnit }),
  uc_completion_missing: planted({ sendCompletion: SilentUnreliable }),
  flush_unfetched_lost: planted({ sendCompletion: ForgetfulFlush }),
  arm_long_index: planted({ completions: ShortIndex }),
});
