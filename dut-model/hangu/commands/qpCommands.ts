/**
 * The MODIFY_QP family and QUERY_QP (hangu-interface.md 4.7, hangu-rtl-facts.md 2.3, roce-transport.md 6.2).
 *
 * RST2INIT loads the whole image. RTR2RTS from RESET does too: it is how the published harness brings a queue pair up.
 * Every other transition takes over the fields that it may change and keeps what the hardware has counted.
 */
import { CMD, CMD_STATUS, OUTBOX_BYTES } from '../../../rdma/hangu/commands.ts';
import { QPC_STATE } from '../../../rdma/hangu/contexts.ts';
import { swap32 } from '../../roce/endian.ts';
import type { CommandContext } from '../commandContext.ts';
import { AGAIN } from '../commandContext.ts';
import { MISS } from '../icmCache.ts';
import { loadImage, QPC_DW, qpcMarker, qpState, setQpState, storeImage } from '../qpContext.ts';

const S = QPC_STATE;
/** Legal states before, and the state after, of each command. */
const TRANSITION: Readonly<Record<number, readonly [from: readonly number[], to: number]>> = {
  [CMD.rst2init]: [[S.rst], S.init],
  [CMD.init2init]: [[S.init], S.init],
  [CMD.init2rtr]: [[S.init], S.rtr],
  [CMD.rtr2rts]: [[S.rst, S.rtr, S.rts], S.rts],
  [CMD.rts2rts]: [[S.rts], S.rts],
  [CMD.rts2sqd]: [[S.rts], S.sqd],
  [CMD.sqd2rts]: [[S.sqd], S.rts],
  [CMD.sqd2sqd]: [[S.sqd], S.sqd],
  [CMD.sqerr2rts]: [[S.sqe], S.rts],
};
/** Dwords that the hardware counts and a later MODIFY must not set back. */
const KEPT_BY_SEND: readonly number[] = [QPC_DW.nextPsn, QPC_DW.unaPsn, QPC_DW.ssn];
const KEPT_BY_RECEIVE: readonly number[] = [QPC_DW.rnrEpsn, QPC_DW.msn, QPC_DW.counters];
const EVENT_REQUEST = 1 << 31;

export function modifyQp(c: CommandContext): number {
  const { core } = c;
  const qpn = c.modifier & 0xff_ffff;
  if (qpn >= core.icm.qpc.entries) return CMD_STATUS.badIndex;
  const at = core.qpc.lookup(qpn, c);
  if (at === MISS) return AGAIN;
  if (at < 0) return CMD_STATUS.badResource;
  const w = core.bytes.i32;
  const q = at >> 2;
  const known = w[q + QPC_DW.marker] === qpcMarker(qpn);
  const state = known ? qpState(w, q) : S.rst;
  const [from, to] = TRANSITION[c.opcode] as (typeof TRANSITION)[number];
  if (!from.includes(state)) return CMD_STATUS.badQpState;
  if (swap32(w[(c.inbox >> 2) + QPC_DW.localQpn] as number) !== qpn) return CMD_STATUS.badParam;
  if (state === S.rst) loadFresh(c, q, qpn);
  else loadChanged(c, q, state);
  setQpState(w, q, to);
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

/** 2ERR: everything outstanding is flushed (roce-transport.md 5.3). */
export function toError(c: CommandContext): number {
  const q = context(c);
  if (q < 0) return q === -1 ? AGAIN : CMD_STATUS.badResource;
  const w = c.core.bytes.i32;
  if (qpState(w, q) === S.rst) return CMD_STATUS.badQpState;
  setQpState(w, q, S.err);
  c.core.qpc.touch(q << 2);
  const slot = c.core.slot(c.modifier);
  c.sendSide.flush(slot);
  c.receiveSide.enterError(slot);
  return CMD_STATUS.ok;
}

/** Any state to RESET: all requests are forgotten without completion. */
export function toReset(c: CommandContext): number {
  const q = context(c);
  if (q < 0) return q === -1 ? AGAIN : CMD_STATUS.badResource;
  const w = c.core.bytes.i32;
  w[q + QPC_DW.marker] = 0;
  c.core.qpc.alter(q << 2);
  const slot = c.core.slot(c.modifier);
  c.sendSide.forget(slot);
  c.receiveSide.forget(slot);
  c.core.dropSlot(c.modifier);
  return CMD_STATUS.ok;
}

export function queryQp(c: CommandContext): number {
  const q = context(c);
  if (q < 0) return q === -1 ? AGAIN : CMD_STATUS.badResource;
  storeImage(c.core.bytes, q, c.outbox);
  c.outboxBytes = OUTBOX_BYTES.qp;
  return CMD_STATUS.ok;
}

function context(c: CommandContext): number {
  return c.core.queuePair(c.modifier & 0xff_ffff, c);
}

function loadFresh(c: CommandContext, q: number, qpn: number): void {
  const w = c.core.bytes.i32;
  loadImage(c.core.bytes, c.inbox, q);
  for (let i = 48; i < 64; i++) w[q + i] = 0;
  w[q + QPC_DW.nextPsn] = (w[q + QPC_DW.nextPsn] as number) & 0xff_ffff;
  w[q + QPC_DW.unaPsn] = w[q + QPC_DW.nextPsn] as number;
  w[q + QPC_DW.marker] = qpcMarker(qpn);
}

/** Takes the image over but for what the NIC owns by now: the send side from RTS on, the receive side from RTR on. */
function loadChanged(c: CommandContext, q: number, state: number): void {
  const w = c.core.bytes.i32;
  const kept: (readonly [number, number])[] = [];
  const keep = (dw: number): void => {
    kept.push([dw, w[q + dw] as number]);
  };
  if (state >= S.rts) KEPT_BY_SEND.forEach(keep);
  if (state >= S.rtr) KEPT_BY_RECEIVE.forEach(keep);
  loadImage(c.core.bytes, c.inbox, q);
  const timer = (w[q + QPC_DW.rnrEpsn] as number) & 0xff00_0000;
  for (const [dw, value] of kept) w[q + dw] = value;
  if (state >= S.rtr) w[q + QPC_DW.rnrEpsn] = ((w[q + QPC_DW.rnrEpsn] as number) & 0xff_ffff) | timer;
  if (state >= S.rts) return;
  w[q + QPC_DW.nextPsn] = (w[q + QPC_DW.nextPsn] as number) & 0xff_ffff;
  w[q + QPC_DW.unaPsn] = w[q + QPC_DW.nextPsn] as number;
}
