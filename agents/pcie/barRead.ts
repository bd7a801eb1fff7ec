import type { Waitable, Waiter } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { hex } from '../../uvm/report/hexTexts.ts';

/** Who gets the answer to a read without being a process. */
export interface BarReader {
  barRead(arg: number, value: number): void;
  /** What it waits for, as the end of a message: `host 0 waits for the end of QUERY_ADAPTER since 0ns`. */
  describeWait?(): string;
}

/** A BAR read under way: what the reading process waits for, unless there is a reader. */
export class BarRead implements Waitable {
  readonly bar: number;
  readonly offset: number;
  readonly dst: number;
  /** When it was sent. */
  readonly since: SimTime;
  /** True once the reader has its value, from the NIC or by time-out. */
  done = false;
  /** The read that was sent next. */
  next: BarRead | null = null;
  readonly #reader: BarReader | null;
  readonly #arg: number;
  #waiter: Waiter | null = null;

  /** @param dst byte-store offset that the bytes of memory go to; -1: a register is read */
  constructor(bar: number, offset: number, since: SimTime, reader: BarReader | null, arg: number, dst = -1) {
    this.dst = dst;
    this.bar = bar;
    this.offset = offset;
    this.since = since;
    this.#reader = reader;
    this.#arg = arg;
  }

  park(waiter: Waiter): void {
    this.#waiter = waiter;
  }

  unpark(_waiter: Waiter): void {
    this.#waiter = null;
  }

  describe(): string {
    return `answer to the read of BAR ${this.bar} at ${hex(this.offset)}`;
  }

  /** What its reader waits for, to go on a message with; '' where that is not known. */
  describeWait(): string {
    const wait = this.#reader?.describeWait?.();
    return wait === undefined ? '' : `; ${wait}`;
  }

  /** Hands the value to the reader. Nothing happens the second time, or when the reader has been killed. */
  finish(value: number): void {
    if (this.done) return;
    this.done = true;
    this.#reader?.barRead(this.#arg, value);
    this.#waiter?.wake(value, this);
    this.#waiter = null;
  }
}
