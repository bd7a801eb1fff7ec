/** Bugs that show when software changes a queue pair that works. */
import { CMD, CMD_STATUS } from '../../rdma/hangu/commands.ts';
import type { CommandHandler } from '../hangu/commandContext.ts';
import { CommandEngine } from '../hangu/commandEngine.ts';
import { QPC_DW } from '../hangu/qpContext.ts';
import { swap32 } from '../roce/endian.ts';
import { planted } from './fault.ts';
import type { Fault } from './fault.ts';

/** Stimulus with queue pairs that are changed in RTS and SQD. */
const CHANGED_ATTRIBUTES: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=changed_attributes'];
const CHANGES: readonly number[] = [CMD.rts2rts, CMD.sqd2sqd];
/** All commands that a change in SQD takes. */
const STEPS: readonly number[] = [...CHANGES, CMD.rts2sqd, CMD.sqd2rts];

/** Says that it has changed a queue pair, and leaves it as it is. */
class IdleChanges extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    return CHANGES.includes(this.opcode) ? CMD_STATUS.ok : super.execute(handler);
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

export const CHANGE_FAULTS: readonly Fault[] = [
  {
    name: 'change_ignored',
    block: 'command engine',
    description: 'a change of a queue pair in RTS or SQD is answered with success, and not made',
    caughtBy: ['HCA_QUERY_QP'],
    needs: CHANGED_ATTRIBUTES,
    create: planted({ commands: IdleChanges }),
  },
  {
    name: 'change_psn',
    block: 'command engine',
    description: 'a change of a queue pair in RTS or SQD sets its PSN back',
    caughtBy: ['WIRE_PSN', 'HCA_QUERY_QP'],
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
];
