/** Forgets the outstanding work of a queue pair that was destroyed or reset. */

import { WC_STATUS } from '../../rdma/verbs.ts';
import type { QueuePair } from '../model/work.ts';
import { forgetOwed } from './flushes.ts';
import type { OracleState } from '../model/oracleState.ts';
import { giveUp, releaseIfDone, removeInbound } from '../model/queues.ts';
import type { Retirement } from './retirement.ts';

/** Its requests will never complete; what they allowed the NIC to write is closed, with unknown content. */
export function discardQp(s: OracleState, retirement: Retirement, q: QueuePair): void {
  forgetOwed(s, q);
  s.broken.delete(q);
  s.askingAgain.delete(q);
  s.failing.delete(q);
  s.partialMessages.delete(q);
  s.recoveries.delete(q);
  s.responderResources.forget(q);
  for (let r = q.sq.head; r.exists; r = q.sq.head) {
    q.sq.unlink(r);
    if (s.mkeys.any) s.mkeys.ended(r, WC_STATUS.wrFlushErr);
    retirement.send(r, false);
  }
  // What is left of a shared queue others take.
  for (let r = q.rq.head; r.exists && !q.rq.isShared; r = q.rq.head) {
    q.rq.unlink(r);
    retirement.failedRecv(r);
  }
  for (let r = q.inbound.head; r.exists; r = q.inbound.head) {
    q.rq.giveBack(r);
    removeInbound(s, q, r);
    giveUp(s, r);
    retirement.closeRemote(r, true);
    releaseIfDone(s, r);
  }
  s.qps.gone(q, s.clock.now);
}
