/** The handler of each command that this NIC implements. */
import { CMD, CMD_STATUS } from '../../layout/commands.ts';
import type { CommandHandler } from './commandContext.ts';
import { hw2swCq, hw2swEq, mapEq, queryCq, resizeCq, sw2hwCq, sw2hwEq } from './queueCommands.ts';
import { closeHca, initHca, mapIcm, queryAdapter, queryDevLim, unmapIcm } from './deviceCommands.ts';
import { hw2swMpt, queryMpt, sw2hwMpt, writeMtt } from './memoryCommands.ts';
import { armSrq, hw2swSrq, querySrq, sw2hwSrq } from './srqCommands.ts';
import { modifyQp, queryQp, toError, toReset } from './qpCommands.ts';

export const COMMAND_HANDLERS: Readonly<Record<number, CommandHandler>> = {
  [CMD.queryDevLim]: queryDevLim,
  [CMD.queryAdapter]: queryAdapter,
  [CMD.initHca]: initHca,
  [CMD.closeHca]: closeHca,
  [CMD.mapIcm]: mapIcm,
  [CMD.unmapIcm]: unmapIcm,
  [CMD.sw2hwMpt]: sw2hwMpt,
  [CMD.queryMpt]: queryMpt,
  [CMD.hw2swMpt]: hw2swMpt,
  [CMD.writeMtt]: writeMtt,
  [CMD.sw2hwCq]: sw2hwCq,
  [CMD.hw2swCq]: hw2swCq,
  [CMD.queryCq]: queryCq,
  [CMD.resizeCq]: resizeCq,
  [CMD.sw2hwEq]: sw2hwEq,
  [CMD.hw2swEq]: hw2swEq,
  [CMD.mapEq]: mapEq,
  [CMD.rst2init]: modifyQp,
  [CMD.init2init]: modifyQp,
  [CMD.init2rtr]: modifyQp,
  [CMD.rtr2rts]: modifyQp,
  [CMD.rts2rts]: modifyQp,
  [CMD.rts2sqd]: modifyQp,
  [CMD.sqd2rts]: modifyQp,
  [CMD.sqd2sqd]: modifyQp,
  [CMD.sqerr2rts]: modifyQp,
  [CMD.twoErr]: toError,
  [CMD.err2rst]: toReset,
  [CMD.queryQp]: queryQp,
  [CMD.sw2hwSrq]: sw2hwSrq,
  [CMD.hw2swSrq]: hw2swSrq,
  [CMD.querySrq]: querySrq,
  [CMD.armSrq]: armSrq,
  [CMD.nop]: () => CMD_STATUS.ok,
};
