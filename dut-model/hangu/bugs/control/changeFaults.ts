/** Bugs that show when software changes a queue pair that works. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { QPC_DW } from '../../model/qpContext.ts';
import { IN_MESSAGE, type QpSlot } from '../../model/transport/qpSlot.ts';
import { swap32 } from '../../../roce/endian.ts';
import { faultsOf, planted } from '../fault.ts';
import { CHANGE_ROWS } from './rows/changeRows.ts';

const CHANGES: readonly number[] = [CMD.rts2rts, CMD.sqd2sqd];

/** All commands that a change in SQD takes. */
const STEPS: readonly number[] = [...CHANGES, CMD.rts2sqd, CMD.sqd2rts];

/** Says that it has changed a queue pair, and leaves it as it is. */
class IdleChanges extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    return CHANGES.includes(this.opcode) ? CMD_STATUS.ok : super.execute(handler);
  }
}

/** Says of queue pairs in RTS that they are in another state. */
class RefusedChanges extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const status = super.execute(handler);
    return status === CMD_STATUS.ok && this.opcode === CMD.rts2rts ? CMD_STATUS.badQpState : status;
  }
}

/** Takes over the PSN of the image, which is the first one, with what is changed. */
class SetBackPsn extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const status = super.execute(handler);
    if (status !== CMD_STATUS.ok || !CHANGES.includes(this.opcode)) return status;
    const { i32 } = this.core.bytes;
    const c = this.core.queuePair(this.modifier & 0xff_ffff, this);
    if (c >= 0) i32[c + QPC_DW.nextPsn] = swap32(i32[(this.inbox >> 2) + QPC_DW.nextPsn] as number);
    return status;
  }
}

/** Goes on with the headers of before. */
class OldPath extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const changes = STEPS.includes(this.opcode);
    const slot = changes ? this.core.slot(this.modifier & 0xff_ffff) : undefined;
    const valid = slot?.templateValid === true;
    const status = super.execute(handler);
    if (slot !== undefined && valid) slot.templateValid = true;
    return status;
  }
}

/** Loses some of what is under way for a queue pair when it is changed in RTS. */
function forgetting(forget: (slot: QpSlot) => void): typeof CommandEngine {
  return class extends CommandEngine {
    protected override execute(handler: CommandHandler): number {
      const status = super.execute(handler);
      if (status === CMD_STATUS.ok && this.opcode === CMD.rts2rts) forget(this.core.slot(this.modifier & 0xff_ffff));
      return status;
    }
  };
}

const EndedWait = forgetting((slot) => {
  slot.rnrWait = false;
});

const ForgottenMessage = forgetting((slot) => {
  slot.inMessage = IN_MESSAGE.none;
});

const ForgottenReads = forgetting((slot) => {
  slot.reads = 0;
});

export const CHANGE_FAULTS = faultsOf(CHANGE_ROWS, {
  change_ignored: planted({ commands: IdleChanges }),
  change_refused: planted({ commands: RefusedChanges }),
  change_psn: planted({ commands: SetBackPsn }),
  change_path: planted({ commands: OldPath }),
  change_ends_wait: planted({ commands: EndedWait }),
  change_forgets_message: planted({ commands: ForgottenMessage }),
  change_forgets_message_uc: planted({ commands: ForgottenMessage }),
  change_forgets_reads: planted({ commands: ForgottenReads }),
});
