/**
 * Completion queues with something to poll, in the order in which they became ready: `waitAnyCq` takes the next one
 * without looking at the others. A ring buffer that grows; each queue is in it at most once.
 */

import type { Cq } from './verbsObjects.ts';

export class ReadyQueues {
  #ring: (Cq | null)[] = new Array<Cq | null>(64).fill(null);
  #head = 0;
  #count = 0;

  /** Adds a queue unless it is there already. */
  add(cq: Cq): void {
    if (cq.ready) return;
    if (this.#count === this.#ring.length) this.#grow();
    this.#ring[(this.#head + this.#count) & (this.#ring.length - 1)] = cq;
    this.#count++;
    cq.ready = true;
  }

  /** The next queue with something to poll, which goes to the end of the line; null when there is none. */
  next(): Cq | null {
    while (this.#count > 0) {
      const mask = this.#ring.length - 1;
      const cq = this.#ring[this.#head] as Cq;
      this.#ring[this.#head] = null;
      this.#head = (this.#head + 1) & mask;
      this.#count--;
      cq.ready = false;
      if (!cq.alive || cq.produced === cq.consumed) continue;
      this.add(cq);
      return cq;
    }
    return null;
  }

  #grow(): void {
    const old = this.#ring;
    const wider = new Array<Cq | null>(old.length * 2).fill(null);
    for (let i = 0; i < this.#count; i++) wider[i] = old[(this.#head + i) & (old.length - 1)] as Cq;
    this.#ring = wider;
    this.#head = 0;
  }
}
