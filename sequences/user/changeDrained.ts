import type { QpAttributes } from '../../env/verbs/qpAttributes.ts';
import { QP_STATE } from '../../rdma/verbs.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { QpSide } from './qpSide.ts';

/**
 * Changes what may only be changed while the send queue is drained (roce-transport.md 6.2), and goes on in RTS.
 * @public
 */
export function* changeDrained(side: QpSide, attributes: Omit<QpAttributes, 'state'>): Proc<void> {
  const { api, qp } = side;
  yield* drain(side);
  yield* api.modifyQp(qp, { state: QP_STATE.sqd, ...attributes });
  yield* api.modifyQp(qp, { state: QP_STATE.rts });
}

/** Takes a queue pair to SQD and waits until its send queue is drained. @public */
export function* drain({ api, qp }: QpSide): Proc<void> {
  yield* api.modifyQp(qp, { state: QP_STATE.sqd, enSqdAsyncNotify: true });
  yield* api.waitDrained(qp);
}
