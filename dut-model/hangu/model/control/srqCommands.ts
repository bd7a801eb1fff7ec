/** SW2HW_SRQ, HW2SW_SRQ, QUERY_SRQ, ARM_SRQ: of a NIC that INIT_HCA has asked for shared receive queues; others know none of them. */
import { CMD_STATUS, OUTBOX_BYTES } from '../../layout/commands.ts';
import { SRQ_COUNT_MASK, SRQC_DW, SRQN_MASK } from '../../layout/sharedReceives.ts';
import { swap32 } from '../../../roce/endian.ts';
import { HANGU_LIMITS } from '../../layout/limits.ts';
import { MISS } from '../memory/entryTable.ts';
import { AGAIN, type CommandContext, type CommandHandler } from './commandContext.ts';

/** A handler for the queue of a number that there can be. */
function ofQueue(handle: (c: CommandContext, srqn: number) => number): CommandHandler {
  return (c) => {
    const { entries } = c.core.icm.srqc;
    if (entries === 0) return CMD_STATUS.badOp;
    if (c.modifier < 0 || c.modifier >= entries) return CMD_STATUS.badIndex;
    const status = handle(c, c.modifier);
    return status === MISS ? AGAIN : status;
  };
}

/** Hands a queue over to the hardware, without receives. */
export const sw2hwSrq = ofQueue((c, srqn) => {
  const image = c.inbox >> 2;
  const first = swap32(c.core.bytes.i32[image + SRQC_DW.stateSize] as number);
  if ((first & SRQN_MASK) !== srqn) return CMD_STATUS.badParam;
  if (1 << ((first >>> 24) & 15) > HANGU_LIMITS.maxSrqSlots) return CMD_STATUS.exceedsLimit;
  return c.shared.open(srqn, image, c);
});

/** Takes a queue back. BAD_RES_STATE while queue pairs are set up with it. */
export const hw2swSrq = ofQueue((c, srqn) => c.shared.closeQueue(srqn, c));

/** The context as the hardware has it. */
export const querySrq = ofQueue((c, srqn) => {
  const status = c.shared.query(srqn, c.outbox, c);
  c.outboxBytes = OUTBOX_BYTES.srq;
  return status;
});

/** in_param: an event when fewer receives than that are left, 0 = never. */
export const armSrq = ofQueue((c, srqn) =>
  c.inHi !== 0 || c.inLo >>> 0 > SRQ_COUNT_MASK ? CMD_STATUS.badParam : c.shared.arm(srqn, c.inLo, c),
);
