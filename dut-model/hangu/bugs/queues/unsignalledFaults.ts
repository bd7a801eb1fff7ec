/** Bugs of requests that ask for no completion. */
import { QPC_EXT } from '../../layout/contexts.ts';
import { CQE_SYNDROME, isFetch, NEXT_SEG } from '../../layout/queues.ts';
import { SendQueue } from '../../model/queues/sendQueue.ts';
import { extension } from '../../model/qpContext.ts';
import type { QpSlot, SendRequest } from '../../model/transport/qpSlot.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { faultsOf, planted } from '../fault.ts';
import { UNSIGNALLED_ROWS } from './rows/unsignalledRows.ts';

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

export const UNSIGNALLED_FAULTS = faultsOf(UNSIGNALLED_ROWS, {
  signal_bit_ignored: planted({ sendQueue: signalling(() => true) }),
  signal_bit_of_event: planted({ sendQueue: signalling((_w, _c, dw2) => (dw2 & NEXT_SEG.event) !== 0) }),
  signal_all_ignored: planted({ sendQueue: signalling((_w, _c, dw2) => (dw2 & NEXT_SEG.cqUpdate) !== 0) }),
  signal_solicited: planted({
    sendQueue: signalling((w, c, dw2) => {
      const all = ((extension(w, c) >>> 24) & QPC_EXT.selectiveSignal) === 0;
      return all || (dw2 & (NEXT_SEG.cqUpdate | NEXT_SEG.solicited)) !== 0;
    }),
  }),
  signal_always_read: planted({
    sendCompletion: completing((r, syndrome) => isRight(r, syndrome) || isFetch(r.opcode)),
  }),
  signal_always_unreliable: planted({
    sendCompletion: completing((r, syndrome) => isRight(r, syndrome) || !r.slot.reliable),
  }),
  unsignalled_failure_silent: planted({
    sendCompletion: completing((r, syndrome) => r.signalled || syndrome === CQE_SYNDROME.flush),
  }),
  unsignalled_flush_silent: planted({
    sendCompletion: completing(
      (r, syndrome) => isRight(r, syndrome) && (r.signalled || syndrome !== CQE_SYNDROME.flush),
    ),
  }),
  unsignalled_fetched_silent: planted({ sendCompletion: SilentFlush }),
  unsignalled_failure_skipped: planted({ sendCompletion: FailureSkipped }),
  unsignalled_ends_two: planted({
    sendCompletion: succeeding((unit, slot, _r, end) => {
      end();
      if (slot.reliable && slot.head?.sent === true && slot.head.signalled) unit.completeHead(slot, 0);
    }),
  }),
  unsignalled_undrained: planted({
    sendCompletion: succeeding((_unit, slot, _r, end) => {
      const notify = slot.drainNotify;
      slot.drainNotify = false;
      end();
      slot.drainNotify = notify;
    }),
  }),
  unsignalled_room_kept: planted({
    sendCompletion: succeeding((_unit, slot, _r, end) => {
      end();
      slot.requests++;
    }),
  }),
  unsignalled_read_kept: planted({
    sendCompletion: succeeding((_unit, slot, r, end) => {
      end();
      if (isFetch(r.opcode)) slot.reads++;
    }),
  }),
  unsignalled_first_named: planted({ sendCompletion: FirstNamed }),
});
