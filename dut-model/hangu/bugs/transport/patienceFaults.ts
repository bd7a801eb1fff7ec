/** Bugs of requesters that are refused or have no answer: how often and when they try again. */
import { QPC_STATE } from '../../layout/contexts.ts';
import { CQE_SYNDROME, WQE_OPCODE } from '../../layout/queues.ts';
import { ACK_TIMER_PS, RNR_RETRY_FOR_EVER, RNR_TIMER_PS } from '../../../../rdma/timers.ts';
import { rnrRetryLimit, setQpState } from '../../model/qpContext.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { Requester } from '../../model/transport/requester.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { faultsOf, planted } from '../fault.ts';
import { PATIENCE_ROWS } from './rows/patienceRows.ts';

/** Codes of times up to here are asked for by most software. */
const SHORT_CODES = 15;

/** Code of a time-out from which on one is too long for most software. */
const LONG_CODE = 20;

const DEFAULT_CODE = 10;

/** Tries once more although it was told never to. */
class OneMoreTry extends SendCompletion {
  readonly #tried = new Set<QpSlot>();
  override receiverNotReady(slot: QpSlot, c: number, psn: number, delayPs: number): void {
    const none = rnrRetryLimit(this.core.bytes.i32, c) === 0;
    if (none && !this.#tried.has(slot)) {
      this.#tried.add(slot);
      slot.rnrRetries = -1;
    }
    super.receiverNotReady(slot, c, psn, delayPs);
  }
}

/** Waits as the code before says when the code of the time has its highest bit set. */
class ShortTimes extends SendCompletion {
  override receiverNotReady(slot: QpSlot, c: number, psn: number, delayPs: number): void {
    const code = RNR_TIMER_PS.indexOf(delayPs);
    super.receiverNotReady(slot, c, psn, code > SHORT_CODES ? (RNR_TIMER_PS[code - 1] as number) : delayPs);
  }
}

/** Goes by the number of RNR retries that it had when it was refused first. */
class FirstRetries extends SendCompletion {
  readonly #limits = new Map<QpSlot, number>();
  override receiverNotReady(slot: QpSlot, c: number, psn: number, delayPs: number): void {
    const limit = this.#limits.get(slot) ?? rnrRetryLimit(this.core.bytes.i32, c);
    this.#limits.set(slot, limit);
    // That many stand for as many as it takes.
    if (limit === RNR_RETRY_FOR_EVER) slot.rnrRetries = 0;
    super.receiverNotReady(slot, c, psn, delayPs);
  }
}

/** Gives up on a receiver that is never ready, and goes on with its receives as if nothing had been. */
class HalfGivenUp extends SendCompletion {
  override fail(slot: QpSlot, c: number, syndrome: number): void {
    super.fail(slot, c, syndrome);
    if (syndrome === CQE_SYNDROME.rnrRetryExceeded) setQpState(this.core.bytes.i32, c, QPC_STATE.rts);
  }
}

/** Does not count how often it asks for the data of a READ again. */
class UncountedReads extends SendCompletion {
  override retry(slot: QpSlot, c: number, psn: number): void {
    if (slot.head?.opcode === WQE_OPCODE.read) slot.retries = 0;
    super.retry(slot, c, psn);
  }
}

/** Lets the time-out for an answer go on while it waits for a receiver that is not ready. */
class RunningTimer extends SendCompletion {
  override receiverNotReady(slot: QpSlot, c: number, psn: number, delayPs: number): void {
    const { deadline } = slot;
    super.receiverNotReady(slot, c, psn, delayPs);
    if (slot.rnrWait && deadline < this.core.scheduler.now + delayPs) slot.deadline = deadline;
  }
}

/** Looks at the lower four bits of the code of a long time-out only. */
class ShortTimeouts extends Requester {
  override restartTimer(slot: QpSlot): void {
    const told = slot.timeoutPs;
    const code = ACK_TIMER_PS.indexOf(told);
    if (code >= LONG_CODE) slot.timeoutPs = ACK_TIMER_PS[code & SHORT_CODES] as number;
    super.restartTimer(slot);
    slot.timeoutPs = told;
  }
}

/** Takes "never" for a time. */
class DefaultTimeout extends Requester {
  override restartTimer(slot: QpSlot): void {
    const told = slot.timeoutPs;
    if (told === 0) slot.timeoutPs = ACK_TIMER_PS[DEFAULT_CODE] as number;
    super.restartTimer(slot);
    slot.timeoutPs = told;
  }
}

/** Waits for a peer that was not ready as if it could not be gone. */
class TrustingWait extends Requester {
  override restartTimer(slot: QpSlot): void {
    if (slot.rnrRetries === 0 || slot.deadline !== 0) super.restartTimer(slot);
  }
}

export const PATIENCE_FAULTS = faultsOf(PATIENCE_ROWS, {
  rnr_retry_zero: planted({ sendCompletion: OneMoreTry }),
  ack_timer_never: planted({ requester: DefaultTimeout }),
  ack_timer_after_rnr: planted({ requester: TrustingWait }),
  rnr_timer_long: planted({ sendCompletion: ShortTimes }),
  read_tries_uncounted: planted({ sendCompletion: UncountedReads }),
  ack_timer_in_rnr_wait: planted({ sendCompletion: RunningTimer }),
  ack_timer_long: planted({ requester: ShortTimeouts }),
  rnr_exceeded_half: planted({ sendCompletion: HalfGivenUp }),
  rnr_retry_first: planted({ sendCompletion: FirstRetries }),
});
