/** Bugs of queue pairs that are reset in the middle of their work: something of that is still there when they go on. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

const RESET_MIDWAY: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=reset_midway', '+UD_QP_NUM=0'];
const RC: readonly string[] = [...RESET_MIDWAY, '+RC_QP_NUM=4', '+UC_QP_NUM=0'];

/** Takes something of a queue pair over into its next life. */
function keeping(take: (from: QpSlot, to: QpSlot) => void): typeof CommandEngine {
  return class extends CommandEngine {
    protected override execute(handler: CommandHandler): number {
      const before = this.opcode === CMD.err2rst ? this.core.slot(this.modifier & 0xff_ffff) : null;
      const status = super.execute(handler);
      if (before !== null && status === CMD_STATUS.ok) take(before, this.core.slot(before.qpn));
      return status;
    }
  };
}

/** Lets the end of a wait end that of the queue pair's next life. */
class StaleWaits extends HanguNic {
  override slotTimer(slot: QpSlot, kind: number): void {
    super.slotTimer(slot.closed && slot.rnrWait ? this.core.slot(slot.qpn) : slot, kind);
  }
}

/** Flushes in RESET what should be forgotten. */
class FlushingReset extends SendCompletion {
  override forget(slot: QpSlot): void {
    if (slot.head !== null) this.flush(slot);
    super.forget(slot);
  }
}

export const FORMER_LIFE_FAULTS: readonly Fault[] = [
  {
    name: 'message_outlives_reset',
    block: 'command engine',
    description:
      'the message that is under way when a queue pair is reset is still under way when it is connected again',
    caughtBy: ['SCB_REFUSED', 'SCB_STATUS', 'WIRE_NAK', 'SCB_STUCK'],
    needs: RC,
    create: planted({
      commands: keeping((from, to) => {
        to.inMessage = from.inMessage;
      }),
    }),
  },
  {
    name: 'retries_outlive_reset',
    block: 'command engine',
    description: 'refusals that a queue pair counted before it was reset count when it is connected again',
    caughtBy: ['SCB_STATUS', 'WIRE_RNR'],
    needs: RC,
    create: planted({
      commands: keeping((from, to) => {
        to.rnrRetries = from.rnrRetries;
      }),
    }),
  },
  {
    name: 'wait_outlives_reset',
    block: 'NIC',
    description: 'a queue pair that waits for a peer goes on when a wait ends that it began before it was reset',
    caughtBy: ['WIRE_RNR'],
    needs: RC,
    create: (context, config) => new StaleWaits(context, config),
  },
  {
    name: 'reset_flushes',
    block: 'send completion',
    description: 'requests of a queue pair that is reset complete as flushed',
    caughtBy: ['SCB_STATUS', 'SCB_WR_ID'],
    needs: RC,
    create: planted({ sendCompletion: FlushingReset }),
  },
];
