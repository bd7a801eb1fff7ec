/** Linked lists of requests: the work queues of a queue pair, its inbound messages, the plain WRITEs not judged. */

import { type Message, type QueuePair, NO_MESSAGE, ARRIVAL, STAGE } from './work.ts';
import type { OracleState } from './oracleState.ts';

/** Adds a message to the inbound list of its destination. */
export function addInbound(dest: QueuePair, r: Message): void {
  const tail = dest.inbound.tail;
  if (!tail.exists) dest.inbound.head = r;
  else tail.link = r;
  dest.inbound.tail = r;
  dest.inbound.count++;
}

/** Puts a message of a connection into the inbound list of its destination, before those that were posted after it. */
export function insertInbound(dest: QueuePair, r: Message): void {
  const order = r.order;
  let before: Message = NO_MESSAGE;
  let at = dest.inbound.head;
  for (; at.exists && at.isBefore(order); at = at.link) before = at;
  if (!at.exists) {
    addInbound(dest, r);
    return;
  }
  r.link = at;
  if (!before.exists) dest.inbound.head = r;
  else before.link = r;
  dest.inbound.count++;
}

/** Whether a message is in the inbound list of a queue pair. */
export function isInbound(dest: QueuePair, r: Message): boolean {
  let at = dest.inbound.head;
  while (at.exists && at !== r) at = at.link;
  return at.exists;
}

/** Takes a message that is in the inbound list out of it. */
export function unlinkInbound(dest: QueuePair, r: Message): void {
  let before: Message = NO_MESSAGE;
  for (let at = dest.inbound.head; at !== r; at = at.link) before = at;
  const next = r.link;
  if (!before.exists) dest.inbound.head = next;
  else before.link = next;
  if (dest.inbound.tail === r) dest.inbound.tail = before;
  if (dest.inbound.taken === r) dest.inbound.taken = before;
  dest.inbound.count--;
  r.link = NO_MESSAGE;
}

/** Removes a message from the inbound list and counts it as arrived or given up. */
export function removeInbound(s: OracleState, dest: QueuePair, r: Message): void {
  unlinkInbound(dest, r);
  r.stage = STAGE.settled;
  if (!r.awaited) return;
  s.outstanding--;
  r.arrival = ARRIVAL.open;
}

/**
 * Whether a message of an unreliable connection takes a receive has become open: then it is open for those behind it which
 * receive they come to, or whether there is one.
 */
export function mayBeMissingBehind(s: OracleState, r: Message): void {
  for (let at = r.link; at.exists; at = at.link) giveUp(s, at);
}

/** A message itself may not arrive, which leaves those behind it open too. */
export function mayBeMissingFrom(s: OracleState, r: Message): void {
  giveUp(s, r);
  mayBeMissingBehind(s, r);
}

/** A message must arrive. */
export function awaitMessage(s: OracleState, r: Message): void {
  r.arrival = ARRIVAL.awaited;
  s.outstanding++;
}

/** A message may or may not arrive: it is not awaited any more. */
export function giveUp(s: OracleState, r: Message): void {
  if (r.awaited) s.outstanding--;
  r.arrival = ARRIVAL.mayVanish;
}

/** Adds a plain WRITE to the list that `quiet` judges. */
export function addWrite(s: OracleState, r: Message): void {
  if (!s.writeTail.exists) s.writeHead = r;
  else s.writeTail.link = r;
  s.writeTail = r;
  r.qp.sq.writes++;
}

/** Takes a WRITE out of that list. */
export function removeWrite(s: OracleState, r: Message): void {
  let before: Message = NO_MESSAGE;
  for (let at = s.writeHead; at !== r; at = at.link) before = at;
  const next = r.link;
  if (!before.exists) s.writeHead = next;
  else before.link = next;
  if (s.writeTail === r) s.writeTail = before;
  r.link = NO_MESSAGE;
  r.qp.sq.writes--;
}

/** The data of a plain WRITE need not be judged any more. */
export function judgedWrite(r: Message): void {
  r.stage = STAGE.verified;
  r.qp.sq.writes--;
}

/** A plain WRITE completed and has left its work queue. @param there its data are where they belong */
export function completedWrite(r: Message, there: boolean): void {
  const { sq } = r.qp;
  if (there) {
    r.next = sq.writesThere;
    sq.writesThere = r;
  } else {
    r.next = sq.lateWrites;
    sq.lateWrites = r;
  }
}

/** Gives a request back when neither a completion nor its data is outstanding. */
export function releaseIfDone(s: OracleState, r: Message): void {
  if (r.outstanding || r.dataOpen) return;
  if (s.snapshots.size > 0) dropSnapshot(s, r);
  s.requests.release(r);
}

function dropSnapshot(s: OracleState, r: Message): void {
  const at = s.snapshots.get(r);
  if (at === undefined) return;
  s.snapshots.delete(r);
  s.snapshotBlocks.give(r.length, at);
}
