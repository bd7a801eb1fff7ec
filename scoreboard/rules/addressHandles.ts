/** Which address handles a queue pair may use for its datagrams, and until when (roce-transport.md 4.5, 7.2). */
import type { OracleState } from '../model/oracleState.ts';
import { CAUSE } from '../model/outcomes.ts';
import { type Message, type QueuePair, STAGE } from '../model/work.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { noteMayFail } from './droppedMessages.ts';

/**
 * Whether datagram `r`, which is being posted, comes to nothing for its handle: that is of another domain. Its sender is told, or it is
 * lost, as the kind of NIC declares.
 */
export function mayNotUseHandle(s: OracleState, q: QueuePair, r: Message, index: number): boolean {
  if (q.type !== QP_TYPE.ud || !s.handles.isForeign(q, index)) return false;
  if (s.options.profiles.of(q.host).choices.foreignHandle === 'lost') r.outcomes.only(CAUSE.handleLost);
  else r.outcomes.only(CAUSE.service, 'its address handle belongs to another protection domain');
  return true;
}

/** A handle has been destroyed: datagrams of it that have not reached their receiver do so, or end with LOC_QP_OP_ERR. */
export function handleDestroyed(s: OracleState, host: number, index: number): void {
  for (const q of s.qps.all) {
    if (q.host !== host || q.type !== QP_TYPE.ud || q.gone) continue;
    for (let r = q.sq.head; r.exists; r = r.next) {
      if (r.ah !== index || r.stage !== STAGE.inTransit) continue;
      r.outcomes.allow(CAUSE.handleDestroyed);
      noteMayFail(s, q, r);
    }
  }
}
