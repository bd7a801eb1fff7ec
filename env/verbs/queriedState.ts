/** States that a NIC may have brought a queue pair to by itself, so that software takes them over. */

import { ASYNC_EVENT, QP_STATE, QP_TYPE } from '../../rdma/verbs.ts';
import type { QpState } from '../../rdma/verbs.ts';
import type { Qp } from './verbsObjects.ts';

/** Events after which the queue pair they name is in ERR. */
const QP_ERRORS: readonly number[] = [ASYNC_EVENT.qpFatal, ASYNC_EVENT.qpReqErr, ASYNC_EVENT.qpAccessErr];

/** Whether an event says that its queue pair is in ERR now. */
export function isQpError(event: number): boolean {
  return QP_ERRORS.includes(event);
}

/** Whether a NIC may be in state `said` when software knows of `known`: it breaks queue pairs, and mends none. */
export function mayBeIn(qp: Qp, known: QpState, said: QpState): boolean {
  if (said === known) return true;
  if (known < QP_STATE.rtr || known === QP_STATE.err) return false;
  return said === QP_STATE.err || (said === QP_STATE.sqe && known >= QP_STATE.rts && qp.type !== QP_TYPE.rc);
}

/** Whether an answer may say `said` that was asked for when software knew of `before`: it may have learnt of more since. */
export function mayBeSaid(qp: Qp, before: QpState, said: QpState): boolean {
  return mayBeIn(qp, before, said) || mayBeIn(qp, qp.state, said);
}
