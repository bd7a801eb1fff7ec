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
import { SCB } from '../report/reportIds.ts';
import { counted } from '../../uvm/report/counted.ts';
import { logTime } from '../../uvm/report/reportMessage.ts';
import { QP_TYPE } from '../../rdma/verbs.ts';

/** One request for the event. */
interface Arm {
  readonly limit: number;
  /** Receives that had been posted when it was made. */
  readonly posted: number;
  /** When the NIC had been told, ps; -1 before. */
  armedAt: number;
  /** What must have brought the level below the limit, as the end of a sentence; '' as long as nothing has. */
  cause: string;
  /** Another request has taken its place: it may have fired before that, or not. */
  replaced: boolean;
  /** An event that has come was its own, or that of one before it. */
  mayHaveTold: boolean;
}

export class ReceiveLimits {
  readonly #s: OracleState;
  /** Requests whose event has not come, the oldest first. */
  readonly #arms = new Map<ReceiveQueue, Arm[]>();

  constructor(state: OracleState) {
    this.#s = state;
  }

  arming(queue: ReceiveQueue, limit: number): void {
    const arms = this.#armsOf(queue);
    for (const arm of arms) arm.replaced = true;
    arms.push({ limit, posted: queue.posted, armedAt: -1, cause: '', replaced: false, mayHaveTold: false });
  }

  armed(queue: ReceiveQueue): void {
    const arm = this.#armsOf(queue).at(-1);
    if (arm !== undefined) arm.armedAt = this.#s.clock.now;
  }

  gone(queue: ReceiveQueue): void {
    this.#judge(queue);
    this.#arms.delete(queue);
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
    arms.splice(at, 1);
    if (due < 0) for (const other of arms.slice(at)) other.mayHaveTold ||= this.#mayHaveFired(queue, other);
  }

  /** What is wrong with a limit that QUERY_SRQ says. */
  queryProblems(queue: ReceiveQueue, limit: number): readonly string[] {
    const latest = this.#armsOf(queue).at(-1);
    const armed = latest?.limit ?? 0;
    // It may have been reached, and the event be on its way.
    const mayBeReached =
      latest !== undefined && (latest.cause !== '' || latest.mayHaveTold || this.#mayHaveFired(queue, latest));
    if (limit === armed || (limit === 0 && mayBeReached)) return [];
    return [`limit ${limit}, and ${armed} was set`];
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
        );
    // What has fired by now has told so.
    const latest = arms.at(-1);
    this.#arms.set(queue, latest === undefined || latest.cause !== '' ? [] : [latest]);
  }

  /** Whether the level can have been below the limit. */
  #mayHaveFired(queue: ReceiveQueue, { limit, posted }: Arm): boolean {
    if (limit === 0) return false;
    const taken = this.#mostTaken(queue);
    return posted - taken < limit;
  }

  /** How many receives can have been taken of a queue. */
  #mostTaken(queue: ReceiveQueue): number {
    const { options, disturbances } = this.#s;
    const isOpen = (q: QueuePair): boolean => q.type !== QP_TYPE.rc || disturbances.has(q);
    if (!options.wire.watches || queue.users.some(isOpen)) return Number.POSITIVE_INFINITY;
    return queue.mostTaken;
  }

  #groundless(queue: ReceiveQueue, arms: readonly Arm[]): void {
    const arm = arms.at(-1);
    this.#s.reporter.error(SCB.eventGroundless, () => {
      if (arm === undefined || arm.limit === 0) return `SRQ_LIMIT_REACHED event: ${nameOf(queue)} has no limit set`;
      const level = arm.posted - queue.mostTaken;
      const asked = `the limit ${arm.limit} was set at ${logTime(arm.armedAt)}`;
      return `SRQ_LIMIT_REACHED event: ${nameOf(queue)} has ${counted(level, 'receive')} left at least, and ${asked}`;
    });
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
