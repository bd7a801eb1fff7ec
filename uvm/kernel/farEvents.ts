import { widened } from '../bytes/widened.ts';
import type { ScheduledEvent } from './scheduledEvent.ts';
import type { SimTime } from './eventHandler.ts';

/** Events beyond the reach of the scheduler's wheel: a binary heap, first come first served among equals. */
export class FarEvents {
  /** Number of events, and time of the first one; infinite when there is none. */
  length = 0;
  time: SimTime = Number.POSITIVE_INFINITY;
  /** All events of the scheduler by their ids. */
  readonly #events: readonly ScheduledEvent[];
  #heap: Int32Array = new Int32Array(256);
  #sequence = 0;

  constructor(events: readonly ScheduledEvent[]) {
    this.#events = events;
  }

  push(e: ScheduledEvent): void {
    e.sequence = this.#sequence++;
    if (this.length === this.#heap.length) this.#heap = widened(this.#heap, this.length + 1);
    const heap = this.#heap;
    let i = this.length++;
    while (i > 0) {
      const p = (i - 1) >> 1;
      const x = heap[p] as number;
      if (!isBefore(e, this.#events[x] as ScheduledEvent)) break;
      heap[i] = x;
      i = p;
    }
    heap[i] = e.id;
    this.#noteTime();
  }

  /** Takes the first event; there must be one. */
  pop(): ScheduledEvent {
    const heap = this.#heap;
    const events = this.#events;
    const first = events[heap[0] as number] as ScheduledEvent;
    const n = --this.length;
    const last = heap[n] as number;
    const moved = events[last] as ScheduledEvent;
    let i = 0;
    for (;;) {
      let c = 2 * i + 1;
      if (c >= n) break;
      if (c + 1 < n && isBefore(this.#at(c + 1), this.#at(c))) c++;
      if (!isBefore(this.#at(c), moved)) break;
      heap[i] = heap[c] as number;
      i = c;
    }
    heap[i] = last;
    this.#noteTime();
    return first;
  }

  #at(i: number): ScheduledEvent {
    return this.#events[this.#heap[i] as number] as ScheduledEvent;
  }

  #noteTime(): void {
    this.time = this.length > 0 ? this.#at(0).time : Number.POSITIVE_INFINITY;
  }
}

function isBefore(a: ScheduledEvent, b: ScheduledEvent): boolean {
  if (a.time !== b.time) return a.time < b.time;
  if (a.region !== b.region) return a.region < b.region;
  return a.sequence < b.sequence;
}
