/**
 * Requests that wait in send queues which software has taken to SQD: what the NIC has begun it ends, everything else
 * waits until software takes the queue pair to RTS again (roce-transport.md 6.2). What it has begun is seen on the wire;
 * where that is not watched, nobody is blamed for what waits.
 */

import { firstSent, type Message, type QueuePair, NONE } from '../model/work.ts';
import { PSN_MASK } from '../../rdma/bth.ts';
import { type QpState, QP_TYPE } from '../../rdma/verbs.ts';
import type { OracleState } from '../model/oracleState.ts';
import { headOf, retiredOf } from '../model/requestOfPsn.ts';
import { HALF_PSN } from '../checks/transmissions.ts';

/** The NIC has taken a queue pair out of SQD, to `state`: from now on its requests, and the messages among them, are expected to get on. */
export function letGo(s: OracleState, q: QueuePair, state: QpState): void {
  if (!q.isDraining) return;
  q.state.end(s.clock.now, state);
  s.progress(q);
  for (let r = headOf(q); r.exists; r = r.next) {
    const dest = r.dest;
    if (dest.exists) s.progress(dest);
  }
}

/** Whether a request waits for software to take its queue pair out of SQD. */
export function isHeld(s: OracleState, r: Message): boolean {
  const q = r.qp;
  if (!q.isDraining) return false;
  const first = firstHeld(s, q);
  return first.exists && !r.isBefore(first.order);
}

/** The oldest outstanding request that the NIC has not begun; `NONE` when it has begun all. */
function firstHeld(s: OracleState, q: QueuePair): Message {
  const sent = q.tx.count - retiredOf(q);
  let begun = Math.max(0, sent) + (isUnderWay(s, q) ? 1 : 0);
  let r = headOf(q);
  for (; r.exists && begun > 0; begun--) r = firstSent(r).next;
  return r;
}

/** Whether packets of a message have been sent, and its last one has not. */
function isUnderWay(s: OracleState, q: QueuePair): boolean {
  const peer = { host: q.remoteHost, qpn: q.remoteQpn };
  const to = q.type === QP_TYPE.ud ? null : peer;
  const seen = s.options.wire.progress(q.host, q.qpn, to);
  if (seen === undefined || seen.sent < 0) return false;
  const whole = q.tx.psn;
  const ahead = (seen.sent - whole) & PSN_MASK;
  return whole === NONE || (ahead > 0 && ahead < HALF_PSN);
}
