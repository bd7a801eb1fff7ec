/** Bugs of queue pairs in INIT and RTR: what software changes there, and their way to the error state. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import { QPC_STATE } from '../../layout/contexts.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { qpState, setQpState } from '../../model/qpContext.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

const INIT_STATES: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=init_states'];
const BEFORE_RTS: readonly number[] = [QPC_STATE.init, QPC_STATE.rtr];

/** Says that it has changed a queue pair in INIT, and leaves it as it is. */
class IdleInInit extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    return this.opcode === CMD.init2init ? CMD_STATUS.ok : super.execute(handler);
  }
}

/** Takes queue pairs that have never sent to the error state without looking at their receives. */
class KeptReceives extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const c = this.opcode === CMD.twoErr ? this.core.queuePair(this.modifier & 0xff_ffff, this) : -1;
    const w = this.core.bytes.i32;
    if (c < 0 || !BEFORE_RTS.includes(qpState(w, c))) return super.execute(handler);
    setQpState(w, c, QPC_STATE.err);
    return CMD_STATUS.ok;
  }
}

export const INIT_FAULTS: readonly Fault[] = [
  {
    name: 'init_change_ignored',
    block: 'command engine',
    description: 'a change of a queue pair in INIT is not made',
    caughtBy: ['SCB_QUERY_QP'],
    needs: INIT_STATES,
    create: planted({ commands: IdleInInit }),
  },
  {
    name: 'init_receives_kept',
    block: 'command engine',
    description: 'the receives of a queue pair that goes to the error state from INIT or RTR are not flushed',
    caughtBy: ['SCB_MISSING'],
    needs: INIT_STATES,
    create: planted({ commands: KeptReceives }),
  },
];
