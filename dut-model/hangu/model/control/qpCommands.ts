/**
 * The MODIFY_QP family and QUERY_QP (hangu-interface.md 4.7, hangu-rtl-facts.md 2.3, roce-transport.md 6.2).
 *
 * RST2INIT loads the whole image. RTR2RTS from RESET does too: it is how the published harness brings a queue pair up.
 * Every other transition takes over the fields that it may change and keeps what the hardware has counted.
 */
import { CMD, CMD_STATUS, OUTBOX_BYTES } from '../../layout/commands.ts';
import { QPC_SERVICE, QPC_STATE } from '../../layout/contexts.ts';
import { SRQN_MASK } from '../../layout/sharedReceives.ts';
import { MISS } from '../memory/entryTable.ts';
import { swap32 } from '../../../roce/endian.ts';
import type { CommandContext } from './commandContext.ts';
import { AGAIN, statusWithout } from './commandContext.ts';
import { UNREADABLE, WAIT } from '../core.ts';
import {
  expectedPsn,
  isRaw,
  loadImage,
  QPC_DW,
  qpcMarker,
  qpState,
  setExpectedPsn,
  setQpState,
  storeImage,
  takesShared,
} from '../qpContext.ts';

const S = QPC_STATE;
const bits = (...states: readonly number[]): number => states.reduce((sum, state) => sum | (1 << state), 0);
/** Legal states before (a bit for each), and the state after, of each command. */
const TRANSITION: Readonly<Record<number, readonly [from: number, to: number]>> = {
  [CMD.rst2init]: [bits(S.rst), S.init],
  [CMD.init2init]: [bits(S.init), S.init],
  [CMD.init2rtr]: [bits(S.init), S.rtr],
  [CMD.rtr2rts]: [bits(S.rst, S.rtr, S.rts), S.rts],
  [CMD.rts2rts]: [bits(S.rts), S.rts],
  [CMD.rts2sqd]: [bits(S.rts), S.sqd],
  [CMD.sqd2rts]: [bits(S.sqd), S.rts],
  [CMD.sqd2sqd]: [bits(S.sqd), S.sqd],
  [CMD.sqerr2rts]: [bits(S.sqe), S.rts],
};
const EVENT_REQUEST = 1 << 31;

/** All transitions but those to ERR and RESET. BAD_QP_STATE where the present state has no such transition. */
export function modifyQp(c: CommandContext): number {
  const { core } = c;
  const qpn = qpnOf(c);
  if (qpn >= core.icm.qpc.entries) return CMD_STATUS.badIndex;
  const at = core.qpc.lookup(qpn, c);
  if (at < 0) return statusWithout(at, CMD_STATUS.badResource);
  const w = core.bytes.i32;
  const q = at >> 2;
  const known = w[q + QPC_DW.marker] === qpcMarker(qpn, core.icm.life);
  const state = known ? qpState(w, q) : S.rst;
  const [from, to] = TRANSITION[c.opcode] as (typeof TRANSITION)[number];
  if ((from & (1 << state)) === 0) return CMD_STATUS.badQpState;
  // Until the send queue is drained, SQD is left for ERR and RESET only (roce-transport.md 6.2).
  if (state === S.sqd && c.sendSide.isDraining(core.slot(qpn))) return CMD_STATUS.badQpState;
  if (swap32(w[(c.inbox >> 2) + QPC_DW.localQpn] as number) !== qpn) return CMD_STATUS.badParam;
  if (core.rawQpn >= 0 && core.rawQpn !== qpn && asksForFrames(c)) return CMD_STATUS.badResource;
  if (state === S.rst) {
    const status = joinQueue(c);
    if (status !== CMD_STATUS.ok) return status;
    loadFresh(c, q, qpn);
  } else loadChanged(c, q, state);
  setQpState(w, q, to);
  if (isRaw(w, q) && to === S.rtr) core.rawQpn = qpn;
  core.qpc.touch(at);
  const slot = core.slot(qpn);
  slot.templateValid = false;
  if (to === S.rts || to === S.rtr) slot.resume();
  if (c.opcode === CMD.rts2sqd && c.modifier & EVENT_REQUEST) {
    slot.drainNotify = true;
    c.sendSide.drained(slot);
  }
  return CMD_STATUS.ok;
}

/** Its image is that of a raw packet queue pair, of which a port has one. */
function asksForFrames({ core, inbox }: CommandContext): boolean {
  return ((swap32(core.bytes.i32[(inbox >> 2) + QPC_DW.flags] as number) >>> 16) & 0xff) === QPC_SERVICE.raw;
}

/** 2ERR: everything outstanding is flushed (roce-transport.md 5.3). */
export function toError(c: CommandContext): number {
  const q = context(c);
  if (q < 0) return missing(c, q);
  const w = c.core.bytes.i32;
  if (qpState(w, q) === S.rst) return CMD_STATUS.badQpState;
  setQpState(w, q, S.err);
  c.core.qpc.touch(q << 2);
  const slot = c.core.slot(qpnOf(c));
  if (slot.lost) {
    // Where its context lies must be found anew.
    c.core.qpc.alter(q << 2);
    slot.lost = false;
  }
  c.sendSide.flush(slot);
  c.receiveSide.enterError(slot);
  c.sendSide.fetchRest();
  return CMD_STATUS.ok;
}

/** Any state to RESET: all requests are forgotten without completion, and what has completed is reported before. */
export function toReset(c: CommandContext): number {
  if (c.step === 0) {
    const q = context(c);
    if (q < 0) return missing(c, q);
    if (!c.receiveSide.letGoOfShared(c.core.slot(qpnOf(c)), q, c)) return AGAIN;
    const status = forget(c);
    if (status !== CMD_STATUS.ok) return status;
    c.step = 1;
  }
  return c.completions.hasWritten(qpnOf(c), c) ? CMD_STATUS.ok : AGAIN;
}

function forget(c: CommandContext): number {
  const q = context(c);
  if (q < 0) return missing(c, q);
  const w = c.core.bytes.i32;
  if (takesShared(w, q)) c.shared.leave((w[q + QPC_DW.srqn] as number) & SRQN_MASK);
  w[q + QPC_DW.marker] = 0;
  c.core.qpc.alter(q << 2);
  const slot = c.core.slot(qpnOf(c));
  c.sendSide.forget(slot);
  c.receiveSide.forget(slot);
  c.core.dropSlot(qpnOf(c));
  if (c.core.rawQpn === qpnOf(c)) c.core.rawQpn = -1;
  return CMD_STATUS.ok;
}

/** The context as the hardware has it, counted values included. */
export function queryQp(c: CommandContext): number {
  const q = context(c);
  if (q < 0) return missing(c, q);
  storeImage(c.core.bytes, q, c.outbox);
  c.outboxBytes = OUTBOX_BYTES.qp;
  return CMD_STATUS.ok;
}

/** The queue pair that a command names; the bits above the number belong to the command (bit 31: `EVENT_REQUEST`). */
function qpnOf({ modifier }: CommandContext): number {
  return modifier & 0xff_ffff;
}

function context(c: CommandContext): number {
  return c.core.queuePair(qpnOf(c), c);
}

function missing(c: CommandContext, q: number): number {
  if (q === WAIT) return AGAIN;
  if (q === UNREADABLE) return CMD_STATUS.internal;
  return qpnOf(c) < c.core.icm.qpc.entries ? CMD_STATUS.badResource : CMD_STATUS.badIndex;
}

/** A queue pair is set up with the shared receive queue that its image names, if it does. UC has none (roce-transport.md 6.1). */
function joinQueue(c: CommandContext): number {
  const w = c.core.bytes.i32;
  const image = c.inbox >> 2;
  const srqn = swap32(w[image + QPC_DW.srqn] as number);
  if (srqn >= 0) return CMD_STATUS.ok;
  const service = (swap32(w[image + QPC_DW.flags] as number) >>> 16) & 0xff;
  if (service !== QPC_SERVICE.rc && service !== QPC_SERVICE.ud) return CMD_STATUS.badParam;
  const status = c.shared.join(srqn & SRQN_MASK, c);
  return status === MISS ? AGAIN : status;
}

function loadFresh(c: CommandContext, q: number, qpn: number): void {
  const w = c.core.bytes.i32;
  loadImage(c.core.bytes, c.inbox, q);
  for (let i = 48; i < 64; i++) w[q + i] = 0;
  startSending(w, q);
  w[q + QPC_DW.marker] = qpcMarker(qpn, c.core.icm.life);
}

/**
 * Takes the image over but for what the NIC counts and a later MODIFY must not set back: on the send side from RTS on,
 * on the receive side from RTR on.
 */
function loadChanged(c: CommandContext, q: number, state: number): void {
  const w = c.core.bytes.i32;
  const nextPsn = w[q + QPC_DW.nextPsn] as number;
  const unaPsn = w[q + QPC_DW.unaPsn] as number;
  const ssn = w[q + QPC_DW.ssn] as number;
  const expected = expectedPsn(w, q);
  const msn = w[q + QPC_DW.msn] as number;
  const counters = w[q + QPC_DW.counters] as number;
  const srqn = w[q + QPC_DW.srqn] as number;
  loadImage(c.core.bytes, c.inbox, q);
  w[q + QPC_DW.srqn] = srqn;
  if (state >= S.rtr) {
    setExpectedPsn(w, q, expected);
    w[q + QPC_DW.msn] = msn;
    w[q + QPC_DW.counters] = counters;
  }
  if (state >= S.rts) {
    w[q + QPC_DW.nextPsn] = nextPsn;
    w[q + QPC_DW.unaPsn] = unaPsn;
    w[q + QPC_DW.ssn] = ssn;
  } else startSending(w, q);
}

/** The first PSN is all that the image says of what has been sent. */
function startSending(w: Int32Array, q: number): void {
  const psn = (w[q + QPC_DW.nextPsn] as number) & 0xff_ffff;
  w[q + QPC_DW.nextPsn] = psn;
  w[q + QPC_DW.unaPsn] = psn;
}
