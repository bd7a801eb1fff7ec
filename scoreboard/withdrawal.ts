/**
 * Regions that software deregisters while requests of peers work on them: those may be refused, and take their queue
 * pair to the error state (roce-transport.md 4.2, 4.4). WRITEs of unreliable connections complete before they arrive, and
 * what is left of them may be dropped.
 */

import { NO_REGION } from './mrTable.ts';
import { OP_ATOMIC, OP_READ, OP_WRITE, operationKind } from './operations.ts';
import type { OracleState } from './oracleState.ts';
import { NONE, Q_REMOTE_QPN } from './qps.ts';
import {
  OPCODE_MASK,
  R_QP,
  R_RHI,
  R_RLO,
  R_RSPACE,
  R_STATE,
  S_COMP,
  S_JUDGED,
  S_WITHDRAWN,
  S_RECV,
  spaceOf,
} from './requests.ts';

const ONE_SIDED = OP_WRITE | OP_READ | OP_ATOMIC;
const TWO32 = 4294967296;

/** Marks the outstanding requests into a region that is about to be forgotten. */
export function noteWithdrawal(s: OracleState, host: number, key: number): void {
  if (s.outstanding === 0 && s.unsignalled === 0 && s.writeHead === NONE) return;
  const region = s.mrs.find(host, key);
  if (region === NO_REGION) return;
  const w = s.requests.words;
  const space = spaceOf(host, s.mrs.process(region));
  for (const r of s.requests.all()) {
    const state = w[r + R_STATE] as number;
    if ((state & S_RECV) !== 0 || (state & (S_COMP | S_JUDGED)) === S_JUDGED || w[r + R_RSPACE] !== space) continue;
    if ((operationKind(state & OPCODE_MASK) & ONE_SIDED) === 0 || !touches(s, r, region)) continue;
    w[r + R_STATE] = state | S_WITHDRAWN;
    if ((state & S_COMP) === 0) continue;
    const peer = s.qps.find(host, s.qps.words[(w[r + R_QP] as number) + Q_REMOTE_QPN] as number);
    if (peer >= 0) s.qps.mayFlush(peer);
  }
}

function touches(s: OracleState, r: number, region: number): boolean {
  const { mrs, requests } = s;
  const w = requests.words;
  const from =
    ((w[r + R_RHI] as number) - mrs.hi(region)) * TWO32 + ((w[r + R_RLO] as number) >>> 0) - (mrs.lo(region) >>> 0);
  return from < mrs.length(region) && from + requests.length(r) > 0;
}
