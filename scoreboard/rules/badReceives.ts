/**
 * Receives with entries that their keys do not open. A message that reaches such a byte ends its receive with
 * LOC_PROT_ERR, on RC its sender with REM_OP_ERR, in either order (roce-transport.md 4.2, 5.1, 6.3); shorter ones do not.
 */

import { CAUSE } from '../model/outcomes.ts';
import { type Message, type QueuePair, NONE, type Receive } from '../model/work.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { shortRequestName } from '../model/names.ts';
import { mayMeet } from './takenReceives.ts';
import { OP_WRITE, operationKind } from '../model/operations.ts';

/** Whether `bytes` bytes, with what a datagram has in front of them, reach one that the keys of a receive do not open. */
export function reachesClosed(recv: Receive, bytes: number): boolean {
  const open = recv.openBytes;
  return open !== NONE && bytes > open;
}

/**
 * Whether the message that a receive is for, which is at the head of its queue or has just left it, reaches such a byte.
 * A datagram may be any of those on their way, and a message in front of which others may vanish one behind those.
 */
export function isBadReceive(q: QueuePair, recv: Receive): boolean {
  if (!recv.exists || recv.openBytes === NONE) return false;
  const datagram = q.type === QP_TYPE.ud;
  for (let r = q.inbound.head; r.exists; r = r.link) {
    if (isCutOff(r, recv, q.headBytes)) return true;
    if (!datagram && !r.mayVanish) return false;
  }
  return false;
}

/** Notes that a receiver of a reliable connection found such a receive: the sender must hear of it. */
export function noteBadReceive(q: QueuePair, recv: Receive): void {
  if (q.type !== QP_TYPE.rc || !isBadReceive(q, recv)) return;
  const message = q.inbound.head;
  const fault = recv.outcomes.textOf(CAUSE.entryKey) ?? CAUSE.localKey.text;
  message.outcomes.only(CAUSE.receiveKey, `${shortRequestName(recv)} cannot take it: ${fault}`);
}

/** Whether the receive that a message of a reliable connection comes to, which has not completed, is such a one. */
export function meetsBadReceive(r: Message): boolean {
  return r.dest.type === QP_TYPE.rc && mayMeet(r, (recv) => isCutOff(r, recv, 0));
}

/** Whether a message, with `skip` bytes in front of it, reaches a byte that the keys of a receive do not open. */
export function isCutOff(message: Message, recv: Receive, skip: number): boolean {
  const kind = operationKind(message.opcode);
  return (kind & OP_WRITE) === 0 && reachesClosed(recv, message.length + skip);
}
