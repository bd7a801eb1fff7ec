/** Bugs that show when software changes a queue pair that works. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { QPC_DW } from '../../model/qpContext.ts';
import { IN_MESSAGE, type QpSlot } from '../../model/transport/qpSlot.ts';
import { swap32 } from '../../../roce/endian.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

/** Stimulus with queue pairs that are changed in RTS and SQD. */
const CHANGED_ATTRIBUTES: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=changed_attributes'];
/** Stimulus with queue pairs that are changed in RTS while they are at work. */
const CHANGED_MIDWAY: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=changed_midway',
  '+RC_QP_NUM=2',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
];
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

export const CHANGE_FAULTS: readonly Fault[] = [
  {
    name: 'change_ignored',
    block: 'command engine',
    description: 'a change of a queue pair in RTS or SQD is answered with success, and not made',
    caughtBy: ['SCB_QUERY_QP'],
    needs: CHANGED_ATTRIBUTES,
    create: planted({ commands: IdleChanges }),
  },
  {
    name: 'change_refused',
    block: 'command engine',
    description: 'a change of a queue pair in RTS is made, and refused as if it were in another state',
    caughtBy: ['HCA_CMD_STATUS'],
    needs: CHANGED_ATTRIBUTES,
    create: planted({ commands: RefusedChanges }),
  },
  {
    name: 'change_psn',
    block: 'command engine',
    description: 'a change of a queue pair in RTS or SQD sets its PSN back',
    caughtBy: ['WIRE_PSN', 'SCB_QUERY_QP'],
    needs: CHANGED_ATTRIBUTES,
    create: planted({ commands: SetBackPsn }),
  },
  {
    name: 'change_path',
    block: 'command engine',
    description: 'packets keep the headers of before after the path of their queue pair was changed in SQD',
    caughtBy: ['WIRE_PATH'],
    needs: CHANGED_ATTRIBUTES,
    create: planted({ commands: OldPath }),
  },
  {
    name: 'change_ends_wait',
    block: 'command engine',
    description: 'a change of a queue pair in RTS ends the wait for a receiver that is not ready',
    caughtBy: ['WIRE_RNR'],
    needs: CHANGED_MIDWAY,
    create: planted({ commands: EndedWait }),
  },
  {
    name: 'change_forgets_message',
    block: 'command engine',
    description: 'a change of a queue pair in RTS makes it forget the message that it is receiving',
    caughtBy: ['SCB_REFUSED'],
    needs: CHANGED_MIDWAY,
    create: planted({ commands: ForgottenMessage }),
  },
  {
    name: 'change_forgets_message_uc',
    block: 'command engine',
    description: 'a change of a UC queue pair in RTS makes it forget the message that it is receiving',
    caughtBy: ['SCB_STUCK'],
    needs: [...CHANGED_MIDWAY.filter((arg) => !/_QP_NUM/.test(arg)), '+RC_QP_NUM=0', '+UC_QP_NUM=2', '+UD_QP_NUM=0'],
    create: planted({ commands: ForgottenMessage }),
  },
  {
    name: 'change_forgets_reads',
    block: 'command engine',
    description: 'a change of a queue pair in RTS makes it forget how many READs are outstanding',
    caughtBy: ['WIRE_READ_LIMIT'],
    needs: [...CHANGED_MIDWAY, '+MAX_RD_ATOMIC=1'],
    create: planted({ commands: ForgottenReads }),
  },
];
