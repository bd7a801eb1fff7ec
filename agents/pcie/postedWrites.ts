import type { SimTime } from '../../uvm/kernel/scheduler.ts';

// Of a write, in `words`: BAR and length in one word, offset in the BAR, data.
const WRITE_LOG2 = 2;
const OFFSET = 1;
const FIRST = 2;
const SECOND = 3;
const LENGTH_SHIFT = 8;
const BAR_FIELD = 0xff;

/**
 * Short host writes on their way to the NIC, oldest first: a ring of words, since thousands of queue pairs may ring
 * their doorbells at once. The fields below are those of the oldest as `read` found it.
 */
export class PostedWrites {
  bar = 0;
  offset = 0;
  /** Bytes, 4 or 8, in `first` and `second`. */
  length = 0;
  first = 0;
  second = 0;

  #words = new Int32Array(16 << WRITE_LOG2);
  /** When each arrives, ps. */
  #times = new Float64Array(16);
  #oldest = 0;
  /** Writes in the ring. */
  size = 0;

  /** Adds a write, of no more than two words. */
  push(bar: number, offset: number, length: number, first: number, second: number, arrival: SimTime): void {
    if (this.size === this.#times.length) this.#grow();
    const i = (this.#oldest + this.size++) & (this.#times.length - 1);
    const words = this.#words;
    const at = i << WRITE_LOG2;
    words[at] = bar | (length << LENGTH_SHIFT);
    words[at + OFFSET] = offset;
    words[at + FIRST] = first;
    words[at + SECOND] = second;
    this.#times[i] = arrival;
  }

  /** Arrival of the oldest write. There must be one. */
  get arrival(): SimTime {
    return this.#times[this.#oldest] as number;
  }

  /** Takes the oldest write out, into the fields. There must be one. */
  shift(): void {
    const words = this.#words;
    const at = this.#oldest << WRITE_LOG2;
    const what = words[at] as number;
    this.bar = what & BAR_FIELD;
    this.length = what >> LENGTH_SHIFT;
    this.offset = words[at + OFFSET] as number;
    this.first = words[at + FIRST] as number;
    this.second = words[at + SECOND] as number;
    this.#oldest = (this.#oldest + 1) & (this.#times.length - 1);
    this.size--;
  }

  #grow(): void {
    const count = this.#times.length;
    const words = new Int32Array((2 * count) << WRITE_LOG2);
    const times = new Float64Array(2 * count);
    // The oldest goes to the front.
    const behind = count - this.#oldest;
    words.set(this.#words.subarray(this.#oldest << WRITE_LOG2));
    words.set(this.#words.subarray(0, this.#oldest << WRITE_LOG2), behind << WRITE_LOG2);
    times.set(this.#times.subarray(this.#oldest));
    times.set(this.#times.subarray(0, this.#oldest), behind);
    this.#words = words;
    this.#times = times;
    this.#oldest = 0;
  }
}
