/** What a request ends with that software should not have posted so (roce-transport.md 4.2, 4.5). */

import type { Message, QueuePair } from '../model/work.ts';
import { MAX_MESSAGE, QP_TYPE, QP_TYPE_NAME, WC_STATUS, WR_OPCODE_NAME } from '../../rdma/verbs.ts';
import { OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';

/** Why request `r` was expected to end with `status`, for messages; undefined where nothing is to be said. */
export function reasonOf(s: OracleState, r: Message, status: number): string | undefined {
  const q = r.qp;
  const type = QP_TYPE_NAME[q.type];
  switch (status) {
    case WC_STATUS.locLenErr:
      if (q.type !== QP_TYPE.ud) return `a message has at most ${MAX_MESSAGE} B`;
      return `a datagram must fit in one packet of ${q.mtu} B (path MTU)`;
    case WC_STATUS.locQpOpErr:
      return `${type} has no ${WR_OPCODE_NAME[r.opcode]}`;
    case WC_STATUS.locProtErr:
      return s.faults.get(r)?.local;
    case WC_STATUS.remInvReqErr:
    case WC_STATUS.remOpErr:
    case WC_STATUS.remAccessErr: {
      const fault = s.faults.get(r)?.remote;
      return r.badRight ? `the peer does not permit the operation: ${fault}` : fault;
    }
    default:
      return undefined;
  }
}

/**
 * What the requester sees before anything is sent comes first, but a local key only where the data come from there: of
 * data that come back it is used when they do. Nobody tells the sender of an unreliable WRITE what the peer refused.
 * @param r has a mistake (`isBad`)
 */
export function statusOfBad(r: Message): number {
  if (r.badService) return WC_STATUS.locQpOpErr;
  if (r.badLength) return WC_STATUS.locLenErr;
  const fetches = (operationKind(r.opcode) & (OP_READ | OP_ATOMIC)) !== 0;
  if (r.badLocal && !(r.badKey && fetches)) return WC_STATUS.locProtErr;
  if (r.qp.type !== QP_TYPE.rc) return WC_STATUS.success;
  if (r.badReceive) return WC_STATUS.remOpErr;
  return r.badRight || r.tooLong ? WC_STATUS.remInvReqErr : WC_STATUS.remAccessErr;
}

/**
 * Whether a receive of queue pair `q` may end with LOC_ACCESS_ERR: a reliable connection brings it a WRITE with immediate
 * whose remote key does not open the range, or may not any more (roce-transport.md, T-061).
 */
export function refusesWrite(s: OracleState, q: QueuePair): boolean {
  if (q.refusesWrite) return true;
  const message = q.inbound.head;
  if (!message.exists || q.type !== QP_TYPE.rc) return false;
  return (operationKind(message.opcode) & OP_WRITE) !== 0 && message.withdrawn;
}
