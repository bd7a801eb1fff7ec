/** Receives that will end with an error, which takes their queue pair to the error state (roce-transport.md 4.2, 4.6, 6.3). */

import { isBadReceive, isCutOff } from './badReceives.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_IN_HEAD, Q_RQ_HEAD } from '../model/qps.ts';
import { R_LINK, R_NEXT } from '../model/requests.ts';
import { doesNotFit } from './shortReceives.ts';

/**
 * Whether a message on its way to a queue pair ends the receive that it comes to. Its completion, and those of the
 * receives before it, may lie in a queue that software has not looked at yet.
 */
export function anyReceiveFails(s: OracleState, q: number): boolean {
  const m = s.requests.words;
  let recv = s.qps.words[q + Q_RQ_HEAD] as number;
  if (isBadReceive(s, q, recv)) return true;
  for (let r = s.qps.words[q + Q_IN_HEAD] as number; r !== NONE && recv !== NONE; r = m[r + R_LINK] as number) {
    if (isCutOff(s, r, recv, s.qps.headBytes(q)) || doesNotFit(s, q, r, recv)) return true;
    recv = m[recv + R_NEXT] as number;
  }
  return false;
}
