/** Bugs of events for queues that are armed for solicited completions. */
import { BTH_OP } from '../../../../rdma/bth.ts';
import type { CompletionEntry } from '../../model/queues/completionEntry.ts';
import { CQC_DW, CompletionUnit } from '../../model/queues/completionUnit.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { Responder } from '../../model/transport/responder.ts';
import type { Resumable, RxPacket } from '../../../roce/rxPacket.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

/** Stimulus with queues that are armed for solicited completions, on every service. */
const SOLICITED_EVENTS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=solicited_events',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=2',
  '+UD_QP_NUM=2',
];

const BASE_OPCODE = 0x1f;
const LAST_OF_SEVERAL: readonly number[] = [BTH_OP.sendLast, BTH_OP.sendLastImm, BTH_OP.writeLastImm];
const WRITES: readonly number[] = [BTH_OP.writeLastImm, BTH_OP.writeOnlyImm];
/** Values of `CQC_DW.armed`. */
const NEXT = 1;
const NEXT_SOLICITED = 2;

/** Does not see that a message is solicited which ends in one of these opcodes. */
function blindTo(opcodes: readonly number[]): typeof Responder {
  return class extends Responder {
    protected override completeReceive(slot: QpSlot, c: number, p: RxPacket, syndrome: number): void {
      if (opcodes.includes(p.opcode & BASE_OPCODE)) p.solicited = false;
      super.completeReceive(slot, c, p, syndrome);
    }
  };
}

/** Arms for any completion, whatever was asked for. */
class UnselectiveArming extends CompletionUnit {
  override arm(cqn: number, _solicitedOnly: boolean, consumer: number): void {
    super.arm(cqn, false, consumer);
  }
}

const NOBODY: Resumable = { resume: () => {} };

/** Does something with the context of a queue, where that is at hand, as it is armed for solicited completions. */
function arming(before: (w: Int32Array, c: number) => void, after: (w: Int32Array, c: number) => void) {
  return class extends CompletionUnit {
    override arm(cqn: number, solicitedOnly: boolean, consumer: number): void {
      const at = solicitedOnly ? this.core.cqc.lookup(cqn, NOBODY) : -1;
      if (at >= 0) before(this.core.bytes.i32, at >> 2);
      super.arm(cqn, solicitedOnly, consumer);
      if (at >= 0) after(this.core.bytes.i32, at >> 2);
    }
  };
}

const nothing = (): void => {};

/** Takes back that the queue is armed for any completion. */
const WeakeningArming = arming(nothing, (w, c) => {
  if (w[c + CQC_DW.armed] === NEXT) w[c + CQC_DW.armed] = NEXT_SOLICITED;
});

/** Takes what came last for solicited. */
const HastyArming = arming((w, c) => {
  w[c + CQC_DW.solicited] = w[c + CQC_DW.producer] as number;
}, nothing);

class QuietErrors extends CompletionUnit {
  protected override isSolicited(e: CompletionEntry): boolean {
    return e.solicited;
  }
}

export const SOLICITED_FAULTS: readonly Fault[] = [
  {
    name: 'solicited_long',
    block: 'responder',
    description: 'no solicited event comes for a message of several packets',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: SOLICITED_EVENTS,
    create: planted({ responder: blindTo(LAST_OF_SEVERAL) }),
  },
  {
    name: 'solicited_write',
    block: 'responder',
    description: 'no solicited event comes for a WRITE with immediate data',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: SOLICITED_EVENTS,
    create: planted({ responder: blindTo(WRITES) }),
  },
  {
    name: 'solicited_error',
    block: 'event unit',
    description: 'a queue that is armed for solicited completions sends no event for an error',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: SOLICITED_EVENTS,
    create: planted({ completions: QuietErrors }),
  },
  {
    name: 'solicited_any',
    block: 'event unit',
    description: 'a queue that is armed for solicited completions sends its event for the next one',
    caughtBy: ['SCB_UNSOLICITED'],
    needs: SOLICITED_EVENTS,
    create: planted({ completions: UnselectiveArming }),
  },
  {
    name: 'solicited_early',
    block: 'event unit',
    description: 'arming for solicited completions fires for any that came while the doorbell was on its way',
    caughtBy: ['SCB_UNSOLICITED'],
    needs: SOLICITED_EVENTS,
    create: planted({ completions: HastyArming }),
  },
  {
    name: 'arming_weakened',
    block: 'event unit',
    description: 'arming for solicited completions takes back that the queue was armed for any',
    caughtBy: ['SCB_EVENT_LOST'],
    needs: SOLICITED_EVENTS,
    create: planted({ completions: WeakeningArming }),
  },
];
