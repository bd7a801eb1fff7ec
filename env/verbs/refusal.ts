/** A command that the NIC must refuse, or must not begin, and must leave everything as it is. */

import type { Proc } from '../../uvm/kernel/process.ts';

/** @public */
export interface Refusal {
  /** What is asked of the NIC, for messages: `RST2INIT of a queue pair in RTS`. */
  readonly what: string;
  /** Gives the command. Reports `HCA_CMD_REFUSAL` unless the NIC refuses it with a status that says why, or ignores it. */
  readonly give: () => Proc<void>;
}
