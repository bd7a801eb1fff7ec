/** End of test: what was posted and never completed. */

import type { QueuePair } from '../model/work.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { qpName, shortRequestName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { isAlive, lostFlushesOf, pendingOf, undoneOf, waitingMessages, whatWaits } from '../report/pending.ts';
import { waitingTime } from '../rules/giveUps.ts';
import { peerFailed } from '../model/peers.ts';
import { SCB } from '../report/reportIds.ts';
import { countedAre } from '../../uvm/report/counted.ts';
import { theQueuePair, theRequest } from '../report/subjects.ts';

/** Reports missing completions, and receives left over unless the scenario allows them. */
export function checkLeftovers(s: OracleState): void {
  for (const q of s.qps.all) {
    for (const line of pendingOf(s, q))
      s.reporter.error(SCB.missing, () => `at the end of the test ${line}`, whatWaits(q));
    checkUnsignalled(s, q);
    checkReceives(s, q);
    checkFlushes(s, q);
  }
}

/** Reports requests without a completion that have come to nothing, where neither a fault nor a time-out lets them wait. */
function checkUnsignalled(s: OracleState, q: QueuePair): void {
  if (s.disturbances.has(q) || peerFailed(s, q) || isStopped(q) || waitingTime(s, q) > 0) return;
  const line = undoneOf(s, q);
  if (line !== undefined) s.reporter.error(SCB.missing, () => `at the end of the test ${line}`, whatWaits(q));
}

/** Reports work of a failed queue pair that its NIC will not flush any more; also before it is reset or destroyed. */
export function checkFlushes(s: OracleState, q: QueuePair): void {
  const line = lostFlushesOf(s, q);
  if (line !== undefined) s.reporter.error(SCB.missing, () => line, whatWaits(q));
}

/** Reports receives that no message on its way will use; of a queue pair that failed or was stopped, none is expected to be used. */
export function checkReceives(s: OracleState, q: QueuePair): void {
  const first = q.rq.head;
  if (!first.exists || q.rq.isShared || s.options.receivesMayRemain || !isAlive(q) || isStopped(q) || peerFailed(s, q))
    return;
  if (q.type !== QP_TYPE.rc && s.disturbances.has(q)) return;
  const left = q.rq.waiting;
  const surplus = left - waitingMessages(q).count;
  if (surplus <= 0) return;
  s.reporter.error(
    SCB.leftoverRecv,
    () => `${qpName(q)}: ${countedAre(left, 'receive')} left over, first ${shortRequestName(first)}`,
    [theQueuePair(q), theRequest(first)],
  );
}

function isStopped(q: QueuePair): boolean {
  return q.stops;
}
