/**
 * Completion queues in error, for want of host memory or of room: whoever has something to report there has QP_FATAL (roce-transport.md 5.5).
 * As long as none has said so, nobody may wait for a completion there once nothing moves any more.
 */

import { qpName } from '../../model/names.ts';
import type { OracleState } from '../../model/oracleState.ts';
import type { QueuePair } from '../../model/work.ts';
import { SCB } from '../../report/reportIds.ts';
import { oldestUndone } from '../unsignalledSends.ts';
import { theCompletionQueue } from '../../report/subjects.ts';
import { whatWaits } from '../../report/pending.ts';

/** A queue in error, and who uses it. */
interface LostQueue {
  readonly host: number;
  readonly cqn: number;
  readonly users: ReadonlySet<QueuePair>;
  /** What has become of it, as the end of a sentence. */
  readonly what: string;
}

export class LostQueues {
  readonly #s: OracleState;
  /** Those of which no queue pair has said anything. */
  readonly #untold = new Set<LostQueue>();

  constructor(state: OracleState) {
    this.#s = state;
  }

  /** A completion queue is in error. @param what has become of it, as the end of a sentence */
  lost(host: number, cqn: number, users: readonly QueuePair[], what: string): void {
    // One that software has stopped before may be all that uses it: no QP_FATAL comes of a queue pair in ERR.
    if (users.some(({ stops }) => stops)) return;
    this.#untold.add({ host, cqn, users: new Set(users), what });
  }

  /** QP_FATAL has come of a queue pair, or software has stopped it. */
  ended(q: QueuePair): void {
    for (const queue of this.#untold) if (queue.users.has(q)) this.#untold.delete(queue);
  }

  /** Nothing is in flight. */
  quiet(): void {
    for (const queue of this.#untold) this.#judge(queue);
  }

  #judge(queue: LostQueue): void {
    const { cqn, users, what: why } = queue;
    const waiting = [...users].find((q) => q.sendCqn === cqn && oldestUndone(this.#s, q).outstanding);
    if (waiting === undefined) return;
    this.#untold.delete(queue);
    const text = (): string => {
      const what = `${qpName(waiting)} waits for a completion in CQ ${cqn}, ${why}`;
      return `${what}, and no QP_FATAL event has come of a queue pair that uses it`;
    };
    this.#s.reporter.error(SCB.asyncEvent, text, [theCompletionQueue(waiting, true), ...whatWaits(waiting)]);
  }
}
