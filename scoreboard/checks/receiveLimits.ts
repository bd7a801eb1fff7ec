/**
 * SRQ_LIMIT_REACHED: software is told once that a shared receive queue has fewer receives left than it asked for, and then not
 * before it asks again (roce-transport.md 5.6, 10).
 *
 * When receives are taken is not seen. A receive that has completed was taken, and so were those in front of it; a message that has
 * not come has taken none. So the level has two bounds. An event is due when a receive that was surely taken after the NIC had
 * been asked left fewer than the limit by the upper one, and has no ground while the lower one is not below the limit.
 */

import { shortRequestName } from '../model/names.ts';
import type { OracleState } from '../model/oracleState.ts';
import { type Message, NO_MESSAGE, type QueuePair, type Receive, type ReceiveQueue } from '../model/work.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { SCB } from '../report/reportIds.ts';
import { counted } from '../../uvm/report/counted.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';
import { theSharedQueue } from '../report/subjects.ts';

const NOT_YET = -1;
/** So many requests are remembered for queries: more are not under way at a time. */
const MOST_LATEST = 8;

/** One request for the event. */
interface Arm {
  readonly limit: number;
  /** Receives that had been posted when it was made. */
  readonly posted: number;
  /** When software began to tell the NIC, ps. */
  readonly begunAt: number;
  /** When the NIC had been told, ps; -1 before. */
  armedAt: number;
  /** Since when it holds no more, ps: another one does that began later, or its event has come. Infinite as long as it may hold. */
  endedAt: number;
  /** What must have brought the level below the limit, as the end of a sentence; '' as long as nothing has. */
  cause: string;
  /** An event that has come was its own, or that of one before it. */
  mayHaveTold: boolean;
}

export class ReceiveLimits {
  readonly #s: OracleState;
  /** Requests whose event has not come, the oldest first. */
  readonly #arms = new Map<ReceiveQueue, Arm[]>();
  /** The latest requests, the oldest first, also those whose event has come: what QUERY_SRQ may say. */
  readonly #latest = new Map<ReceiveQueue, Arm[]>();
  /** Queues of which a queue pair that is gone may have taken any number. */
  readonly #uncounted = new Set<ReceiveQueue>();
  /** When the queries began that have not been answered, ps, the oldest first. */
  readonly #queries = new Map<ReceiveQueue, SimTime[]>();

  constructor(state: OracleState) {
    this.#s = state;
  }

  arming(queue: ReceiveQueue, limit: number): void {
    const arms = this.#armsOf(queue);
    const begunAt = this.#s.clock.now;
    const times = { begunAt, armedAt: NOT_YET, endedAt: Number.POSITIVE_INFINITY };
    const arm: Arm = { limit, posted: queue.posted, ...times, cause: '', mayHaveTold: false };
    arms.push(arm);
    this.#latest.set(queue, [...(this.#latest.get(queue) ?? []), arm].slice(-MOST_LATEST));
  }

  armed(queue: ReceiveQueue, limit: number): void {
    const { now } = this.#s.clock;
    const latest = this.#latest.get(queue) ?? [];
    const arm = latest.find((known) => known.limit === limit && known.armedAt === NOT_YET);
    if (arm === undefined) return;
    arm.armedAt = now;
    // Of two that were under way at a time nobody knows which the NIC has heard last.
    for (const before of latest)
      if (before.armedAt !== NOT_YET && before.armedAt <= arm.begunAt && before !== arm)
        before.endedAt = Math.min(before.endedAt, now);
  }

  gone(queue: ReceiveQueue): void {
    this.#judge(queue);
    for (const known of [this.#arms, this.#latest, this.#queries, this.#uncounted]) known.delete(queue);
  }

  /** A receive has completed. @param message that fills it, or none */
  completed(recv: Receive, message: Message = NO_MESSAGE): void {
    const { queue } = recv;
    const arm = this.#arms.get(queue)?.at(-1);
    if (arm === undefined || arm.mayHaveTold || arm.armedAt < 0 || arm.cause !== '') return;
    const since = Math.max(recv.postedAt, message.exists ? message.postedAt : 0);
    const left = queue.posted - queue.placeOf(recv) - 1;
    if (since < arm.armedAt || left >= arm.limit) return;
    arm.cause = `${shortRequestName(recv)} was taken and left ${left} of them, with the limit ${arm.limit} that was set at ${logTime(arm.armedAt)}`;
  }

  /** The event has come. */
  happened(queue: ReceiveQueue): void {
    const arms = this.#armsOf(queue);
    const due = arms.findIndex(({ cause }) => cause !== '');
    const at = due >= 0 ? due : arms.findIndex((arm) => this.#mayHaveFired(queue, arm));
    if (at < 0) {
      this.#groundless(queue, arms);
      return;
    }
    const [told] = arms.splice(at, 1);
    if (told !== undefined && arms.length === 0) told.endedAt = this.#s.clock.now;
    if (due < 0) for (const other of arms.slice(at)) other.mayHaveTold ||= this.#mayHaveFired(queue, other);
  }

  /** Software asks for the limit. */
  querying(queue: ReceiveQueue): void {
    this.#queries.set(queue, [...(this.#queries.get(queue) ?? []), this.#s.clock.now]);
  }

  /** What is wrong with a limit that QUERY_SRQ says: one that held at no moment since software has asked. */
  queryProblems(queue: ReceiveQueue, limit: number): readonly string[] {
    const since = this.#queries.get(queue)?.shift() ?? this.#s.clock.now;
    const held = (this.#latest.get(queue) ?? []).filter(({ endedAt }) => endedAt >= since);
    if (held.some((arm) => arm.limit === limit)) return [];
    // It is 0 before the first one, and when one was reached, of which the event may be on its way.
    const holds = held.some(
      ({ armedAt, endedAt }) => armedAt !== NOT_YET && armedAt <= since && endedAt > this.#s.clock.now,
    );
    if (limit === 0 && (!holds || held.some((arm) => this.#mayBeReached(queue, arm)))) return [];
    const right = [...new Set(held.map((arm) => arm.limit))].join(' or ') || '0';
    return [`limit ${limit}, and ${right} was set`];
  }

  /** Nothing is in flight: what is due has come. */
  quiet(): void {
    for (const queue of this.#arms.keys()) this.#judge(queue);
  }

  #judge(queue: ReceiveQueue): void {
    const arms = this.#armsOf(queue);
    const missing = arms.filter(({ cause }) => cause !== '');
    if (this.#s.events.isListening(queue.owner.host))
      for (const { cause } of missing)
        this.#s.reporter.error(
          SCB.asyncEvent,
          () => `${nameOf(queue)}: no SRQ_LIMIT_REACHED event came although ${cause}`,
          [theSharedQueue(queue)],
        );
    // What has fired by now has told so.
    const latest = arms.at(-1);
    this.#arms.set(queue, latest === undefined || latest.cause !== '' ? [] : [latest]);
  }

  #mayBeReached(queue: ReceiveQueue, arm: Arm): boolean {
    return arm.cause !== '' || arm.mayHaveTold || this.#mayHaveFired(queue, arm);
  }

  /** Whether the level can have been below the limit. */
  #mayHaveFired(queue: ReceiveQueue, { limit, posted }: Arm): boolean {
    if (limit === 0) return false;
    const taken = this.#mostTaken(queue);
    return posted - taken < limit;
  }

  /** A queue pair is gone: what it has taken stays taken. */
  leaves(q: QueuePair): void {
    if (q.rq.isShared && this.#isUncounted(q)) this.#uncounted.add(q.rq);
  }

  /** How many receives can have been taken of a queue. */
  #mostTaken(queue: ReceiveQueue): number {
    const isUncounted = this.#uncounted.has(queue) || queue.users.some((q) => this.#isUncounted(q));
    return isUncounted || !this.#s.options.wire.watches ? Number.POSITIVE_INFINITY : queue.mostTaken;
  }

  /** Whether more may have come to a queue pair than was counted. */
  #isUncounted(q: QueuePair): boolean {
    return q.type !== QP_TYPE.rc || this.#s.disturbances.has(q);
  }

  #groundless(queue: ReceiveQueue, arms: readonly Arm[]): void {
    const arm = arms.at(-1);
    const text = (): string => {
      if (arm === undefined || arm.limit === 0) return `SRQ_LIMIT_REACHED event: ${nameOf(queue)} has no limit set`;
      const level = arm.posted - queue.mostTaken;
      const asked = `the limit ${arm.limit} was set at ${logTime(arm.armedAt)}`;
      return `SRQ_LIMIT_REACHED event: ${nameOf(queue)} has ${counted(level, 'receive')} left at least, and ${asked}`;
    };
    this.#s.reporter.error(SCB.eventGroundless, text, [theSharedQueue(queue)]);
  }

  #armsOf(queue: ReceiveQueue): Arm[] {
    const known = this.#arms.get(queue);
    if (known !== undefined) return known;
    const made: Arm[] = [];
    this.#arms.set(queue, made);
    return made;
  }
}

function nameOf({ owner, srqn }: ReceiveQueue): string {
  return `host ${owner.host} SRQ ${srqn}`;
}
