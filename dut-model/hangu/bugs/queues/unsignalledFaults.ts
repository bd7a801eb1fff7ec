/** Bugs of requests that ask for no completion. */
import { QPC_EXT } from '../../layout/contexts.ts';
import { CQE_SYNDROME, isFetch, NEXT_SEG } from '../../layout/queues.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import { extension } from '../../model/qpContext.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

const UNSIGNALED_REQUESTS: readonly string[] = [
  ...['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=unsignaled_requests'],
  ...['+RC_QP_NUM=4', '+UC_QP_NUM=2', '+UD_QP_NUM=2', '+SEQ_COUNT=2'],
];
const SOME: readonly string[] = ['+UNSIGNALED_PCT=60'];

/** A send queue that judges by other rules which requests complete. */
function signalling(rule: (w: Int32Array, c: number, dw2: number) => boolean): typeof SendQueue {
  return class extends SendQueue {
    protected override isSignalled(w: Int32Array, c: number, dw2: number): boolean {
      return rule(w, c, dw2);
    }
  };
}

/** Which requests that have ended are completed, by other rules. */
function completing(rule: (r: SendRequest, syndrome: number) => boolean): typeof SendCompletion {
  return class extends SendCompletion {
    protected override completes(r: SendRequest, syndrome: number): boolean {
      return rule(r, syndrome);
    }
  };
}

const isRight = (r: SendRequest, syndrome: number): boolean => r.signalled || syndrome !== 0;

/** Does something else as well when a request that asked for no completion succeeds. */
function succeeding(
  act: (unit: SendCompletion, slot: QpSlot, r: SendRequest, end: () => void) => void,
): typeof SendCompletion {
  return class extends SendCompletion {
    override completeHead(slot: QpSlot, syndrome: number): void {
      const r = slot.head as SendRequest;
      const end = (): void => super.completeHead(slot, syndrome);
      if (syndrome === 0 && !r.signalled) act(this, slot, r, end);
      else end();
    }
  };
}

class SilentFlush extends SendCompletion {
  override flushFetched(r: SendRequest): void {
    if (r.signalled) super.flushFetched(r);
    else {
      const { slot } = r;
      this.sendQueue.release(r);
      if (this.sendQueue.hasMore(slot)) this.requester.schedule(slot);
    }
  }
}

/** A completion tells where the first of the requests is that it stands for. */
class FirstNamed extends SendCompletion {
  readonly #first = new Map<number, number>();

  override completeHead(slot: QpSlot, syndrome: number): void {
    const { wqeOffset, signalled } = slot.head as SendRequest;
    if (!signalled && syndrome === 0 && !this.#first.has(slot.qpn)) this.#first.set(slot.qpn, wqeOffset);
    super.completeHead(slot, syndrome);
  }

  protected override report(slot: QpSlot, r: SendRequest, syndrome: number): void {
    const first = this.#first.get(slot.qpn);
    this.#first.delete(slot.qpn);
    if (first !== undefined && syndrome === 0) r.wqeOffset = first;
    super.report(slot, r, syndrome);
  }
}

/** A request without a completion that its peer refuses is passed over. */
class FailureSkipped extends SendCompletion {
  override fail(slot: QpSlot, c: number, syndrome: number): void {
    if (slot.head?.signalled === false && syndrome === CQE_SYNDROME.remoteAccess) this.completeHead(slot, 0);
    else super.fail(slot, c, syndrome);
  }
}

export const UNSIGNALLED_FAULTS: readonly Fault[] = [
  {
    name: 'signal_bit_ignored',
    block: 'send queue',
    description: 'requests complete that asked for no completion',
    caughtBy: ['SCB_UNSIGNALLED'],
    needs: SOME,
    create: planted({ sendQueue: signalling(() => true) }),
  },
  {
    name: 'signal_bit_of_event',
    block: 'send queue',
    description: 'the event bit of a request is taken for the one that asks for a completion',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING'],
    needs: SOME,
    create: planted({ sendQueue: signalling((_w, _c, dw2) => (dw2 & NEXT_SEG.event) !== 0) }),
  },
  {
    name: 'signal_all_ignored',
    block: 'send queue',
    description: 'of queue pairs that complete everything only what asks for that completes',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING'],
    create: planted({ sendQueue: signalling((_w, _c, dw2) => (dw2 & NEXT_SEG.cqUpdate) !== 0) }),
  },
  {
    name: 'signal_solicited',
    block: 'send queue',
    description: 'requests that are solicited complete although they asked for no completion',
    caughtBy: ['SCB_UNSIGNALLED'],
    needs: ['+SOLICITED=50', ...SOME],
    create: planted({
      sendQueue: signalling((w, c, dw2) => {
        const all = ((extension(w, c) >>> 24) & QPC_EXT.selectiveSignal) === 0;
        return all || (dw2 & (NEXT_SEG.cqUpdate | NEXT_SEG.solicited)) !== 0;
      }),
    }),
  },
  {
    name: 'signal_always_read',
    block: 'completion',
    description: 'READs and atomics complete although they asked for no completion',
    caughtBy: ['SCB_UNSIGNALLED'],
    needs: SOME,
    create: planted({ sendCompletion: completing((r, syndrome) => isRight(r, syndrome) || isFetch(r.opcode)) }),
  },
  {
    name: 'signal_always_unreliable',
    block: 'completion',
    description: 'requests of unreliable services complete although they asked for no completion',
    caughtBy: ['SCB_UNSIGNALLED'],
    needs: SOME,
    create: planted({ sendCompletion: completing((r, syndrome) => isRight(r, syndrome) || !r.slot.reliable) }),
  },
  {
    name: 'unsignalled_failure_silent',
    block: 'completion',
    description: 'a request that asked for no completion has none when it fails',
    caughtBy: ['SEQ_STATUS', 'SCB_STATUS', 'SCB_MISSING', 'SCB_STUCK'],
    needs: UNSIGNALED_REQUESTS,
    create: planted({
      sendCompletion: completing((r, syndrome) => r.signalled || syndrome === CQE_SYNDROME.flush),
    }),
  },
  {
    name: 'unsignalled_flush_silent',
    block: 'completion',
    description: 'a request that asked for no completion has none when it is flushed',
    caughtBy: ['SCB_MISSING', 'SCB_ORDER'],
    needs: UNSIGNALED_REQUESTS,
    create: planted({
      sendCompletion: completing(
        (r, syndrome) => isRight(r, syndrome) && (r.signalled || syndrome !== CQE_SYNDROME.flush),
      ),
    }),
  },
  {
    name: 'unsignalled_fetched_silent',
    block: 'completion',
    description: 'a request that asked for no completion, and is fetched in the error state, is not flushed',
    caughtBy: ['SCB_MISSING', 'SCB_ORDER'],
    needs: UNSIGNALED_REQUESTS,
    create: planted({ sendCompletion: SilentFlush }),
  },
  {
    name: 'unsignalled_failure_skipped',
    block: 'completion',
    description: 'a request that asked for no completion, and that its peer refuses, passes for done',
    caughtBy: ['WIRE_RETRY', 'SEQ_STATUS', 'SCB_STATUS', 'SCB_MISSING'],
    needs: UNSIGNALED_REQUESTS,
    create: planted({ sendCompletion: FailureSkipped }),
  },
  {
    name: 'unsignalled_ends_two',
    block: 'completion',
    description: 'the acknowledgement of a request without a completion ends the next one as well',
    caughtBy: ['SCB_EARLY', 'SCB_TRANSMISSIONS', 'SCB_DATA'],
    needs: SOME,
    create: planted({
      sendCompletion: succeeding((unit, slot, _r, end) => {
        end();
        if (slot.reliable && slot.head?.sent === true && slot.head.signalled) unit.completeHead(slot, 0);
      }),
    }),
  },
  {
    name: 'unsignalled_undrained',
    block: 'completion',
    description: 'a send queue that ends with a request without a completion never counts as drained',
    caughtBy: ['SCB_ASYNC_EVENT'],
    needs: UNSIGNALED_REQUESTS,
    create: planted({
      sendCompletion: succeeding((_unit, slot, _r, end) => {
        const notify = slot.drainNotify;
        slot.drainNotify = false;
        end();
        slot.drainNotify = notify;
      }),
    }),
  },
  {
    name: 'unsignalled_room_kept',
    block: 'completion',
    description: 'the room of a request without a completion is never free again',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING'],
    needs: ['+DB_NUM=10', '+RC_QP_NUM=2', ...SOME],
    create: planted({
      sendCompletion: succeeding((_unit, slot, _r, end) => {
        end();
        slot.requests++;
      }),
    }),
  },
  {
    name: 'unsignalled_read_kept',
    block: 'completion',
    description: 'a READ or an atomic without a completion counts as outstanding for ever',
    caughtBy: ['SCB_STUCK', 'SCB_MISSING', 'SCB_FENCE'],
    needs: ['+DB_NUM=10', '+RC_QP_NUM=2', ...SOME],
    create: planted({
      sendCompletion: succeeding((_unit, slot, r, end) => {
        end();
        if (isFetch(r.opcode)) slot.reads++;
      }),
    }),
  },
  {
    name: 'unsignalled_first_named',
    block: 'completion',
    description: 'a completion names the first of the requests that it stands for',
    caughtBy: ['SCB_UNSIGNALLED', 'SCB_WR_ID'],
    needs: SOME,
    create: planted({ sendCompletion: FirstNamed }),
  },
];
