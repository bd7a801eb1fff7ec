/**
 * Regions that software deregisters while requests of peers work on them: those may be refused, and take their queue
 * pair to the error state (roce-transport.md 4.2, 4.4). WRITEs of unreliable connections complete before they arrive, and
 * what is left of them may be dropped; so it may where software takes away the queue pair that they go to.
 */

import { CAUSE } from '../model/outcomes.ts';
import { Message, type QueuePair, STAGE } from '../model/work.ts';
import { spaceOf } from '../model/messages.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { NO_REGION, type Region } from '../model/mrTable.ts';
import { OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { hasHadItsTime, noteExecuted } from './undelivered.ts';
import { mayBeMissingFrom } from '../model/queues.ts';

const ONE_SIDED = OP_WRITE | OP_READ | OP_ATOMIC;

/**
 * Marks the outstanding requests into a region that is about to be forgotten, and what is still on its way of others.
 * @param byKey only requests with this key, as others have keys of their own for the same bytes
 */
export function noteDeregistration(s: OracleState, host: number, key: number, byKey = false): void {
  if (!isAnyUnderWay(s)) return;
  const region = s.mrs.find(host, key);
  if (region === NO_REGION) return;
  const space = spaceOf(host, s.mrs.process(region));
  for (const r of s.requests.all()) {
    if (!(r instanceof Message) || (!r.outstanding && r.stage === STAGE.verified) || r.remoteSpace !== space) continue;
    if ((operationKind(r.opcode) & ONE_SIDED) === 0 || !touches(s, r, region)) continue;
    if (byKey && r.carriedKey !== (key | 0)) continue;
    if (isUnreliable(r) && hasHadItsTime(s, s.qps.find(host, r.qp.remoteQpn), r)) noteExecuted(r);
    if (r.stage === STAGE.executed) continue;
    r.outcomes.allow(CAUSE.keyDeregistered);
    const mayVanish = r.awaited && isUnreliable(r);
    if (mayVanish) mayBeMissingFrom(s, r);
    if (!r.outstanding && !mayVanish) continue;
    const peer = s.qps.find(host, r.qp.remoteQpn);
    if (peer.exists && peer.type === QP_TYPE.rc) peer.mayFlush();
  }
  if (!isAnyOpen(s)) return;
  // What was flushed there, or is answered already, may still be under way.
  for (const q of [...s.broken, ...s.askingAgain]) {
    const peer = s.qps.peerOn(host, q);
    if (peer.exists && peer.type === QP_TYPE.rc) peer.mayFlush();
  }
}

/** Whether any request has not come to its end at its sender, or may be asked for again. */
function isAnyOpen(s: OracleState): boolean {
  return s.outstanding > 0 || s.unsignalled > 0 || s.writeHead.exists || s.askingAgain.size > 0;
}

/** Whether any may still reach its receiver. */
function isAnyUnderWay(s: OracleState): boolean {
  return isAnyOpen(s) || s.inTransit > 0 || s.copies.size > 0;
}

/** Queue pair `q` takes no requests any more: what is left of WRITEs of an unreliable connection to it may be dropped. */
export function noteTakesNothing(s: OracleState, q: QueuePair): void {
  if (q.type !== QP_TYPE.uc) return;
  for (let r = s.writeHead; r.exists; r = r.link) {
    const sender = r.qp;
    if (sender.remoteQpn !== q.qpn || sender.remoteHost !== q.host || r.stage === STAGE.executed) continue;
    r.outcomes.allow(CAUSE.keyDeregistered);
  }
}

/** Notes that a WRITE of an unreliable connection may be dropped where its peer takes none, or is about to take none. */
export function notePeer(r: Message, peer: QueuePair): void {
  if (r.qp.type !== QP_TYPE.uc) return;
  if (peer.exists && peer.ready && !peer.stops) return;
  r.outcomes.allow(CAUSE.keyDeregistered);
}

/** Whether nobody is told when the request is refused. */
function isUnreliable(r: Message): boolean {
  return r.qp.type === QP_TYPE.uc;
}

function touches(s: OracleState, r: Message, region: Region): boolean {
  const { mrs } = s;
  const from = mrs.distance(region, r.remoteHi, r.remoteLo);
  return from < mrs.length(region) && from + r.length > 0;
}
