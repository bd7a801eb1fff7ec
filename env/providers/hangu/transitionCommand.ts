/**
 * Which MODIFY_QP command drives a transition, and the option mask that goes with it.
 */

import { CMD } from '../../../rdma/hangu/commands.ts';
import { QP_STATE } from '../../../rdma/verbs.ts';
import type { QpState } from '../../../rdma/verbs.ts';
import type { QpAttributeName, QpAttributes } from '../../qpAttributes.ts';

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

/** Command for a legal transition. ERR and RESET are reached from anywhere by commands without an inbox. */
export function transitionCommand(from: QpState, to: QpState): number {
  if (to === S.reset) return CMD.err2rst;
  if (to === S.err) return CMD.twoErr;
  const found = COMMANDS.find(([f, t]) => f === from && t === to);
  if (found === undefined) throw new RangeError(`no command leads from state ${from} to ${to}`);
  return found[2];
}

/** True for the transitions whose command carries no context. */
export function isBare(to: QpState): boolean {
  return to === S.reset || to === S.err;
}

/** Bits of the option mask, numbered as the attribute mask of verbs. */
const MASK_BIT: Readonly<Partial<Record<QpAttributeName, number>>> = {
  state: 0x1,
  curState: 0x2,
  enSqdAsyncNotify: 0x4,
  accessFlags: 0x8,
  pkeyIndex: 0x10,
  port: 0x20,
  qkey: 0x40,
  av: 0x80,
  pathMtu: 0x100,
  timeout: 0x200,
  retryCnt: 0x400,
  rnrRetry: 0x800,
  rqPsn: 0x1000,
  maxRdAtomic: 0x2000,
  minRnrTimer: 0x8000,
  sqPsn: 0x10000,
  maxDestRdAtomic: 0x20000,
  destQpn: 0x100000,
};

/** Option mask that names the attributes given. */
export function optionMask(attr: QpAttributes): number {
  let mask = 0;
  for (const [name, bit] of Object.entries(MASK_BIT)) if (attr[name as QpAttributeName] !== undefined) mask |= bit;
  return mask;
}
