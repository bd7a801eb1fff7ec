/**
 * A hardware thread of a processor, as the root complex sees it: writes wait in a posted queue of the thread, and the root complex
 * merges the queues of all threads in random order. Order within a queue stays. A read drains the queue of its thread first.
 */
import { delay, type Proc } from '../../../uvm/kernel/process.ts';
import type { EventHandler, Scheduler, SimTime } from '../../../uvm/kernel/scheduler.ts';
import type { FastStream } from '../../../uvm/random/randomStream.ts';

/** Where accesses of threads go. */
export interface ThreadTarget {
  barWrite(bar: number, offset: number, words: readonly number[]): void;
  /** Posts bytes that are given, to memory behind a BAR. */
  memoryWriteFrom(bar: number, offset: number, data: Uint8Array): void;
  memoryRead(bar: number, offset: number, dst: number, length: number): Proc<void>;
}

export class CpuThread implements EventHandler {
  readonly fullName: string;
  readonly #target: ThreadTarget;
  readonly #scheduler: Scheduler;
  readonly #random: FastStream;
  readonly #window: SimTime;
  readonly #queue: (() => void)[] = [];
  /** When the newest write of the queue leaves it. */
  #leaves: SimTime = 0;

  /** @param window longest time for which a write stays at the head of the queue, ps */
  constructor(name: string, target: ThreadTarget, scheduler: Scheduler, random: FastStream, window: SimTime) {
    this.fullName = name;
    this.#target = target;
    this.#scheduler = scheduler;
    this.#random = random;
    this.#window = window;
  }

  /** Posts a write of registers. */
  registerWrite(bar: number, offset: number, words: readonly number[]): void {
    const kept = [...words];
    this.#post(() => this.#target.barWrite(bar, offset, kept));
  }

  /** Posts a write of bytes to memory behind a BAR, within 4 KiB. */
  write(bar: number, offset: number, data: Uint8Array): void {
    const kept = Uint8Array.from(data);
    this.#post(() => this.#target.memoryWriteFrom(bar, offset, kept));
  }

  /** Reads such memory to byte-store offset `dst`, behind all writes of this thread. */
  *read(bar: number, offset: number, dst: number, length: number): Proc<void> {
    yield* this.drained();
    yield* this.#target.memoryRead(bar, offset, dst, length);
  }

  /** Waits until the queue is empty: a store fence. */
  *drained(): Proc<void> {
    while (this.#queue.length > 0) yield* delay(Math.max(1, this.#leaves - this.#scheduler.now));
  }

  /** What waits comes to nothing. */
  reset(): void {
    this.#queue.fill(() => {});
  }

  fire(): void {
    this.#queue.shift()?.();
  }

  #post(go: () => void): void {
    const { now } = this.#scheduler;
    this.#leaves = Math.max(now, this.#leaves) + this.#random.below(this.#window + 1);
    this.#queue.push(go);
    this.#scheduler.scheduleAt(this.#leaves, this, 0);
  }
}
