/**
 * Which requests of a side ask for a completion, drawn at random: at least one of as many as its send queue holds, so that software
 * always learns some time that its slots are free again.
 */
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import { US } from '../../../uvm/kernel/time.ts';
import type { RandomStream } from '../../../uvm/random/randomStream.ts';
import type { QpSide } from '../qpSide.ts';

export class RandomSignals {
  readonly #side: QpSide;
  readonly #random: RandomStream;
  readonly #percent: number;
  /** Requests in a row, the latest included, that asked for none. */
  #silent = 0;

  /** @param percent share of requests that ask for none */
  constructor(side: QpSide, random: RandomStream, percent: number) {
    this.#side = side;
    this.#random = random;
    this.#percent = percent;
  }

  /** Whether the request that is posted next asks for a completion. */
  next(): boolean {
    const isSignaled = !this.#random.chance(this.#percent / 100) || this.#silent + 1 >= this.#side.qp.maxSendWr;
    this.#silent = isSignaled ? 0 : this.#silent + 1;
    return isSignaled;
  }

  /**
   * In ERR: posts a request that is flushed, so that what was done in front of it without a completion leaves the queue. A queue that
   * is full holds one that completes.
   */
  *flush(): Proc<void> {
    const { qp } = this.#side;
    while (qp.sendOutstanding === qp.maxSendWr && !qp.sendCq.inError) yield* delay(US);
    if (qp.sendOutstanding === 0 || qp.sendCq.inError) return;
    this.#silent = 0;
    yield* this.#side.send([]);
  }
}
