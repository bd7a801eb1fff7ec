/** Samples the covergroups of shared receive queues. */
import type { SrqInfo } from '../../../agents/verbs/srqItems.ts';
import { WC_STATUS } from '../../../rdma/verbs.ts';
import type { CoverageCollector } from '../../../uvm/coverage/coverageCollector.ts';
import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { QueuePairFacts } from '../queuePairs.ts';
import {
  lastReceiveCg,
  LastReceiveSample,
  LIMIT_STEP,
  LimitSample,
  OUTCOME,
  sharedLimitCg,
  sharedReceiveCg,
  SharedReceiveSample,
} from './srqGroups.ts';

/** What completes so soon behind the event of a limit was taken in the same moment. */
const SAME_MOMENT = 2 * US;

/** The event of a limit has come: queue pairs whose receives have completed since then. */
interface Reached {
  readonly at: SimTime;
  readonly takers: Set<number>;
}

class SharedQueue {
  /** Bytes by id, the oldest first. */
  readonly waiting = new Map<number, number>();
  readonly users = new Set<QueuePairFacts>();
  /** Queue pair of the receive that has completed last; -1 before the first. */
  lastQpn = -1;
  limit = 0;
  wasReached = false;
  reached: Reached | null = null;
}

export class SrqCoverage {
  readonly #clock: { readonly now: SimTime };
  readonly #queues = new Map<number, SharedQueue>();
  readonly #receive = new SharedReceiveSample();
  readonly #limit = new LimitSample();
  readonly #last = new LastReceiveSample();
  /** Receives of a queue pair that have completed with an error, or were flushed. */
  readonly #held = new Map<QueuePairFacts, number>();
  readonly #groups;
  /** A limit was reached a moment ago: completions count as they come. */
  isWatching = false;

  constructor(collector: CoverageCollector, clock: { readonly now: SimTime }) {
    this.#clock = clock;
    this.#groups = {
      receive: collector.create(sharedReceiveCg),
      limit: collector.create(sharedLimitCg),
      last: collector.create(lastReceiveCg),
    };
  }

  created({ host, srqn }: SrqInfo): void {
    this.#queues.set(keyOf(host, srqn), new SharedQueue());
  }

  gone(host: number, srqn: number): void {
    this.conclude();
    this.#queues.delete(keyOf(host, srqn));
  }

  posted(host: number, srqn: number, wrId: number, bytes: number): void {
    this.#queues.get(keyOf(host, srqn))?.waiting.set(wrId, bytes);
  }

  joins(qp: QueuePairFacts): void {
    this.#of(qp)?.users.add(qp);
  }

  leaves(qp: QueuePairFacts): void {
    this.#of(qp)?.users.delete(qp);
    this.#held.delete(qp);
  }

  /** A receive has completed. @returns the bytes that it had room for; undefined: it is none that was posted */
  completed(qp: QueuePairFacts, wrId: number, status: number): number | undefined {
    const queue = this.#of(qp);
    const bytes = queue?.waiting.get(wrId);
    if (queue === undefined || bytes === undefined) return undefined;
    const r = this.#receive;
    r.service = qp.service;
    r.users = queue.users.size;
    r.isAhead = queue.waiting.keys().next().value !== wrId;
    r.switchesQp = queue.lastQpn >= 0 && queue.lastQpn !== qp.qpn;
    queue.waiting.delete(wrId);
    r.left = queue.waiting.size;
    r.outcome =
      status === WC_STATUS.success
        ? OUTCOME.success
        : status === WC_STATUS.wrFlushErr
          ? OUTCOME.flushed
          : OUTCOME.error;
    queue.lastQpn = qp.qpn;
    this.#groups.receive.sample(r);
    if (r.outcome !== OUTCOME.success) this.#held.set(qp, (this.#held.get(qp) ?? 0) + 1);
    if (queue.reached !== null && this.#clock.now - queue.reached.at <= SAME_MOMENT) queue.reached.takers.add(qp.qpn);
    else this.#over(queue);
    return bytes;
  }

  arming(host: number, srqn: number, limit: number): void {
    const queue = this.#queues.get(keyOf(host, srqn));
    if (queue === undefined) return;
    this.#over(queue);
    const step = limit === 0 ? LIMIT_STEP.takenBack : setStep(queue);
    if (limit > 0 || queue.limit > 0) this.#sampleLimit(queue, step, limit);
    queue.limit = limit;
  }

  limitReached(host: number, srqn: number): void {
    const queue = this.#queues.get(keyOf(host, srqn));
    if (queue === undefined) return;
    this.#over(queue);
    queue.reached = { at: this.#clock.now, takers: new Set() };
    queue.limit = 0;
    queue.wasReached = true;
    this.isWatching = true;
  }

  lastReceive(qp: QueuePairFacts): void {
    const queue = this.#of(qp);
    if (queue === undefined) return;
    const l = this.#last;
    l.service = qp.service;
    l.held = this.#held.get(qp) ?? 0;
    l.left = queue.waiting.size;
    l.others = [...queue.users].filter((user) => user !== qp).length;
    this.#groups.last.sample(l);
  }

  /** What has begun is counted. */
  conclude(): void {
    for (const queue of this.#queues.values()) this.#over(queue);
  }

  /** The moment in which a limit was reached is over. */
  #over(queue: SharedQueue): void {
    if (queue.reached === null) return;
    this.#limit.takers = queue.reached.takers.size;
    queue.reached = null;
    this.isWatching = [...this.#queues.values()].some(({ reached }) => reached !== null);
    this.#sampleLimit(queue, LIMIT_STEP.reached, 0);
  }

  #sampleLimit(queue: SharedQueue, step: number, limit: number): void {
    const l = this.#limit;
    l.step = step;
    l.limit = limit;
    l.left = queue.waiting.size;
    this.#groups.limit.sample(l);
  }

  #of({ host, srqn }: QueuePairFacts): SharedQueue | undefined {
    return srqn < 0 ? undefined : this.#queues.get(keyOf(host, srqn));
  }
}

function setStep({ limit, wasReached }: SharedQueue): number {
  if (limit > 0) return LIMIT_STEP.changed;
  return wasReached ? LIMIT_STEP.armedAgain : LIMIT_STEP.armed;
}

function keyOf(host: number, srqn: number): number {
  return host * 0x100_0000 + srqn;
}
