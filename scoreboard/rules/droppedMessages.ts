/**
 * Messages of unreliable services that are longer than the receive they come to: the receiver drops them without a
 * word, and the receive waits for the next one (roce-transport.md 4.6, 7.1, 7.2). A datagram comes with 40 bytes more.
 */

import { type Message, type QueuePair, NO_MESSAGE, NONE, type Receive, type ReceiveQueue } from '../model/work.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { OP_MESSAGE, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { mayBeMissingBehind, giveUp } from '../model/queues.ts';
import { mayHaveLost } from './takenReceives.ts';

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
export function noteRoom(s: OracleState, q: QueuePair, queue: ReceiveQueue, recv: Receive): void {
  const room = recv.length;
  if (s.partialMessages.size > 0 && s.partialMessages.has(q)) holdsMore(recv);
  if (room < queue.shortest) queue.shortest = room;
}

/** What becomes of message `r`, which is not in the list of its destination `dest` yet. To be asked once. */
export function fateOf(s: OracleState, dest: QueuePair, r: Message): Fate {
  const kind = operationKind(r.opcode);
  if ((kind & OP_WRITE) !== 0) return FATE.arrives;
  // Fewer receives may be left than there seem to be: a datagram that finds none is dropped.
  if (dest.type === QP_TYPE.ud && mayHaveLost(s, dest.rq)) return FATE.open;
  const needs = bytesOf(dest, r);
  if (needs > dest.inbound.longest) dest.inbound.longest = needs;
  if (dest.inbound.longest <= dest.rq.shortest) return FATE.arrives;
  return dest.type === QP_TYPE.ud ? datagramFate(s, dest, r, needs) : inOrder(dest, needs);
}

/**
 * The first packet of a longer message of UC, which has come before, comes once more: it begins anew in the next receive, and
 * not to its end. @param order of the message
 */
export function noteBegunAgain(s: OracleState, dest: QueuePair, order: number): void {
  for (let recv = dest.rq.head; recv.exists; recv = recv.next) holdsMore(recv);
  if (!dest.gone) s.partialMessages.set(dest, order + 1);
}

/**
 * Message `r`, which is in no list, and which its sender has no key for all of: packets of it may leave before that is
 * found, and a receive hold them.
 */
export function notePartial(s: OracleState, dest: QueuePair, r: Message): void {
  if (inOrder(dest, Infinity) !== FATE.dropped) partialLater(s, dest, r);
}

/**
 * A send of an unreliable connection has failed, which is in the list of its destination if it is a message: packets of it
 * may have left before, and a receive hold them.
 */
export function noteCutShort(s: OracleState, r: Message): void {
  const kind = operationKind(r.opcode);
  const dest = r.dest;
  if (!dest.exists || (kind & (OP_MESSAGE | OP_WRITE)) !== OP_MESSAGE || r.qp.type !== QP_TYPE.uc) return;
  if (inOrder(dest, Infinity, r) !== FATE.dropped) partialLater(s, dest, r);
}

/**
 * Send `r` of an unreliable queue pair `q` may end with an error, which its completion will say: then it and those behind
 * it, also those that are still to be posted, do not arrive.
 */
export function noteMayFail(s: OracleState, q: QueuePair, r: Message): void {
  const order = r.order;
  const latest = s.failing.get(q);
  if (latest === undefined || ((order - latest) | 0) > 0) s.failing.set(q, order);
  for (let at = r; at.exists; at = at.next) {
    const kind = operationKind(at.opcode);
    if ((kind & OP_MESSAGE) !== 0) noteFailed(s, at);
  }
}

/**
 * A send has failed, or may fail. If a receive was to take it, those behind it come to receives before the ones that were
 * to take them, and these may be too short.
 */
export function noteFailed(s: OracleState, r: Message): void {
  const dest = r.dest;
  const unreliable = r.qp.type !== QP_TYPE.rc;
  const wasAwaited = r.awaited;
  giveUp(s, r);
  if (!unreliable || !wasAwaited || !dest.exists) return;
  if (dest.inbound.longest > dest.rq.shortest) mayBeMissingBehind(s, r);
}

/** A message has come to a receive of queue pair `q`: no beginning is still to come of those posted before it. */
export function noteReceived(s: OracleState, q: QueuePair, message: Message): void {
  const latest = s.partialMessages.size === 0 ? undefined : s.partialMessages.get(q);
  if (latest !== undefined && !message.isBefore(latest)) s.partialMessages.delete(q);
}

/** There may be no receive for it yet. */
function partialLater(s: OracleState, dest: QueuePair, r: Message): void {
  if (dest.gone) return;
  const latest = s.partialMessages.get(dest);
  if (latest === undefined || !r.isBefore(latest)) s.partialMessages.set(dest, r.order);
}

function holdsMore(recv: Receive): void {
  recv.holdsPartial = true;
}

/** Messages come in the order of posting: the first of the list to the first receive, unless some before it vanish. @param end the message in question, where it is in the list */
function inOrder(dest: QueuePair, needs: number, end: Message = NO_MESSAGE): Fate {
  let recv = dest.rq.head;
  let ambiguous = 0;
  let alone = true;
  for (let r = dest.inbound.head; r.exists && r !== end; r = r.link) {
    alone = false;
    if (!r.awaited) ambiguous++;
    else if (recv.exists) recv = recv.next;
  }
  const fate = among(recv, ambiguous, needs);
  // What is in front takes no receive should software void its key, or forbid it, before it is sent or arrives.
  return fate === FATE.dropped && !alone ? FATE.open : fate;
}

/**
 * Datagrams of several senders come in any order, also to receives that are posted later: one that is too long for some
 * receive may or may not arrive, and so may those of other senders that are on their way.
 */
function datagramFate(s: OracleState, dest: QueuePair, r: Message, needs: number): Fate {
  const head = dest.inbound.head;
  let several = dest.rq.isShared;
  for (let at = head; at.exists; at = at.link) several ||= at.qp !== r.qp;
  if (!several) return inOrder(dest, needs) === FATE.arrives ? FATE.arrives : FATE.open;
  const first = dest.rq.head;
  for (let at = head; at.exists; at = at.link)
    if (among(first, Infinity, bytesOf(dest, at)) !== FATE.arrives) giveUp(s, at);
  return among(first, Infinity, needs) === FATE.arrives ? FATE.arrives : FATE.open;
}

/** Whether `needs` bytes fit in a receive and the `more` behind it. On UC those too short may hold the beginning. */
function among(first: Receive, more: number, needs: number): Fate {
  // Messages of several packets, unlike datagrams.
  const several = first.exists && first.qp.type === QP_TYPE.uc;
  let fits = false;
  let short = false;
  let left = more;
  for (let recv = first; recv.exists && left >= 0; recv = recv.next, left--) {
    if (needs <= recv.length) {
      fits = true;
      continue;
    }
    short = true;
    // Where a key does not open all of it, the message may end the receive before it turns out to be too long.
    fits ||= recv.openBytes !== NONE;
    if (several) holdsMore(recv);
  }
  if (!short) return FATE.arrives;
  return fits || left >= 0 ? FATE.open : FATE.dropped;
}

function bytesOf(dest: QueuePair, r: Message): number {
  return r.length + dest.headBytes;
}
