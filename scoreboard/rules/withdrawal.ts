/**
 * Regions that software deregisters while requests of peers work on them: those may be refused, and take their queue
 * pair to the error state (roce-transport.md 4.2, 4.4). WRITEs of unreliable connections complete before they arrive, and
 * what is left of them may be dropped; so it may where software takes away the queue pair that they go to.
 */

import { QP_TYPE } from '../../rdma/verbs.ts';
import { NO_REGION } from '../model/mrTable.ts';
import { OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_FLAGS, Q_HOST, Q_QPN, Q_REMOTE_HOST, Q_REMOTE_QPN, Q_TYPE, QF_READY, QF_STOPS } from '../model/qps.ts';
import { doubtFrom } from '../model/queues.ts';
import {
  OPCODE_MASK,
  R_LINK,
  R_QP,
  R_RHI,
  R_RLO,
  R_RSPACE,
  R_STATE,
  S_AWAITED,
  S_COMP,
  S_JUDGED,
  S_WITHDRAWN,
  S_RECV,
  spaceOf,
} from '../model/requests.ts';

const ONE_SIDED = OP_WRITE | OP_READ | OP_ATOMIC;

/** Marks the outstanding requests into a region that is about to be forgotten. */
export function noteWithdrawal(s: OracleState, host: number, key: number): void {
  if (s.outstanding === 0 && s.unsignalled === 0 && s.writeHead === NONE && s.askingAgain.size === 0) return;
  const region = s.mrs.find(host, key);
  if (region === NO_REGION) return;
  const w = s.requests.words;
  const space = spaceOf(host, s.mrs.process(region));
  for (const r of s.requests.all()) {
    const state = w[r + R_STATE] as number;
    if ((state & S_RECV) !== 0 || (state & (S_COMP | S_JUDGED)) === S_JUDGED || w[r + R_RSPACE] !== space) continue;
    if ((operationKind(state & OPCODE_MASK) & ONE_SIDED) === 0 || !touches(s, r, region)) continue;
    w[r + R_STATE] = state | S_WITHDRAWN;
    const mayVanish = (state & S_AWAITED) !== 0 && isUnreliable(s, r);
    if (mayVanish) doubtFrom(s, r);
    if ((state & S_COMP) === 0 && !mayVanish) continue;
    const peer = s.qps.find(host, s.qps.words[(w[r + R_QP] as number) + Q_REMOTE_QPN] as number);
    if (peer >= 0 && s.qps.words[peer + Q_TYPE] === QP_TYPE.rc) s.qps.mayFlush(peer);
  }
  // What was flushed there, or is answered already, may still be under way.
  for (const q of [...s.broken, ...s.askingAgain]) {
    const peer = s.qps.peerOn(host, q);
    if (peer >= 0 && s.qps.words[peer + Q_TYPE] === QP_TYPE.rc) s.qps.mayFlush(peer);
  }
}

/** Queue pair `q` takes no requests any more: what is left of WRITEs of an unreliable connection to it may be dropped. */
export function noteDeparture(s: OracleState, q: number): void {
  const w = s.qps.words;
  const m = s.requests.words;
  if (w[q + Q_TYPE] !== QP_TYPE.uc) return;
  for (let r = s.writeHead; r !== NONE; r = m[r + R_LINK] as number) {
    const sender = m[r + R_QP] as number;
    if (w[sender + Q_REMOTE_QPN] !== w[q + Q_QPN] || w[sender + Q_REMOTE_HOST] !== w[q + Q_HOST]) continue;
    m[r + R_STATE] = (m[r + R_STATE] as number) | S_WITHDRAWN;
  }
}

/** Notes that a WRITE of an unreliable connection may be dropped where its peer takes none, or is about to take none. */
export function notePeer(s: OracleState, r: number, peer: number): void {
  const w = s.qps.words;
  const m = s.requests.words;
  if (w[(m[r + R_QP] as number) + Q_TYPE] !== QP_TYPE.uc) return;
  if (peer >= 0 && ((w[peer + Q_FLAGS] as number) & (QF_READY | QF_STOPS)) === QF_READY) return;
  m[r + R_STATE] = (m[r + R_STATE] as number) | S_WITHDRAWN;
}

/** Whether nobody is told when the request is refused. */
function isUnreliable(s: OracleState, r: number): boolean {
  return s.qps.words[(s.requests.words[r + R_QP] as number) + Q_TYPE] === QP_TYPE.uc;
}

function touches(s: OracleState, r: number, region: number): boolean {
  const { mrs, requests } = s;
  const w = requests.words;
  const from = mrs.distance(region, w[r + R_RHI] as number, w[r + R_RLO] as number);
  return from < mrs.length(region) && from + requests.length(r) > 0;
}
