/** What each queue pair still waits for, for stall, end-of-test and deadlock messages. */

import type { Subject, SubjectPart } from '../../rdma/subject.ts';
import { theQueuePair, theRequest } from './subjects.ts';
import { type AnyRequest, type Message, type QueuePair, NO_MESSAGE, NO_QP } from '../model/work.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { dueSince, owedReceives } from '../checks/flushes.ts';
import { isHeld } from '../rules/heldSends.ts';
import { oldestUndone } from '../rules/unsignalledSends.ts';
import { qpName, requestName, shortRequestName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { counted, countedAre } from '../../uvm/report/counted.ts';

/** Number of requests and the oldest of them. */
interface Waiting {
  readonly count: number;
  readonly first: Message;
}

/** Signalled sends without a completion. */
function waitingSends(q: QueuePair): Waiting {
  return counts(
    q.sq.head,
    (r) => r.next,
    (r) => r.signalled,
  );
}

/** Sends that may not have been carried out. */
function undoneSends(s: OracleState, q: QueuePair): Waiting {
  return counts(
    oldestUndone(s, q),
    (r) => r.next,
    () => true,
  );
}

/** Messages on their way to this queue pair whose receive has not completed. */
export function waitingMessages(q: QueuePair): Waiting {
  return counts(
    q.inbound.head,
    (r) => r.link,
    (r) => r.awaited,
  );
}

/** What a finding accuses of a queue pair that does not get on: that, with the oldest request that it waits for. */
export function whatWaits(q: QueuePair): Subject {
  const first = oldestUnfinished(q);
  const request: readonly SubjectPart[] = first === undefined ? [] : [theRequest(first)];
  return [theQueuePair(q), ...request];
}

/** The oldest request that a queue pair waits for, of its own or of its peers; undefined for none. */
function oldestUnfinished(q: QueuePair): AnyRequest | undefined {
  const [send, message] = [waitingSends(q).first, waitingMessages(q).first];
  const all: readonly AnyRequest[] = [send, message, q.sq.head, q.rq.head];
  return all.find(({ exists }) => exists);
}

/** True when a queue pair may be expected to get on with its work. */
export function isAlive(q: QueuePair): boolean {
  return q.ready && !q.broken && !q.gone;
}

/** Whether an error, or software, has stopped its send queue at least, so that this must be flushed. */
function hasFailed(q: QueuePair): boolean {
  return q.ready && !q.gone && (q.broken || q.sq.failed || q.dead);
}

/** What a queue pair that has failed still has to flush (roce-transport.md 5.3), in words; undefined when it has done so. */
export function unflushedOf(s: OracleState, q: QueuePair): string | undefined {
  const what = unflushed(s, q, hasFailed(q));
  return what === '' ? undefined : `${qpName(q)} has failed and has not flushed ${what}`;
}

/**
 * What a queue pair that has failed has not flushed when software resets or destroys it, although its NIC came to rest
 * after the latest completion and the latest request; undefined when nothing is missing, or it is not known.
 */
export function lostFlushesOf(s: OracleState, q: QueuePair): string | undefined {
  const what = unflushed(s, q, hasFailed(q));
  const host = q.host;
  if (what === '' || s.options.wire.hasPaused(host, dueSince(q)) !== true) return undefined;
  return `${qpName(q)} has failed, and its NIC came to rest without flushing ${what}`;
}

/** Requests that must be flushed and are not, those of the send queue if it `sends`; '' when there are none. */
function unflushed(s: OracleState, q: QueuePair, sends: boolean): string {
  const awaited = sends && !s.cqOverflows.isLost(q.host, q.sendCqn);
  const { count: left, first } = awaited ? undoneSends(s, q) : { count: 0, first: NO_MESSAGE };
  const receives = owedReceives(q);
  const what = [
    ...(left > 0 ? [`${counted(left, 'send request')}, first ${shortRequestName(first)}`] : []),
    ...(receives > 0 ? [`${counted(receives, 'receive')}, first ${shortRequestName(q.rq.head)}`] : []),
  ];
  return what.join(' and ');
}

/** What a queue pair waits for, one line each; none when nothing is outstanding or it has failed. */
export function pendingOf(s: OracleState, q: QueuePair): string[] {
  if (!isAlive(q)) return [];
  const lines: string[] = [];
  const sends = waitingSends(q);
  if (sends.count > 0 && !q.sendsFail)
    lines.push(
      `${qpName(q)} waits for ${counted(sends.count, 'send completion')}, first of ${shortRequestName(sends.first)}${heldText(s, sends.first)}`,
    );
  const messages = waitingMessages(q);
  if (messages.count > 0) {
    const receives = q.rq.waiting;
    lines.push(
      `${qpName(q)} waits for ${counted(messages.count, 'receive completion')} (${countedAre(receives, 'receive')} posted), ` +
        `first for ${requestName(messages.first)}${heldText(s, messages.first)}`,
    );
  }
  return lines;
}

/** What keeps a queue pair from getting on, as bits. */
export const OWES = {
  /** Software must post a receive for the oldest message from or to it. */
  receive: 1,
  /** Software must take it, or the sender of what is on its way to it, out of SQD. */
  resumption: 2,
} as const;

/** What software must do before a queue pair can get on, `OWES` bits; 0 when it is the turn of a NIC. */
export function softwareOwes(s: OracleState, q: QueuePair): number {
  // What asked for no completion may be in front of what did, and wait.
  const send = waitingSends(q).first.exists ? oldestUndone(s, q) : NO_MESSAGE;
  const forSend = !send.exists ? 0 : owedTo(s, send, awaitsReceive(q, send));
  const message = firstDueMessage(s, q);
  const forMessage = !message.exists ? 0 : owedTo(s, message, !q.rq.head.exists);
  const nics = (send.exists && forSend === 0) || (message.exists && forMessage === 0);
  return nics ? 0 : forSend | forMessage;
}

function owedTo(s: OracleState, r: Message, receive: boolean): number {
  if (isHeld(s, r)) return OWES.resumption;
  return receive ? OWES.receive : 0;
}

/** Of the messages on their way the first that its sender does not hold back, or else the first, or `NO_MESSAGE`. */
function firstDueMessage(s: OracleState, q: QueuePair): Message {
  const { first } = waitingMessages(q);
  let holder: QueuePair = NO_QP;
  for (let r = first; r.exists; r = r.link) {
    // What a queue pair has posted behind something that waits does so as well.
    if (!r.awaited || r.qp === holder) continue;
    if (!isHeld(s, r)) return r;
    holder = r.qp;
  }
  return first;
}

/**
 * Only RC holds a send back until a receive is there, and only until its message was received. Who sends to a queue pair
 * in ERR must find out that no receive helps, unless it waits for ever.
 */
function awaitsReceive(q: QueuePair, send: Message): boolean {
  const dest = send.dest;
  if (q.type !== QP_TYPE.rc || !send.dataOpen) return false;
  if (!dest.exists || dest.rq.head.exists) return false;
  const takesNone = dest.dead || dest.broken;
  return !takesNone || q.attributes.retryTime === 0;
}

/** Sends that asked for no completion and have not been carried out although nothing keeps them waiting, in words; undefined for none. */
export function undoneOf(s: OracleState, q: QueuePair): string | undefined {
  const first = q.sq.head.exists && isAlive(q) && !q.sendsFail ? oldestUndone(s, q) : NO_MESSAGE;
  if (!first.exists || first.signalled || owedTo(s, first, awaitsReceive(q, first)) !== 0) return undefined;
  const { count } = undoneSends(s, q);
  return `${qpName(q)} has not carried out ${counted(count, 'send request')}, first ${shortRequestName(first)}, which asked for no completion`;
}

function heldText(s: OracleState, r: Message): string {
  return isHeld(s, r) ? ', which waits in SQD' : '';
}

/** Of a list, those that count. */
function counts(head: Message, next: (r: Message) => Message, has: (r: Message) => boolean): Waiting {
  let count = 0;
  let first: Message = NO_MESSAGE;
  for (let r = head; r.exists; r = next(r)) {
    if (!has(r)) continue;
    if (count++ === 0) first = r;
  }
  return { count, first };
}
