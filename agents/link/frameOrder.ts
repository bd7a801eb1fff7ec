import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import type { Subscriber } from '../../uvm/tlm/analysisPort.ts';
import { FrameItem } from './linkItems.ts';
import { BLOCK_BYTES } from '../../dut-model/nic.ts';

/** A frame that has not begun yet. */
class Kept extends FrameItem {
  /** Byte-store offset of its copy. */
  readonly copy: number;

  constructor(copy: number) {
    super();
    this.copy = copy;
  }
}

/**
 * Passes frames on in the order of their times, those of one time in the order in which they came. NICs hand frames over
 * ahead of time, and one may overtake that of another NIC which has to wait longer for its transmitter. A frame that
 * begins in the future is kept until another one comes at or after its time: none that comes later can begin before now.
 */
export class FrameOrder implements Subscriber<FrameItem> {
  readonly #bytes: ByteStore;
  readonly #clock: { readonly now: number };
  readonly #target: Subscriber<FrameItem>;
  /** By time. */
  readonly #kept: Kept[] = [];
  readonly #free: Kept[] = [];

  constructor(bytes: ByteStore, clock: { readonly now: number }, target: Subscriber<FrameItem>) {
    this.#bytes = bytes;
    this.#clock = clock;
    this.#target = target;
  }

  write(frame: FrameItem): void {
    const { now } = this.#clock;
    this.#passOn(now);
    if (frame.time <= now) this.#target.write(frame);
    else this.#keep(frame);
  }

  /** Passes on what is kept. No frame may come afterwards that begins earlier. */
  flush(): void {
    this.#passOn(Number.POSITIVE_INFINITY);
  }

  #passOn(until: number): void {
    const kept = this.#kept;
    let count = 0;
    for (; count < kept.length; count++) {
      const frame = kept[count] as Kept;
      if (frame.time > until) break;
      this.#target.write(frame);
      this.#free.push(frame);
    }
    if (count > 0) kept.splice(0, count);
  }

  #keep(frame: FrameItem): void {
    const copy = this.#free.pop() ?? new Kept(this.#bytes.alloc(BLOCK_BYTES, 4));
    copy.host = frame.host;
    copy.port = frame.port;
    copy.to = frame.to;
    copy.data = copy.copy;
    copy.length = frame.length;
    copy.time = frame.time;
    copy.end = frame.end;
    copy.arrives = frame.arrives;
    copy.injected = frame.injected;
    this.#bytes.copy(copy.copy, frame.data, frame.length);
    const kept = this.#kept;
    let at = kept.length;
    while (at > 0 && (kept[at - 1] as Kept).time > frame.time) at--;
    kept.splice(at, 0, copy);
  }
}
