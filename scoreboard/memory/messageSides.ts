/** Puts the comparer's cursors at the two ends of a message. */

import type { Comparer } from './comparer.ts';
import type { OracleState } from '../model/oracleState.ts';
import { Q_HOST, Q_PROCESS } from '../model/qps.ts';
import {
  hostOf,
  processOf,
  R_LOCAL_BLOCK,
  R_NUM_SGE,
  R_QP,
  R_REMOTE_BLOCK,
  R_RHI,
  R_RLO,
  R_RSPACE,
  R_SGES,
  R_STATE,
  S_FLAT,
  S_GRANTED,
  S_REMOTE,
  S_SNAPSHOT,
} from '../model/requests.ts';
import type { SideCursor } from './sideCursor.ts';
import { INDEX_BITS } from '../../uvm/bytes/words.ts';

/** The local scatter/gather list of a request. */
export function startLocal(s: OracleState, cursor: SideCursor, request: number): void {
  const r = request & INDEX_BITS;
  const m = s.requests.words;
  const q = (m[r + R_QP] as number) & INDEX_BITS;
  const state = m[r + R_STATE] as number;
  const first = m[r + R_SGES] as number;
  const host = s.qps.words[q + Q_HOST] as number;
  const process = s.qps.words[q + Q_PROCESS] as number;
  const words = s.requests.sges.words;
  if ((state & S_FLAT) !== 0) {
    cursor.startRange(host, process, words[first] as number, words[first + 1] as number, s.requests.length(r));
  } else {
    cursor.startList(host, process, words, first, m[r + R_NUM_SGE] as number);
    if ((state & S_GRANTED) !== 0) cursor.range = s.openRanges.firstRange(m[r + R_LOCAL_BLOCK] as number);
  }
}

/** What a sender sends: its list, or the copy of its inline data. */
export function startSource(s: OracleState, cursor: SideCursor, r: number): void {
  if (((s.requests.words[r + R_STATE] as number) & S_SNAPSHOT) !== 0) {
    cursor.startSnapshot(s.snapshots.get(r) as number, s.requests.length(r));
  } else {
    startLocal(s, cursor, r);
  }
}

/** The remote range of a one-sided request. */
function startRemote(s: OracleState, cursor: SideCursor, r: number): void {
  const w = s.requests.words;
  const space = w[r + R_RSPACE] as number;
  const hi = w[r + R_RHI] as number;
  const lo = w[r + R_RLO] as number;
  cursor.startRange(hostOf(space), processOf(space), hi, lo, s.requests.length(r));
  const open = ((w[r + R_STATE] as number) & S_REMOTE) !== 0;
  if (open) cursor.beginsIn(s.openRanges.page(w[r + R_REMOTE_BLOCK] as number));
}

/** Kinds of transfer by which end is which. */
export const TRANSFER = { message: 0, write: 1, read: 2 } as const;
export type Transfer = (typeof TRANSFER)[keyof typeof TRANSFER];

/**
 * Both ends of a transfer. `r` is the send request; `recv` the receive of a message, of whose buffer `skip` bytes come
 * before the data. False when the receive buffer is shorter than that.
 */
export function startSides(
  s: OracleState,
  c: Comparer,
  kind: Transfer,
  r: number,
  recv: number,
  skip: number,
): boolean {
  if (kind === TRANSFER.read) {
    startRemote(s, c.source, r);
    startLocal(s, c.target, r);
    return true;
  }
  startSource(s, c.source, r);
  if (kind === TRANSFER.write) {
    startRemote(s, c.target, r);
    return true;
  }
  startLocal(s, c.target, recv);
  if (skip === 0) return true;
  c.target.range = s.openRanges.rangeBehind(c.target.range, skip);
  return c.target.skip(skip);
}
