/**
 * Shared receive queues (roce-transport.md 5.3, 5.6, 10): what a queue pair has taken comes back to software, also from one that
 * fails or is reset, and behind that a queue pair in ERR says once that nothing more comes. What it has not taken stays for others.
 */

import type { SrqInfo, SrqQuery } from '../../agents/verbs/srqItems.ts';
import { ASYNC_EVENT, ASYNC_EVENT_NAME, QP_TYPE } from '../../rdma/verbs.ts';
import { counted } from '../../uvm/report/counted.ts';
import { qpName, shortRequestName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { type Message, NO_RECEIVE, type QueuePair, type Receive, type ReceiveQueue } from '../model/work.ts';
import { SCB } from '../report/reportIds.ts';
import { dueSince } from './flushes.ts';
import { giveUp } from '../model/queues.ts';
import { mayHaveLost } from '../rules/takenReceives.ts';
import { ReceiveLimits } from './receiveLimits.ts';
import { aCommand, aQueuePair, aSharedReceiveQueue } from '../../rdma/subjectParts.ts';
import { theQueuePair, theRequest, theSharedQueue } from '../report/subjects.ts';

export class SharedQueues {
  readonly #s: OracleState;
  readonly #limits: ReceiveLimits;
  readonly #open = new Set<ReceiveQueue>();
  /** Queue pairs that have said that their last receive has completed. */
  readonly #ended = new Set<QueuePair>();
  /** The youngest receive of each queue that has completed: those in front of it were taken too. */
  readonly #furthest = new Map<ReceiveQueue, number>();
  /** Queues with a receive that was reported as lost. */
  readonly #reported = new Set<ReceiveQueue>();

  constructor(state: OracleState) {
    this.#s = state;
    this.#limits = new ReceiveLimits(state);
  }

  /** Whether there are any. */
  get any(): boolean {
    return this.#open.size > 0;
  }

  created(info: SrqInfo): void {
    this.#s.qps.sharedMade(info);
    this.#open.add(this.#s.qps.sharedReceives(info.host, info.srqn));
  }

  gone(host: number, srqn: number): void {
    const queue = this.#s.qps.sharedReceives(host, srqn);
    this.#checkLost(queue);
    this.#limits.gone(queue);
    this.#open.delete(queue);
    this.#s.qps.sharedGone(host, srqn);
  }

  arming(host: number, srqn: number, limit: number): void {
    this.#limits.arming(this.#s.qps.sharedReceives(host, srqn), limit);
  }

  armed(host: number, srqn: number, limit: number): void {
    this.#limits.armed(this.#s.qps.sharedReceives(host, srqn), limit);
  }

  querying(host: number, srqn: number): void {
    this.#limits.querying(this.#s.qps.sharedReceives(host, srqn));
  }

  queried({ host, srqn, maxWr, said }: SrqQuery): void {
    const queue = this.#s.qps.sharedReceives(host, srqn);
    const problems = [
      ...(said.maxWr === maxWr ? [] : [`${said.maxWr} receives, and it was made with ${maxWr}`]),
      ...this.#limits.queryProblems(queue, said.limit),
    ];
    if (problems.length === 0) return;
    const text = (): string => `host ${host} SRQ ${srqn}: QUERY_SRQ says ${problems.join('; ')}`;
    this.#s.reporter.error(SCB.querySrq, text, [aSharedReceiveQueue(host, srqn), aCommand(host, 'QUERY_SRQ')]);
  }

  /** A receive of a shared queue has completed on queue pair `q`. @param message that fills it, or none */
  completed(q: QueuePair, recv: Receive, message?: Message): void {
    const { queue } = recv;
    const place = queue.placeOf(recv);
    if (place >= this.#furthestOf(queue)) this.#furthest.set(queue, place);
    this.#limits.completed(recv, message);
    if (!this.#ended.has(q)) return;
    const text = (): string =>
      `${shortRequestName(recv)} completed behind the QP_LAST_WQE_REACHED event of ${qpName(q)}`;
    this.#s.reporter.error(SCB.order, text, [theRequest(recv), theQueuePair(q)]);
  }

  /** An event has come that is about a shared queue. */
  happened(host: number, event: number, number: number): void {
    if (event === ASYNC_EVENT.srqLimitReached || event === ASYNC_EVENT.srqErr) this.#ofQueue(host, event, number);
    if (event === ASYNC_EVENT.lastWqeReached) this.#last(host, number);
  }

  /** Software resets or destroys a queue pair: what it has not said by now it never will. */
  leaves(q: QueuePair): void {
    if (!q.rq.isShared || !this.#isInError(q) || this.#s.options.wire.hasPaused(q.host, dueSince(q)) !== true) return;
    this.#checkEnded(q);
  }

  /** A completion queue may have overflowed: what its queue pairs have taken may have completed unseen. */
  mayOverflow(host: number, cqn: number): void {
    for (const queue of this.#open) {
      if (!queue.users.some((q) => q.host === host && q.recvCqn === cqn)) continue;
      queue.overflowed ??= cqn;
      for (const q of queue.users) if (q.type === QP_TYPE.ud) giveUpAll(this.#s, q);
    }
  }

  /** It is gone. */
  forget(q: QueuePair): void {
    this.#limits.leaves(q);
    this.#ended.delete(q);
  }

  /** Nothing is in flight. */
  quiet(): void {
    this.#limits.quiet();
    for (const queue of this.#open) {
      this.#checkLost(queue);
      for (const q of queue.users) if (this.#isInError(q) && !q.isLeaving) this.#checkEnded(q);
    }
  }

  #ofQueue(host: number, event: number, srqn: number): void {
    const name = ASYNC_EVENT_NAME[event];
    const queue = [...this.#open].find((each) => each.owner.host === host && each.srqn === srqn);
    if (queue !== undefined && event === ASYNC_EVENT.srqLimitReached) this.#limits.happened(queue);
    else if (queue === undefined)
      this.#s.reporter.error(
        SCB.eventGroundless,
        () => `${name} event: host ${host} has no shared receive queue ${srqn}`,
        [aSharedReceiveQueue(host, srqn)],
      );
    else
      this.#s.reporter.error(
        SCB.eventGroundless,
        () => `${name} event: host ${host} SRQ ${srqn} has done nothing wrong`,
        [aSharedReceiveQueue(host, srqn)],
      );
  }

  #last(host: number, qpn: number): void {
    const { qps, reporter } = this.#s;
    const q = qps.find(host, qpn);
    // It tells of a life that is over.
    if (!q.exists && qps.latest(host, qpn).exists) return;
    const problem = !q.exists ? 'there never was one' : this.#problemOfLast(q);
    if (problem !== '')
      reporter.error(SCB.eventGroundless, () => `QP_LAST_WQE_REACHED event: host ${host} QP ${qpn}: ${problem}`, [
        aQueuePair(host, qpn),
      ]);
    this.#ended.add(q);
  }

  #problemOfLast(q: QueuePair): string {
    if (!q.rq.isShared) return 'its receives are its own';
    return this.#ended.has(q) ? 'an event has said so already since it was set up' : '';
  }

  /**
   * Whether it must be in ERR: software has taken it there, a receive has failed, or a request of a reliable connection. One whose
   * completion queue may have overflowed, or for which a read has failed, may work on.
   */
  #isInError(q: QueuePair): boolean {
    return q.ready && !q.gone && (q.dead || q.recvFailed || (q.type === QP_TYPE.rc && q.sq.failed));
  }

  #checkEnded(q: QueuePair): void {
    if (this.#ended.has(q) || !this.#s.events.isListening(q.host)) return;
    this.#ended.add(q);
    const text = (): string =>
      `${qpName(q)}: no QP_LAST_WQE_REACHED event came although it went to ERR with a shared receive queue`;
    this.#s.reporter.error(SCB.asyncEvent, text, [theQueuePair(q)]);
  }

  /** Receives in front of one that has completed have been taken, each by a queue pair that still holds it, or they are lost. */
  #checkLost(queue: ReceiveQueue): void {
    if (this.#reported.has(queue) || mayHaveLost(this.#s, queue)) return;
    const furthest = this.#furthestOf(queue);
    let first: Receive = NO_RECEIVE;
    let skipped = 0;
    for (let recv = queue.head; recv.exists && queue.placeOf(recv) < furthest; recv = recv.next) {
      if (skipped++ === 0) first = recv;
    }
    const holders = queue.users.filter((q) => !this.#isInError(q)).length;
    if (skipped <= holders) return;
    this.#reported.add(queue);
    const text = (): string => {
      const there = `${counted(skipped, 'receive')} of host ${queue.owner.host} SRQ ${queue.srqn}, first ${shortRequestName(first)},`;
      return `${there} did not complete although one behind them has; ${counted(holders, 'queue pair')} may hold one`;
    };
    this.#s.reporter.error(SCB.missing, text, [theRequest(first), theSharedQueue(queue)]);
  }

  #furthestOf(queue: ReceiveQueue): number {
    return this.#furthest.get(queue) ?? -1;
  }
}

/** No message on its way to a queue pair is awaited any more. */
function giveUpAll(s: OracleState, q: QueuePair): void {
  for (let r = q.inbound.head; r.exists; r = r.link) giveUp(s, r);
}
