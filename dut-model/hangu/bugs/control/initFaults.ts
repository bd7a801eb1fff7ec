/** Bugs of queue pairs in INIT and RTR: what software changes there, and their way to the error state. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import { QPC_STATE } from '../../layout/contexts.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { qpState, setQpState } from '../../model/qpContext.ts';
import { faultsOf, planted } from '../fault.ts';
import { INIT_ROWS } from './rows/initRows.ts';

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

export const INIT_FAULTS = faultsOf(INIT_ROWS, {
  init_change_ignored: planted({ commands: IdleInInit }),
  init_receives_kept: planted({ commands: KeptReceives }),
});
