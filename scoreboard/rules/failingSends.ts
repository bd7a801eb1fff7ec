/** Send queues with a request that will, or may, end with an error for what software has posted, or has done since. */

import type { OracleState } from '../model/oracleState.ts';
import type { QueuePair } from '../model/work.ts';
import { isTooLong } from './shortReceives.ts';

/** Whether the send queue of a queue pair holds such a request. */
export function anySendFails(s: OracleState, q: QueuePair): boolean {
  for (let r = q.sq.head; r.exists; r = r.next)
    if (r.outcomes.mayFail || isTooLong(r) || s.deregisteredKeys.has(r)) return true;
  return false;
}
