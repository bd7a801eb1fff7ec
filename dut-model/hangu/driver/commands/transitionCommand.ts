/** Which MODIFY_QP command drives a transition. */

import { CMD } from '../../layout/commands.ts';
import { QP_STATE } from '../../../../rdma/verbs.ts';
import type { QpState } from '../../../../rdma/verbs.ts';

const S = QP_STATE;
const COMMANDS: readonly (readonly [from: QpState, to: QpState, command: number])[] = [
  [S.reset, S.init, CMD.rst2init],
  [S.init, S.init, CMD.init2init],
  [S.init, S.rtr, CMD.init2rtr],
  [S.rtr, S.rts, CMD.rtr2rts],
  [S.rts, S.rts, CMD.rts2rts],
  [S.rts, S.sqd, CMD.rts2sqd],
  [S.sqd, S.sqd, CMD.sqd2sqd],
  [S.sqd, S.rts, CMD.sqd2rts],
  [S.sqe, S.rts, CMD.sqerr2rts],
];
/** The same by 8 * from + to; 0 = there is none. */
const COMMAND_OF = new Int32Array(64);
for (const [from, to, command] of COMMANDS) COMMAND_OF[from * 8 + to] = command;

/** Command for a legal transition. ERR and RESET are reached from anywhere by commands without an inbox. */
export function transitionCommand(from: QpState, to: QpState): number {
  if (to === S.reset) return CMD.err2rst;
  if (to === S.err) return CMD.twoErr;
  const command = COMMAND_OF[from * 8 + to] as number;
  if (command === 0) throw new RangeError(`no command leads from state ${from} to ${to}`);
  return command;
}

/** True for the commands that lead from one certain state to another, and whose status may say that it is not that one. */
export function isTransition(command: number): boolean {
  return COMMANDS.some((each) => each[2] === command);
}

/** True for the transitions whose command carries no context. */
export function isBare(to: QpState): boolean {
  return to === S.reset || to === S.err;
}
