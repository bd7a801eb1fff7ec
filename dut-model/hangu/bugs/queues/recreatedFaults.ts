/** Bugs of completion queues whose number another one had before. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import type { CommandHandler } from '../../model/control/commandContext.ts';
import { CommandEngine } from '../../model/control/commandEngine.ts';
import { CQC_DW } from '../../model/queues/completionUnit.ts';
import { faultsOf, planted } from '../fault.ts';
import { RECREATED_ROWS } from './rows/recreatedRows.ts';

/** Leaves a completion queue armed as the former one of its number was. */
class KeptArming extends CommandEngine {
  protected override execute(handler: CommandHandler): number {
    const at = this.opcode === CMD.sw2hwCq ? this.core.cqc.lookup(this.modifier, this) : -1;
    if (at < 0) return super.execute(handler);
    const w = this.core.bytes.i32;
    const armed = (at >> 2) + CQC_DW.armed;
    const kept = w[armed] as number;
    const status = super.execute(handler);
    if (status === CMD_STATUS.ok) w[armed] = kept;
    return status;
  }
}

export const RECREATED_FAULTS = faultsOf(RECREATED_ROWS, { cq_armed_anew: planted({ commands: KeptArming }) });
