/**
 * Shared receive queues, which the published HanGu has not. Software asks for them in INIT_HCA (`INIT_EXT`); a NIC that is not
 * asked knows none of this. Data only.
 *
 * The ring of a queue is a linked list, since its entries come back out of order: the next segment of each receive names the slot
 * of the one that follows, also when nothing is there yet, so that a ring has one slot more than receives. How many are there
 * is told by a doorbell: DW0 SRQN, DW1 receives posted so far, modulo 2^16.
 */
import type { Field } from './contexts.ts';

/** in_modifier of QUERY_DEV_LIM: the limits of what INIT_HCA has to ask for are wanted, too. */
export const EXTENDED_LIMITS = 1;

/** Context, 64 bytes, big-endian. */
export const SRQC_FIELD = {
  stateSize: [0, 4], // [31:28] state, [27:24] log2 slots, [23:0] SRQN
  lkey: [4, 4],
  logStride: [8, 4],
  pd: [12, 4],
  limit: [16, 2],
  available: [18, 2],
  /** Slot of the receive that is taken next. */
  next: [20, 4],
  posted: [24, 4],
} as const satisfies Record<string, Field>;
/** Dwords of a context that the NIC counts in; the last one is a mark of its own. */
export const SRQC_DW = {
  stateSize: 0,
  lkey: 1,
  logStride: 2,
  pd: 3,
  level: 4,
  next: 5,
  posted: 6,
  marker: 15,
} as const;
export const SRQC_BYTES = 64;
export const SRQ_STATE = { ready: 1, error: 6 } as const;
/** Bits of a number of receives. */
export const SRQ_COUNT_MASK = 0xffff;

/** QPC `extSrqn`: the queue pair takes its receives from the queue of this number. */
export const QPC_HAS_SRQ = 1 << 31;
export const SRQN_MASK = 0xff_ffff;

/** Ring of queue s: [47:38] = 2, [37:24] = s. */
export const SRQ_AREA = { hi: 0x80, srqnShift: 24, bytes: 0x80_0000 } as const;
