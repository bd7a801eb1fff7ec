/** Which queue pairs of a host take their receives from shared queues. */
import { QP_TYPE, type QpType } from '../../rdma/verbs.ts';

/** What a sequence wants to be shared. */
export interface Sharing {
  /** Shared receive queues of each process. */
  readonly queues: number;
  /** Queue of the `place`-th RC or UD queue pair of a process, 0 .. queues - 1; -1: it has receives of its own. */
  queueOf(place: number): number;
}

/** Queue pairs take turns at `queues` queues and at receives of their own. */
export function byTurns(queues: number): Sharing {
  const queueOf = (place: number): number => {
    const turn = place % (queues + 1);
    return turn === queues ? -1 : turn;
  };
  return { queues, queueOf };
}

/** All of them share one queue of their process. */
export const ONE_QUEUE: Sharing = { queues: 1, queueOf: () => 0 };

/** UC has no shared receives (roce-transport.md 6.1). */
export function canShare(type: QpType): boolean {
  return type === QP_TYPE.rc || type === QP_TYPE.ud;
}
