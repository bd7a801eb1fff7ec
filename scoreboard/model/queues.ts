/** Linked lists of requests: the work queues of a queue pair, its inbound messages, the plain WRITEs not judged. */

import type { OracleState } from './oracleState.ts';
import { NONE, Q_IN_COUNT, Q_IN_HEAD, Q_IN_TAIL, Q_SQ_HEAD, Q_WRITES } from './qps.ts';
import { R_LINK, R_NEXT, R_QP, R_STATE, S_AWAITED, S_COMP, S_DATA, S_FAILED, S_JUDGED } from './requests.ts';
import { INDEX_BITS } from '../../uvm/bytes/words.ts';

/** Appends a request to the work queue whose head and tail are fields `head` and `head + 1` of a queue pair. */
export function append(s: OracleState, q: number, head: number, r: number): void {
  const w = s.qps.words;
  const tail = w[q + head + 1] as number;
  if (tail === NONE) w[q + head] = r;
  else s.requests.words[tail + R_NEXT] = r;
  w[q + head + 1] = r;
}

/** Removes a request from a work queue. */
export function unlink(s: OracleState, q: number, head: number, r: number): void {
  const w = s.qps.words;
  const next = s.requests.words[(r & INDEX_BITS) + R_NEXT] as number;
  let before: number = NONE;
  if (w[q + head] === r) {
    w[q + head] = next;
  } else {
    before = w[q + head] as number;
    while (s.requests.words[before + R_NEXT] !== r) before = s.requests.words[before + R_NEXT] as number;
    s.requests.words[before + R_NEXT] = next;
  }
  if (w[q + head + 1] === r) w[q + head + 1] = before;
}

/** Requests of a send queue that have no completion, counted one by one. */
export function sendsOutstanding(s: OracleState, q: number): number {
  let count = 0;
  for (let r = s.qps.words[q + Q_SQ_HEAD] as number; r !== NONE; r = s.requests.words[r + R_NEXT] as number) count++;
  return count;
}

/** Adds a message to the inbound list of its destination. */
export function addInbound(s: OracleState, dest: number, r: number): void {
  const w = s.qps.words;
  const tail = w[dest + Q_IN_TAIL] as number;
  if (tail === NONE) w[dest + Q_IN_HEAD] = r;
  else s.requests.words[tail + R_LINK] = r;
  w[dest + Q_IN_TAIL] = r;
  w[dest + Q_IN_COUNT] = (w[dest + Q_IN_COUNT] as number) + 1;
}

/** Puts a message of a connection into the inbound list of its destination, before those that were posted after it. */
export function insertInbound(s: OracleState, dest: number, r: number): void {
  const w = s.qps.words;
  const m = s.requests.words;
  const order = s.requests.orderOf(r);
  let before: number = NONE;
  let at = w[dest + Q_IN_HEAD] as number;
  for (; at !== NONE && s.requests.isBefore(at, order); at = m[at + R_LINK] as number) before = at;
  if (at === NONE) {
    addInbound(s, dest, r);
    return;
  }
  m[r + R_LINK] = at;
  if (before === NONE) w[dest + Q_IN_HEAD] = r;
  else m[before + R_LINK] = r;
  w[dest + Q_IN_COUNT] = (w[dest + Q_IN_COUNT] as number) + 1;
}

/** Removes a message from the inbound list and counts it as arrived or given up. */
export function removeInbound(s: OracleState, pair: number, message: number): void {
  const w = s.qps.words;
  const m = s.requests.words;
  const dest = pair & INDEX_BITS;
  const r = message & INDEX_BITS;
  let before: number = NONE;
  for (let at = w[dest + Q_IN_HEAD] as number; at !== r; at = m[at + R_LINK] as number) before = at;
  const next = m[r + R_LINK] as number;
  if (before === NONE) w[dest + Q_IN_HEAD] = next;
  else m[before + R_LINK] = next;
  if (w[dest + Q_IN_TAIL] === r) w[dest + Q_IN_TAIL] = before;
  w[dest + Q_IN_COUNT] = (w[dest + Q_IN_COUNT] as number) - 1;
  m[r + R_LINK] = NONE;
  const state = m[r + R_STATE] as number;
  if ((state & S_AWAITED) !== 0) s.outstanding--;
  m[r + R_STATE] = state & ~(S_DATA | S_AWAITED);
}

/**
 * Whether a message of an unreliable connection takes a receive has become open: then it is open for those behind it which
 * receive they come to, or whether there is one.
 */
export function doubtBehind(s: OracleState, r: number): void {
  const m = s.requests.words;
  for (let at = m[r + R_LINK] as number; at !== NONE; at = m[at + R_LINK] as number) giveUp(s, at);
}

/** A message itself may not arrive, which leaves those behind it open too. */
export function doubtFrom(s: OracleState, r: number): void {
  giveUp(s, r);
  doubtBehind(s, r);
}

/** A message may or may not arrive: it is not awaited any more. */
export function giveUp(s: OracleState, r: number): void {
  const m = s.requests.words;
  const state = m[r + R_STATE] as number;
  if ((state & S_AWAITED) !== 0) s.outstanding--;
  m[r + R_STATE] = (state & ~S_AWAITED) | S_FAILED;
}

/** Adds a plain WRITE to the list that `quiet` judges. */
export function addWrite(s: OracleState, r: number): void {
  if (s.writeTail === NONE) s.writeHead = r;
  else s.requests.words[s.writeTail + R_LINK] = r;
  s.writeTail = r;
  const q = s.requests.words[r + R_QP] as number;
  s.qps.words[q + Q_WRITES] = (s.qps.words[q + Q_WRITES] as number) + 1;
}

/** Takes a WRITE out of that list. */
export function removeWrite(s: OracleState, r: number): void {
  const m = s.requests.words;
  let before: number = NONE;
  for (let at = s.writeHead; at !== r; at = m[at + R_LINK] as number) before = at;
  const next = m[r + R_LINK] as number;
  if (before === NONE) s.writeHead = next;
  else m[before + R_LINK] = next;
  if (s.writeTail === r) s.writeTail = before;
  m[r + R_LINK] = NONE;
  const q = m[r + R_QP] as number;
  s.qps.words[q + Q_WRITES] = (s.qps.words[q + Q_WRITES] as number) - 1;
}

/** The data of a plain WRITE need not be judged any more. */
export function judgedWrite(s: OracleState, r: number): void {
  const m = s.requests.words;
  const q = m[r + R_QP] as number;
  m[r + R_STATE] = (m[r + R_STATE] as number) | S_JUDGED;
  s.qps.words[q + Q_WRITES] = (s.qps.words[q + Q_WRITES] as number) - 1;
}

/**
 * A plain WRITE completed and has left its work queue.
 * @param list `Q_THERE` when its data are where they belong, else `Q_LATE`
 */
export function completedWrite(s: OracleState, r: number, list: number): void {
  const q = s.requests.words[r + R_QP] as number;
  s.requests.words[r + R_NEXT] = s.qps.words[q + list] as number;
  s.qps.words[q + list] = r;
}

/** Gives a request back when neither a completion nor its data is outstanding. */
export function releaseIfDone(s: OracleState, r: number): void {
  if (((s.requests.words[r + R_STATE] as number) & (S_COMP | S_DATA)) !== 0) return;
  if (s.snapshots.size > 0) dropSnapshot(s, r);
  s.requests.release(r);
}

function dropSnapshot(s: OracleState, r: number): void {
  const at = s.snapshots.get(r);
  if (at === undefined) return;
  s.snapshots.delete(r);
  s.snapshotBlocks.give(s.requests.length(r), at);
}
