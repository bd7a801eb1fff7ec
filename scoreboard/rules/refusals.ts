/**
 * Messages that a receiver refuses because no receive is posted (RNR NAK, roce-transport.md 3.4, 3.8): whether it had a
 * reason to, and whether a sender had the right to give up in the end. Fed by the wire monitor; without it nobody is
 * blamed.
 *
 * A sender that gives up has waited after every RNR NAK but the last, as they said; what comes while it waits it does not
 * count. When one is dealt with is not seen, only when it arrived: so as many may have been counted as have arrived and as
 * there was time to wait for.
 */

import type { Subject } from '../../rdma/subject.ts';
import type { Message, QueuePair, ReceiveQueue } from '../model/work.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { RNR_RETRY_FOR_EVER, RNR_TIMER_PS } from '../../rdma/timers.ts';
import { shortRequestName, qpName } from '../model/names.ts';
import { OP_MESSAGE, operationKind } from '../model/operations.ts';
import type { OracleState, Refusal } from '../model/oracleState.ts';
import { SCB } from '../report/reportIds.ts';
import { headOf, indexOfPsn, outstandingAt, retiredOf } from '../model/requestOfPsn.ts';
import { mayHaveLost, noteRefused, receiveOf } from './takenReceives.ts';
import { leastOf } from '../../agents/verbs/windowed.ts';
import type { WirePacket } from '../model/wirePacket.ts';
import { counted, countedAre } from '../../uvm/report/counted.ts';
import { psnText } from '../../rdma/psnText.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { aMoment } from '../../rdma/subjectParts.ts';
import { thePacket, theQueuePair, theRequest } from '../report/subjects.ts';

/** For how long (ps) a sender was told to wait before it tries its oldest request again; 0 when that was not refused. */
export function refusedFor(s: OracleState, q: QueuePair): number {
  const latest = s.refusals.get(q)?.at(-1);
  return latest === undefined || latest.number < retiredOf(q) ? 0 : latest.wait;
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
    if (!q.exists) return;
    const index = indexOfPsn(q, p.psn);
    if (index < 0) return;
    const r = outstandingAt(q, index);
    this.#judge(r, p);
    noteRefused(r);
    const wait = RNR_TIMER_PS[p.syndrome & 31] as number;
    const number = retiredOf(q) + index;
    // A request that was refused may have been taken meanwhile, as it was sent once more, and its sender not know that.
    const open = openRefusals(s, q);
    const known = open.find((refusal) => refusal.number === number);
    s.refusals.set(q, [...open.filter((refusal) => refusal !== known), { number, psn: p.psn, wait }]);
  }

  /**
   * Whether the outstanding request `r` of queue pair `q` may end because its receiver was not ready.
   * @param watched the wire has been watched
   */
  mayGiveUp(q: QueuePair, r: Message, watched: boolean): boolean {
    return this.#mayGiveUp(q, watched, () => this.#countOf(q, r));
  }

  /** The same of any outstanding request of `q`: those before it may have ended well, and not be seen yet. */
  mayGiveUpAny(q: QueuePair, watched: boolean): boolean {
    return this.#mayGiveUp(q, watched, () =>
      Math.max(0, ...openRefusals(this.#s, q).map((refusal) => this.#waitedFor(q, refusal))),
    );
  }

  /** What is wrong with a request that ended so all the same. */
  reason(q: QueuePair, r: Message): string {
    const limit = leastOf(q.attributes.rnrRetry);
    const count = this.#countOf(q, r);
    const refusals = count === 1 ? 'refusal was' : 'refusals were';
    const allowed =
      limit === RNR_RETRY_FOR_EVER ? 'it is to be tried again for ever' : `${limit + 1} are needed to give up`;
    return `: ${count} ${refusals} waited for, and ${allowed}`;
  }

  #mayGiveUp(q: QueuePair, watched: boolean, count: () => number): boolean {
    // By the limit of before or by the new one.
    const limit = leastOf(q.attributes.rnrRetry);
    return limit < RNR_RETRY_FOR_EVER && (!watched || count() > limit);
  }

  #countOf(q: QueuePair, r: Message): number {
    const refusals = this.#s.refusals.get(q);
    if (refusals === undefined) return 0;
    let number = retiredOf(q);
    for (let at = headOf(q); at.exists && at !== r; at = at.next) number++;
    const own = refusals.find((refusal) => refusal.number === number);
    return own === undefined ? 0 : this.#waitedFor(q, own);
  }

  /** RNR NAKs for a request that the sender may have counted by now; infinite where nobody knows what has reached it. */
  #waitedFor(q: QueuePair, { psn }: Refusal): number {
    const { clock, options } = this.#s;
    const attempt = options.wire.attempt(q.host, q.qpn, q.remoteHost, q.remoteQpn);
    return attempt?.notReady(psn, clock.now) ?? Number.POSITIVE_INFINITY;
  }

  /** Reports a refusal of a request for which a receive is there, and was before its packet left, or which needs none. */
  #judge(r: Message, p: WirePacket): void {
    const s = this.#s;
    const about: Subject = [thePacket(p, s.qps.peerOf(r.qp)), theRequest(r)];
    if ((operationKind(r.opcode) & OP_MESSAGE) === 0) {
      s.reporter.error(SCB.refused, () => `${this.#name(r, p)} needs no receive`, about);
      return;
    }
    const dest = r.dest;
    if (!dest.exists || s.disturbances.has(dest) || p.refusedSentAt < 0) return;
    let ahead = 0;
    for (let at = dest.inbound.head; at !== r; at = at.link) {
      if (!at.exists || at.mayVanish) return;
      ahead++;
    }
    const posted = dest.rq.postedAt;
    // Of shared receives a NIC hears by a doorbell.
    const known = dest.rq.isShared ? posted + s.options.wire.hearingTime(dest.host) : posted;
    if (!receiveOf(r).exists || known >= p.refusedSentAt) return;
    const isFor = ahead + 1 + (dest.rq.isShared ? dest.rq.takenByOthers(dest) : 0);
    const receives = dest.rq.waiting;
    // Datagrams may have taken the rest.
    if (dest.rq.isShared && receives < isFor + datagramsTo(dest.rq)) return;
    if (dest.rq.isShared && receives > 0 && mayHaveLost(s, dest.rq)) return;
    const text = (): string => {
      const there = `${countedAre(receives, 'receive')} posted there for ${counted(isFor, 'message')}`;
      const sent = `${this.#name(r, p)}, sent at ${logTime(p.refusedSentAt)}`;
      return `${sent}: ${there}, the last one at ${logTime(posted)}`;
    };
    s.reporter.error(SCB.refused, text, [...about, theQueuePair(dest), aMoment(posted)]);
  }

  #name(r: Message, p: WirePacket): string {
    const s = this.#s;
    const sender = r.qp;
    const by = qpName(s.qps.find(p.host, sender.remoteQpn));
    return `${by} refuses ${shortRequestName(r)} with PSN ${psnText(p.psn)} for want of a receive`;
  }
}

/** Datagrams on their way to queue pairs that share receives. */
function datagramsTo({ users }: ReceiveQueue): number {
  return users.reduce((sum, { type, inbound }) => sum + (type === QP_TYPE.ud ? inbound.count : 0), 0);
}

/** What is known of requests of `q` that were refused and may still be outstanding. */
function openRefusals({ refusals }: OracleState, q: QueuePair): readonly Refusal[] {
  const retired = retiredOf(q);
  return (refusals.get(q) ?? []).filter(({ number }) => number >= retired);
}
