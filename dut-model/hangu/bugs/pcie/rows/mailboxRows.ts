/** How the bugs of mailboxFaults.ts show: what they need, and which checks must see them. */
import type { FaultRow } from '../../fault.ts';
import { FAILED_COMMANDS } from '../pcieStimulus.ts';

export const MAILBOX_ROWS = [
  {
    name: 'pcie_mailbox_trusted',
    block: 'commandEngine',
    description: 'a command whose mailbox could not be read is carried out with what was there before',
    decides: 'RTS2RTS of QP #',
    caughtBy: ['HCA_CMD_STATUS', 'SEQ_STATUS'],
    needs: FAILED_COMMANDS,
  },
  {
    name: 'pcie_parameters_blamed',
    block: 'commandEngine',
    description: 'a command whose mailbox could not be read is refused for its parameters',
    decides: 'RTS2RTS of QP #',
    caughtBy: ['HCA_CMD_STATUS'],
    needs: FAILED_COMMANDS,
  },
] as const satisfies readonly FaultRow[];
