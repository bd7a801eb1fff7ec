import type { ByteStore } from './byteStore.ts';
import { type Checkpoint, Checkpoints } from './checkpoints.ts';
import { TWO_32 } from './words.ts';

/**
 * Fingerprint of everything that crossed the ports of the device under test, in order: what replay asserts.
 *
 * 128 bits, folded as events happen; not cryptographic. The same events give the same digest on every machine and with
 * either implementation of the byte store.
 */
export class Transcript {
  /** Events recorded. */
  events = 0;

  readonly #store: ByteStore;
  /** 16 bytes of state, then 16 of scratch for `digest`. */
  readonly #state: number = 0;
  readonly #checkpoints = new Checkpoints();
  /** Number of events at which the next checkpoint is due. */
  #due = 0;

  constructor(store: ByteStore) {
    this.#store = store;
    this.#state = store.alloc(32);
    store.hashWords(this.#state, 0x524e4943, 0x54525331, 0, 0, 0);
    this.#due = this.#checkpoints.due;
  }

  /** What it was on the way, at a few dozen points. */
  get checkpoints(): readonly Checkpoint[] {
    return this.#checkpoints.taken;
  }

  /**
   * Folds one event in that has no payload, or one of which `bytes` follows.
   * @param kind what happened, 0 .. 2047
   * @param port where, 0 .. 255
   * @param time when, in ps
   * @param hi upper and `lo` lower half of the address, or any other two words
   * @param length in bytes, below 2^24
   */
  record(kind: number, port: number, time: number, hi: number, lo: number, length: number): void {
    if (this.events++ === this.#due) this.#mark(time);
    // A time has 53 bits: its upper 21 share a word with the kind.
    this.#store.hashWords(this.#state, time, (time / TWO_32) | (kind << 21), hi, lo, length | (port << 24));
  }

  /** As `record` with a payload: folds in the `length` bytes at offset `off` of the store too. */
  message(kind: number, port: number, time: number, hi: number, lo: number, length: number, off: number): void {
    if (this.events++ === this.#due) this.#mark(time);
    const last = length | (port << 24);
    this.#store.hashMessage(this.#state, time, (time / TWO_32) | (kind << 21), hi, lo, last, off, length);
  }

  /** As `message`, of which only the first `n` bytes are folded in, because `hi` and `lo` stand for the others. */
  beginning(
    kind: number,
    port: number,
    time: number,
    hi: number,
    lo: number,
    length: number,
    off: number,
    n: number,
  ): void {
    if (this.events++ === this.#due) this.#mark(time);
    const last = length | (port << 24);
    this.#store.hashMessage(this.#state, time, (time / TWO_32) | (kind << 21), hi, lo, last, off, n);
  }

  /** As `message`, and copies the payload from offset `src` to `dst`, which it must not overlap. */
  copied(
    kind: number,
    port: number,
    time: number,
    hi: number,
    lo: number,
    length: number,
    dst: number,
    src: number,
  ): void {
    if (this.events++ === this.#due) this.#mark(time);
    const last = length | (port << 24);
    this.#store.copyHashed(this.#state, time, (time / TWO_32) | (kind << 21), hi, lo, last, dst, src, length);
  }

  /** As `message`, of a payload that is made first: the seeded contents at (key, position), written to offset `dst`. */
  made(
    kind: number,
    port: number,
    time: number,
    hi: number,
    lo: number,
    length: number,
    dst: number,
    key: number,
    position: number,
  ): void {
    if (this.events++ === this.#due) this.#mark(time);
    const last = length | (port << 24);
    this.#store.fillHashed(this.#state, time, (time / TWO_32) | (kind << 21), hi, lo, last, key, position, dst, length);
  }

  /** Folds n bytes at offset `off` of the store in. */
  bytes(off: number, n: number): void {
    this.#store.hashInto(this.#state, off, n);
  }

  /** The fingerprint so far as 32 hexadecimal digits; recording may go on afterwards. */
  digest(): string {
    return this.#digestOf(this.events);
  }

  /** An event that happens at `time` is counted already, and about to be folded in. */
  #mark(time: number): void {
    this.#checkpoints.take(time, this.#digestOf(this.#due));
    this.#due = this.#checkpoints.due;
  }

  #digestOf(events: number): string {
    const store = this.#store;
    const copy = this.#state + 16;
    store.copy(copy, this.#state, 16);
    for (let i = 0; i < 4; i++) store.hashWords(copy, events, i, 0, 0, 0);
    let text = '';
    for (let i = 0; i < 4; i++) {
      text += ((store.i32[(copy >>> 2) + i] as number) >>> 0).toString(16).padStart(8, '0');
    }
    return text;
  }
}
