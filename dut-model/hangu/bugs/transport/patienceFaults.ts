/** Bugs of requesters that are refused or have no answer: how often and when they try again. */
import { QPC_STATE } from '../../layout/contexts.ts';
import { CQE_SYNDROME, WQE_OPCODE } from '../../layout/queues.ts';
import { ACK_TIMER_PS, RNR_RETRY_FOR_EVER, RNR_TIMER_PS } from '../../../../rdma/timers.ts';
import { rnrRetryLimit, setQpState } from '../../model/qpContext.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { Requester } from '../../model/transport/requester.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

const SEQUENCE = '+UVM_TESTNAME=test_sequence';
const RC_ONLY: readonly string[] = ['+RC_QP_NUM=2', '+UC_QP_NUM=0', '+UD_QP_NUM=0'];
const LATE_RECEIVES: readonly string[] = [SEQUENCE, '+UVM_TEST_SEQ=late_receives', ...RC_ONLY];
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

export const PATIENCE_FAULTS: readonly Fault[] = [
  {
    name: 'rnr_retry_zero',
    block: 'send completion',
    description: 'with no retries after RNR NAKs it tries once more all the same',
    caughtBy: ['WIRE_RNR'],
    needs: [...LATE_RECEIVES, '+RNR_RETRY=0'],
    create: planted({ sendCompletion: OneMoreTry }),
  },
  {
    name: 'ack_timer_never',
    block: 'requester',
    description: 'a time-out with code 0, which means never, is taken for one of 4 ms',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=endless_patience', ...RC_ONLY],
    create: planted({ requester: DefaultTimeout }),
  },
  {
    name: 'ack_timer_after_rnr',
    block: 'requester',
    description: 'a message that is sent again after an RNR NAK has no time-out',
    caughtBy: ['SCB_STUCK'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=late_deaths', ...RC_ONLY],
    create: planted({ requester: TrustingWait }),
  },
  {
    name: 'rnr_timer_long',
    block: 'send completion',
    description: 'RNR times with a code above 15 are taken for those of the code before',
    caughtBy: ['WIRE_RNR'],
    needs: [...LATE_RECEIVES, '+MIN_RNR_TIMER=20', '+SEQ_COUNT=2'],
    create: planted({ sendCompletion: ShortTimes }),
  },
  {
    name: 'read_tries_uncounted',
    block: 'send completion',
    description: 'a READ is asked for again for ever when nobody answers',
    caughtBy: ['WIRE_RETRY'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=dead_peers', ...RC_ONLY],
    create: planted({ sendCompletion: UncountedReads }),
  },
  {
    name: 'ack_timer_in_rnr_wait',
    block: 'send completion',
    description: 'the time-out for an answer goes on during the wait for a receiver that is not ready',
    caughtBy: ['SCB_STATUS'],
    needs: [...LATE_RECEIVES, '+ACK_TIMEOUT=4', '+MIN_RNR_TIMER=10', '+RETRY_CNT=0'],
    create: planted({ sendCompletion: RunningTimer }),
  },
  {
    name: 'ack_timer_long',
    block: 'requester',
    description: 'time-outs with a code above 19 are taken for those of the code without its highest bit',
    caughtBy: ['WIRE_UNPROVOKED'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=ping_pong', ...RC_ONLY, '+ACK_TIMEOUT=20', '+LINK_LATENCY_NS=50000'],
    create: planted({ requester: ShortTimeouts }),
  },
  {
    name: 'rnr_exceeded_half',
    block: 'requester',
    description: 'a queue pair that gives up on a receiver that is never ready stays in RTS, and its receives stay',
    caughtBy: ['SCB_MISSING'],
    needs: [...LATE_RECEIVES, '+RNR_RETRY=1', '+MIN_RNR_TIMER=2'],
    create: planted({ sendCompletion: HalfGivenUp }),
  },
  {
    name: 'rnr_retry_first',
    block: 'requester',
    description: 'how often a refused message is sent again is taken from when the queue pair was refused first',
    caughtBy: ['WIRE_RNR'],
    needs: [SEQUENCE, '+UVM_TEST_SEQ=changed_patience', ...RC_ONLY],
    create: planted({ sendCompletion: FirstRetries }),
  },
];
