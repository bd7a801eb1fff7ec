/**
 * Which receive the responder of a reliable connection takes for which message (roce-transport.md 4.6, 10): a SEND takes one
 * with its first packet, a WRITE with immediate data with its last, in the order in which messages come. Whether there was one
 * is seen when it refuses the message for want of it.
 */

import { BTH_OP } from '../../rdma/bth.ts';
import type { OracleState } from '../model/oracleState.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { WIDENING } from '../model/widenings.ts';
import {
  type Message,
  NO_MESSAGE,
  NO_RECEIVE,
  type QueuePair,
  type Receive,
  type ReceiveQueue,
} from '../model/work.ts';

/** Operations with whose packet a receive is taken. */
const TAKES = new Uint8Array(0x100);
for (const op of [
  BTH_OP.sendFirst,
  BTH_OP.sendOnly,
  BTH_OP.sendOnlyImm,
  BTH_OP.sendOnlyInv,
  BTH_OP.writeLastImm,
  BTH_OP.writeOnlyImm,
]) {
  TAKES[op] = 1;
}

/** A request of a reliable connection has reached its responder in order. */
export function noteAccepted({ qps }: OracleState, { opcode, to, destQp }: WirePacket): void {
  if (TAKES[opcode] === 0) return;
  const q = qps.find(to, destQp);
  const { inbound } = q;
  const message = inbound.taken.exists ? inbound.taken.link : inbound.head;
  if (!message.exists) return;
  inbound.taken = message;
  q.rq.take(message);
}

/** Its responder has refused a message for want of a receive: neither this one nor those behind it have taken any. */
export function noteRefused(r: Message): void {
  const { inbound, rq } = r.dest;
  let before = NO_MESSAGE;
  let at = inbound.head;
  const last = inbound.taken;
  for (; at !== r && at !== last && at.exists; at = at.link) before = at;
  if (at !== r) return;
  for (; at.exists; at = at.link) {
    rq.giveBack(at);
    if (at === last) break;
  }
  inbound.taken = before;
}

/**
 * The receive that a message on its way has taken, or takes: a queue pair with receives of its own takes them in the order in
 * which its messages come. `NO_RECEIVE` = there is none, or it is not known.
 */
export function receiveOf(r: Message): Receive {
  const q = r.dest;
  if (!q.exists) return NO_RECEIVE;
  const taken = q.rq.receiveOf(r);
  if (taken.exists || q.rq.isShared) return taken;
  let recv = q.rq.head;
  for (let at = q.inbound.head; at !== r; at = at.link) {
    if (!at.exists || !recv.exists) return NO_RECEIVE;
    recv = recv.next;
  }
  return recv;
}

/** Whether a message on its way may come to a receive for which something holds: of a shared queue to any, as it is not seen who takes which. */
export function mayMeet(r: Message, holds: (recv: Receive) => boolean): boolean {
  const { rq } = r.dest;
  if (!rq.isShared) {
    const recv = receiveOf(r);
    return recv.exists && holds(recv);
  }
  for (let recv = rq.head; recv.exists; recv = recv.next) if (holds(recv)) return true;
  return false;
}

/**
 * The message to queue pair `q` that fills a receive which has left its queue, where that is known: the one for which it was
 * taken. Of a shared queue others may have taken it in front of that: then it is the oldest to `q` for which one was taken, as
 * messages of a connection complete in their order.
 */
export function takerOf(q: QueuePair, { takenBy }: Receive): Message {
  if (!q.rq.isShared) return takenBy;
  const { head, taken } = q.inbound;
  return takenBy.exists && taken.exists && !head.mayVanish ? head : NO_MESSAGE;
}

/** Whether a receive that completes on queue pair `q` was taken before one of the `ahead` that are in front of it in a shared queue. */
export function isOutOfTurn(s: OracleState, q: QueuePair, ahead: number): boolean {
  return s.options.wire.watches && ahead > q.rq.takenByOthers(q) && !mayHaveLost(s, q.rq);
}

/** Whether receives of a shared queue may have completed unseen: a completion queue of its queue pairs may have had no room. */
export function mayHaveLost(s: OracleState, queue: ReceiveQueue): boolean {
  return queue.overflowed !== null && s.widenings.permits(WIDENING.completionLost);
}
