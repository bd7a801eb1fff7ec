/** Forgets the outstanding work of a queue pair that was destroyed or reset. */

import { forgetOwed } from './flushes.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_IN_HEAD, Q_RQ_HEAD, Q_SQ_HEAD } from '../model/qps.ts';
import { releaseIfDone, removeInbound, unlink } from '../model/queues.ts';
import { R_STATE, S_FAILED } from '../model/requests.ts';
import type { Retirement } from './retirement.ts';

/** Its requests will never complete; what they allowed the NIC to write is closed, with unknown content. */
export function discardQp(s: OracleState, retirement: Retirement, q: number): void {
  const w = s.qps.words;
  forgetOwed(s, q);
  s.held.delete(q);
  s.broken.delete(q);
  s.askingAgain.delete(q);
  s.failing.delete(q);
  s.beginnings.delete(q);
  s.formerQkeys.delete(q);
  s.recoveries.delete(q);
  for (let r = w[q + Q_SQ_HEAD] as number; r !== NONE; r = w[q + Q_SQ_HEAD] as number) {
    unlink(s, q, Q_SQ_HEAD, r);
    retirement.send(r, false);
  }
  for (let r = w[q + Q_RQ_HEAD] as number; r !== NONE; r = w[q + Q_RQ_HEAD] as number) {
    unlink(s, q, Q_RQ_HEAD, r);
    retirement.failedRecv(r);
  }
  for (let r = w[q + Q_IN_HEAD] as number; r !== NONE; r = w[q + Q_IN_HEAD] as number) {
    removeInbound(s, q, r);
    s.requests.words[r + R_STATE] = (s.requests.words[r + R_STATE] as number) | S_FAILED;
    retirement.closeRemote(r, true);
    releaseIfDone(s, r);
  }
  s.qps.gone(q);
}
