/**
 * Messages of unreliable services that are longer than the receive they come to: the receiver drops them without a
 * word, and the receive waits for the next one (roce-transport.md 4.6, 7.1, 7.2). A datagram comes with 40 bytes more.
 */

import { QP_TYPE } from '../../rdma/verbs.ts';
import { OP_MESSAGE, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_FLAGS, Q_IN_HEAD, Q_IN_LONGEST, Q_RQ_HEAD, Q_RQ_SHORTEST, Q_TYPE, QF_GONE } from '../model/qps.ts';
import { doubtBehind, giveUp } from '../model/queues.ts';
import {
  OPCODE_MASK,
  R_DEST,
  R_LINK,
  R_NEXT,
  R_OPEN_BYTES,
  R_QP,
  R_STATE,
  S_AWAITED,
  S_HOLDS_MORE,
} from '../model/requests.ts';

/** What becomes of a message. */
export const FATE = {
  /** It fits, whichever receive it comes to. */
  arrives: 0,
  /** It fits in some of the receives that it may come to. */
  open: 1,
  /** It is too long for all of them. */
  dropped: 2,
} as const;
export type Fate = (typeof FATE)[keyof typeof FATE];

/** Notes the room of a receive that is posted. */
export function noteRoom(s: OracleState, q: number, recv: number): void {
  const w = s.qps.words;
  const room = s.requests.length(recv);
  if (s.beginnings.size > 0 && s.beginnings.has(q)) holdsMore(s, recv);
  if (room < (w[q + Q_RQ_SHORTEST] as number) >>> 0) w[q + Q_RQ_SHORTEST] = room | 0;
}

/** What becomes of message `r`, which is not in the list of its destination `dest` yet. To be asked once. */
export function fateOf(s: OracleState, dest: number, r: number): Fate {
  const w = s.qps.words;
  const kind = operationKind((s.requests.words[r + R_STATE] as number) & OPCODE_MASK);
  if ((kind & OP_WRITE) !== 0) return FATE.arrives;
  const needs = bytesOf(s, dest, r);
  if (needs > (w[dest + Q_IN_LONGEST] as number) >>> 0) w[dest + Q_IN_LONGEST] = needs | 0;
  if ((w[dest + Q_IN_LONGEST] as number) >>> 0 <= (w[dest + Q_RQ_SHORTEST] as number) >>> 0) return FATE.arrives;
  return w[dest + Q_TYPE] === QP_TYPE.ud ? datagramFate(s, dest, r, needs) : inOrder(s, dest, needs);
}

/**
 * Message `r`, which is in no list, and which its sender has no key for all of: packets of it may leave before that is
 * found, and a receive hold them.
 */
export function noteBeginning(s: OracleState, dest: number, r: number): void {
  if (inOrder(s, dest, Infinity) !== FATE.dropped) beginsLater(s, dest, r);
}

/**
 * A send of an unreliable connection has failed, which is in the list of its destination if it is a message: packets of it
 * may have left before, and a receive hold them.
 */
export function noteCutShort(s: OracleState, r: number): void {
  const w = s.qps.words;
  const m = s.requests.words;
  const kind = operationKind((m[r + R_STATE] as number) & OPCODE_MASK);
  const dest = m[r + R_DEST] as number;
  if (dest < 0 || (kind & (OP_MESSAGE | OP_WRITE)) !== OP_MESSAGE || w[(m[r + R_QP] as number) + Q_TYPE] !== QP_TYPE.uc)
    return;
  if (inOrder(s, dest, Infinity, r) !== FATE.dropped) beginsLater(s, dest, r);
}

/**
 * Send `r` of an unreliable queue pair `q` may end with an error, which its completion will say: then it and those behind
 * it, also those that are still to be posted, do not arrive.
 */
export function noteMayStop(s: OracleState, q: number, r: number): void {
  const m = s.requests.words;
  const order = s.requests.orderOf(r);
  const latest = s.failing.get(q);
  if (latest === undefined || ((order - latest) | 0) > 0) s.failing.set(q, order);
  for (let at = r; at !== NONE; at = m[at + R_NEXT] as number) {
    const kind = operationKind((m[at + R_STATE] as number) & OPCODE_MASK);
    if ((kind & OP_MESSAGE) !== 0) noteFailed(s, at);
  }
}

/**
 * A send has failed, or may fail. If a receive was to take it, those behind it come to receives before the ones that were
 * to take them, and these may be too short.
 */
export function noteFailed(s: OracleState, r: number): void {
  const w = s.qps.words;
  const m = s.requests.words;
  const dest = m[r + R_DEST] as number;
  const unreliable = w[(m[r + R_QP] as number) + Q_TYPE] !== QP_TYPE.rc;
  const wasAwaited = ((m[r + R_STATE] as number) & S_AWAITED) !== 0;
  giveUp(s, r);
  if (!unreliable || !wasAwaited || dest < 0) return;
  if ((w[dest + Q_IN_LONGEST] as number) >>> 0 > (w[dest + Q_RQ_SHORTEST] as number) >>> 0) doubtBehind(s, r);
}

/** A message has come to a receive of queue pair `q`: no beginning is still to come of those posted before it. */
export function noteReceived(s: OracleState, q: number, message: number): void {
  const latest = s.beginnings.size === 0 ? undefined : s.beginnings.get(q);
  if (latest !== undefined && !s.requests.isBefore(message, latest)) s.beginnings.delete(q);
}

/** There may be no receive for it yet. */
function beginsLater(s: OracleState, dest: number, r: number): void {
  if (((s.qps.words[dest + Q_FLAGS] as number) & QF_GONE) !== 0) return;
  const latest = s.beginnings.get(dest);
  if (latest === undefined || !s.requests.isBefore(r, latest)) s.beginnings.set(dest, s.requests.orderOf(r));
}

function holdsMore(s: OracleState, recv: number): void {
  s.requests.words[recv + R_STATE] = (s.requests.words[recv + R_STATE] as number) | S_HOLDS_MORE;
}

/** Messages come in the order of posting: the first of the list to the first receive, unless some before it vanish. @param end the message in question, where it is in the list */
function inOrder(s: OracleState, dest: number, needs: number, end: number = NONE): Fate {
  const m = s.requests.words;
  let recv = s.qps.words[dest + Q_RQ_HEAD] as number;
  let doubtful = 0;
  let alone = true;
  for (let r = s.qps.words[dest + Q_IN_HEAD] as number; r !== NONE && r !== end; r = m[r + R_LINK] as number) {
    alone = false;
    if (((m[r + R_STATE] as number) & S_AWAITED) === 0) doubtful++;
    else if (recv !== NONE) recv = m[recv + R_NEXT] as number;
  }
  const fate = among(s, recv, doubtful, needs);
  // What is in front takes no receive should software void its key, or forbid it, before it is sent or arrives.
  return fate === FATE.dropped && !alone ? FATE.open : fate;
}

/**
 * Datagrams of several senders come in any order, also to receives that are posted later: one that is too long for some
 * receive may or may not arrive, and so may those of other senders that are on their way.
 */
function datagramFate(s: OracleState, dest: number, r: number, needs: number): Fate {
  const m = s.requests.words;
  const head = s.qps.words[dest + Q_IN_HEAD] as number;
  let several = false;
  for (let at = head; at !== NONE; at = m[at + R_LINK] as number) several ||= m[at + R_QP] !== m[r + R_QP];
  if (!several) return inOrder(s, dest, needs) === FATE.arrives ? FATE.arrives : FATE.open;
  const first = s.qps.words[dest + Q_RQ_HEAD] as number;
  for (let at = head; at !== NONE; at = m[at + R_LINK] as number)
    if (among(s, first, Infinity, bytesOf(s, dest, at)) !== FATE.arrives) giveUp(s, at);
  return among(s, first, Infinity, needs) === FATE.arrives ? FATE.arrives : FATE.open;
}

/** Whether `needs` bytes fit in a receive and the `more` behind it. On UC those too short may hold the beginning. */
function among(s: OracleState, first: number, more: number, needs: number): Fate {
  const m = s.requests.words;
  // Messages of several packets, unlike datagrams.
  const several = first !== NONE && s.qps.words[(m[first + R_QP] as number) + Q_TYPE] === QP_TYPE.uc;
  let fits = false;
  let short = false;
  let left = more;
  for (let recv = first; recv !== NONE && left >= 0; recv = m[recv + R_NEXT] as number, left--) {
    if (needs <= s.requests.length(recv)) {
      fits = true;
      continue;
    }
    short = true;
    // Where a key does not open all of it, the message may end the receive before it turns out to be too long.
    fits ||= m[recv + R_OPEN_BYTES] !== NONE;
    if (several) holdsMore(s, recv);
  }
  if (!short) return FATE.arrives;
  return fits || left >= 0 ? FATE.open : FATE.dropped;
}

function bytesOf(s: OracleState, dest: number, r: number): number {
  return s.requests.length(r) + s.qps.headBytes(dest);
}
