/** What a request ends with that software should not have posted so (roce-transport.md 4.2, 4.5). */

import { CAUSE } from '../model/outcomes.ts';
import { isClosed } from './remoteAccess.ts';
import type { Message, QueuePair } from '../model/work.ts';
import { MAX_MESSAGE, QP_TYPE, QP_TYPE_NAME, WC_STATUS, WR_OPCODE_NAME } from '../../rdma/verbs.ts';
import { OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';

/** Why request `r` was expected to end with `status`, for messages; undefined where nothing is to be said. */
export function reasonOf({ qp, opcode, outcomes }: Message, status: number): string | undefined {
  switch (status) {
    case WC_STATUS.locLenErr:
      if (outcomes.has(CAUSE.answerMtu)) return outcomes.textOf(CAUSE.answerMtu);
      if (outcomes.textOf(CAUSE.length) !== undefined) return outcomes.textOf(CAUSE.length);
      if (qp.type !== QP_TYPE.ud) return `a message has at most ${MAX_MESSAGE} B`;
      return `a datagram must fit in one packet of ${qp.mtu} B (path MTU)`;
    case WC_STATUS.locQpOpErr:
      return outcomes.textOf(CAUSE.service) ?? `${QP_TYPE_NAME[qp.type]} has no ${WR_OPCODE_NAME[opcode]}`;
    case WC_STATUS.locProtErr:
      return outcomes.textOf(CAUSE.localKey) ?? outcomes.textOf(CAUSE.entryKey);
    case WC_STATUS.remInvReqErr:
      if (outcomes.has(CAUSE.pathMtu)) return outcomes.textOf(CAUSE.pathMtu);
      if (!outcomes.has(CAUSE.remoteRight)) return outcomes.textOf(CAUSE.receiveLength);
      return `${CAUSE.remoteRight.text}: ${outcomes.textOf(CAUSE.remoteRight)}`;
    case WC_STATUS.remOpErr:
      return outcomes.textOf(CAUSE.receiveKey);
    case WC_STATUS.remAccessErr:
      return outcomes.textOf(CAUSE.remoteKey) ?? outcomes.textOf(CAUSE.invalidationRefused);
    case WC_STATUS.retryExcErr:
      return outcomes.textOf(CAUSE.invalidationUnanswered);
    case WC_STATUS.mwBindErr:
      return outcomes.textOf(CAUSE.bindRefused);
    default:
      return undefined;
  }
}

/**
 * What the requester sees before anything is sent comes first, but a local key only where the data come from there: of
 * data that come back it is used when they do. Nobody tells the sender of an unreliable WRITE what the peer refused.
 */
export function expectedStatus(r: Message): number {
  const { outcomes } = r;
  if (!outcomes.isBad) return WC_STATUS.success;
  if (outcomes.has(CAUSE.service)) return WC_STATUS.locQpOpErr;
  if (outcomes.has(CAUSE.bindRefused)) return WC_STATUS.mwBindErr;
  if (outcomes.has(CAUSE.length)) return WC_STATUS.locLenErr;
  if (outcomes.has(CAUSE.lengthUntold)) return outcomes.has(CAUSE.localKey) ? WC_STATUS.locProtErr : WC_STATUS.success;
  if (outcomes.has(CAUSE.answerMtu) && !outcomes.has(CAUSE.localKey)) return WC_STATUS.locLenErr;
  const fetches = (operationKind(r.opcode) & (OP_READ | OP_ATOMIC)) !== 0;
  if (outcomes.has(CAUSE.localKey) && !(isClosed(r) && fetches)) return WC_STATUS.locProtErr;
  if (r.qp.type !== QP_TYPE.rc) return WC_STATUS.success;
  if (outcomes.has(CAUSE.receiveKey)) return WC_STATUS.remOpErr;
  const refused = [CAUSE.remoteRight, CAUSE.pathMtu, CAUSE.receiveLength].some((cause) => outcomes.has(cause));
  // The key of a SEND is looked at when its receive has been filled.
  if (!refused && outcomes.has(CAUSE.invalidationUnanswered)) return WC_STATUS.retryExcErr;
  return refused ? WC_STATUS.remInvReqErr : WC_STATUS.remAccessErr;
}

/**
 * Whether a receive of queue pair `q` may end with LOC_ACCESS_ERR: a reliable connection brings it a WRITE with immediate
 * whose remote key does not open the range, or may not any more (roce-transport.md, T-061).
 */
export function refusesWrite(q: QueuePair): boolean {
  if (q.refusesWrite) return true;
  const message = q.inbound.head;
  if (!message.exists || q.type !== QP_TYPE.rc) return false;
  return (operationKind(message.opcode) & OP_WRITE) !== 0 && message.outcomes.has(CAUSE.keyDeregistered);
}
