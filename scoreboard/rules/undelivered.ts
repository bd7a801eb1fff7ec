/**
 * Messages of unreliable services that have arrived whole at a NIC which has come to rest since: it has delivered them, or
 * never will (roce-transport.md 7.1, 7.2). Nothing waits there for what the link has lost.
 *
 * Software may take the queue pair to the error state then, because its receives are never filled, and completions that it
 * has not polled yet may be those of such messages. So they are due from then on, and missing once a receive is flushed.
 */

import type { OracleState } from '../model/oracleState.ts';
import { type Message, NO_MESSAGE, NONE, type QueuePair, type Receive, STAGE } from '../model/work.ts';
import { qpName, requestName } from '../model/names.ts';
import { SCB } from '../report/reportIds.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { aMoment } from '../../rdma/subjectParts.ts';
import { theQueuePair, theRequest } from '../report/subjects.ts';

/**
 * Whether message `r`, which arrived whole at queue pair `q`, must have had its effect by now: the NIC has come to rest since,
 * and the queue pair cannot have been in the error state, where it takes nothing (6.4), for a receive whose key is void.
 */
export function hasHadItsTime(s: OracleState, q: QueuePair, r: Message): boolean {
  if (r.stage === STAGE.executed) return true;
  if (!q.exists || q.dead || q.broken || q.stops) return false;
  for (let recv = q.rq.head; recv.exists; recv = recv.next)
    if (recv.openBytes !== NONE || recv.outcomes.mayFail) return false;
  return hasRestedSince(s, q.host, r);
}

function hasRestedSince(s: OracleState, host: number, { arrivedAt }: Message): boolean {
  // It may have been the last frame on the link.
  return arrivedAt >= 0 && s.options.wire.hasRested(host, arrivedAt - 1);
}

/** Software begins to take the queue pair away: what it has not delivered by now though it was at rest, is due. */
export function noteDue(s: OracleState, q: QueuePair): void {
  for (let r = q.type === QP_TYPE.uc ? s.writeHead : NO_MESSAGE; r.exists; r = r.link) {
    if (r.qp.remoteQpn === q.qpn && r.qp.remoteHost === q.host && hasHadItsTime(s, q, r)) noteExecuted(r);
  }
  for (let r = q.inbound.head; r.exists; r = r.link) if (r.awaited && hasRestedSince(s, q.host, r)) noteExecuted(r);
}

/** A message must have had its effect by now. */
export function noteExecuted(r: Message): void {
  if (r.stage === STAGE.posted || r.stage === STAGE.arrived) r.stage = STAGE.executed;
}

/** Message `r` arrived whole at queue pair `q`, whose next receive `recv` has been filled by `later`, which came behind it. */
export function reportPassedOver(s: OracleState, q: QueuePair, r: Message, later: Message, recv: Receive): void {
  const { arrivedAt } = r;
  const what = `arrived whole at ${qpName(q)} at ${formatTime(arrivedAt)}, and fills no receive`;
  const instead = `${requestName(recv)} holds ${requestName(later)}, which came behind it`;
  s.reporter.error(SCB.missing, () => `${requestName(r)} ${what}: ${instead}`, [
    theRequest(r),
    theRequest(recv),
    theQueuePair(q),
    aMoment(arrivedAt),
  ]);
}

/** A receive of the queue pair is flushed: all completions before that have been seen. */
export function checkUndelivered(s: OracleState, q: QueuePair): void {
  let r = q.inbound.head;
  while (r.exists && !(r.stage === STAGE.executed && r.awaited)) r = r.link;
  if (!r.exists) return;
  const { arrivedAt } = r;
  const what = `arrived whole at ${qpName(q)} at ${formatTime(arrivedAt)}, whose NIC came to rest, and fills no receive`;
  s.reporter.error(SCB.missing, () => `${requestName(r)} ${what}`, [
    theRequest(r),
    theQueuePair(q),
    aMoment(arrivedAt),
  ]);
}
