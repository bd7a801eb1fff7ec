/**
 * Messages that a receiver refuses because no receive is posted (RNR NAK, roce-transport.md 3.4, 3.8): whether it had a
 * reason to, and whether a sender had the right to give up in the end. Fed by the wire monitor; without it nobody is
 * blamed.
 *
 * A sender that gives up has waited after every refusal but the last, as the refusals said. Refusals that follow
 * each other faster count once: that is how often a sender has been refused which did wait, also when the link
 * repeats packets.
 */

import { RNR_RETRY_FOR_EVER, RNR_TIMER_PS } from '../../rdma/timers.ts';
import { shortRequestName, qpName } from '../model/names.ts';
import { OP_MESSAGE, operationKind } from '../model/operations.ts';
import type { OracleState } from '../model/oracleState.ts';
import { NONE, Q_IN_HEAD, Q_REMOTE_QPN, Q_TIMES } from '../model/qps.ts';
import { SCB } from '../report/reportIds.ts';
import { headOf, indexOfPsn, outstandingAt, retiredOf } from '../model/requestOfPsn.ts';
import { OPCODE_MASK, R_DEST, R_LINK, R_NEXT, R_QP, R_STATE, S_FAILED } from '../model/requests.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { counted, countedAre } from '../../uvm/report/counted.ts';
import { psnText } from '../../rdma/psnText.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';

/** For how long (ps) a sender was told to wait before it tries its oldest request again; 0 when that was not refused. */
export function refusedFor(s: OracleState, q: number): number {
  const latest = s.refusals.get(q);
  return latest === undefined || latest.number < retiredOf(s, q) ? 0 : latest.wait;
}

export class Refusals {
  readonly #s: OracleState;

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** An RNR NAK left the receiver. */
  refused(p: WirePacket): void {
    const s = this.#s;
    const q = s.qps.find(p.to, p.destQp);
    if (q < 0) return;
    const index = indexOfPsn(s, q, p.psn);
    if (index < 0) return;
    this.#judge(outstandingAt(s, q, index), p);
    const number = retiredOf(s, q) + index;
    const known = s.refusals.get(q);
    const wait = RNR_TIMER_PS[p.syndrome & 31] as number;
    if (known?.number !== number) s.refusals.set(q, { number, count: 1, next: p.time + wait, wait });
    else if (p.time >= known.next) {
      known.count++;
      known.next = p.time + wait;
      known.wait = wait;
    }
  }

  /**
   * Whether the outstanding request `r` of queue pair `q` may end because its receiver was not ready. Where the link may
   * repeat and delay frames, one refusal may reach the sender as several.
   * @param watched the wire has been watched
   */
  mayGiveUp(q: number, r: number, watched: boolean): boolean {
    return this.#mayGiveUp(q, watched, () => this.#countOf(q, r));
  }

  /** The same of any outstanding request of `q`: those before it may have ended well, and not be seen yet. */
  mayGiveUpAny(q: number, watched: boolean): boolean {
    const latest = this.#s.refusals.get(q);
    const isOpen = latest !== undefined && latest.number >= retiredOf(this.#s, q);
    return this.#mayGiveUp(q, watched, () => (isOpen ? latest.count : 0));
  }

  /** What is wrong with a request that ended so all the same. */
  reason(q: number, r: number): string {
    const limit = this.#s.qps.rnrRetry(q);
    const count = this.#countOf(q, r);
    const refusals = count === 1 ? 'refusal was' : 'refusals were';
    const allowed =
      limit === RNR_RETRY_FOR_EVER ? 'it is to be tried again for ever' : `${limit + 1} are needed to give up`;
    return `: ${count} ${refusals} waited for, and ${allowed}`;
  }

  #mayGiveUp(q: number, watched: boolean, count: () => number): boolean {
    const { qps, options } = this.#s;
    const limit = qps.rnrRetry(q);
    return limit < RNR_RETRY_FOR_EVER && (!watched || count() > (options.lossAllowed ? 0 : limit));
  }

  #countOf(q: number, r: number): number {
    const latest = this.#s.refusals.get(q);
    if (latest === undefined) return 0;
    let number = retiredOf(this.#s, q);
    const { words } = this.#s.requests;
    for (let at = headOf(this.#s, q); at !== NONE && at !== r; at = words[at + R_NEXT] as number) number++;
    return latest.number === number ? latest.count : 0;
  }

  /** Reports a refusal of a request for which a receive is there, and was before its packet left, or which needs none. */
  #judge(r: number, p: WirePacket): void {
    const s = this.#s;
    const w = s.requests.words;
    const state = w[r + R_STATE] as number;
    if ((operationKind(state & OPCODE_MASK) & OP_MESSAGE) === 0) {
      s.reporter.error(SCB.refused, () => `${this.#name(r, p)} needs no receive`);
      return;
    }
    const dest = w[r + R_DEST] as number;
    if (dest === NONE || s.options.lossAllowed || p.refusedSentAt < 0) return;
    let ahead = 0;
    for (let at = s.qps.words[dest + Q_IN_HEAD] as number; at !== r; at = w[at + R_LINK] as number) {
      if (at === NONE || ((w[at + R_STATE] as number) & S_FAILED) !== 0) return;
      ahead++;
    }
    const receives = s.qps.receives(dest);
    const posted = s.qps.times[(s.qps.words[dest + Q_TIMES] as number) + 2] as number;
    if (receives <= ahead || posted >= p.refusedSentAt) return;
    s.reporter.error(SCB.refused, () => {
      const there = `${countedAre(receives, 'receive')} posted there for ${counted(ahead + 1, 'message')}`;
      const sent = `${this.#name(r, p)}, sent at ${logTime(p.refusedSentAt)}`;
      return `${sent}: ${there}, the last one at ${logTime(posted)}`;
    });
  }

  #name(r: number, p: WirePacket): string {
    const s = this.#s;
    const sender = s.requests.words[r + R_QP] as number;
    const by = qpName(s, s.qps.find(p.host, s.qps.words[sender + Q_REMOTE_QPN] as number));
    return `${by} refuses ${shortRequestName(s, r)} with PSN ${psnText(p.psn)} for want of a receive`;
  }
}
