/** Bugs of queue pairs that are reset in the middle of their work: something of that is still there when they go on. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { HanguNic } from '../../model/hanguNic.ts';
import type { QpSlot } from '../../model/transport/qpSlot.ts';
import { SendCompletion } from '../../model/transport/sendCompletion.ts';
import { faultsOf, planted } from '../fault.ts';
import { FORMER_LIFE_ROWS } from './rows/formerLifeRows.ts';

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

export const FORMER_LIFE_FAULTS = faultsOf(FORMER_LIFE_ROWS, {
  message_outlives_reset: planted({
    commands: keeping((from, to) => {
      to.inMessage = from.inMessage;
    }),
  }),
  retries_outlive_reset: planted({
    commands: keeping((from, to) => {
      to.rnrRetries = from.rnrRetries;
    }),
  }),
  wait_outlives_reset: (context, config) => new StaleWaits(context, config),
  reset_flushes: planted({ sendCompletion: FlushingReset }),
});
