import { Frame } from '../../dut-model/nic.ts';
import type { BlockPool } from '../../uvm/bytes/blockPool.ts';

/** A frame with the bookkeeping of the link. NICs see the `Frame` part. */
export class LinkFrame extends Frame {
  /** Index in its pool, the argument of its scheduler events. */
  readonly slot: number;
  /** True while its sender fills it. */
  acquired = false;
  /** Sending host, receiving host. */
  from = 0;
  to = 0;
  /** Of its sender and of its receiver: a cable or switch joins ports of the same number. */
  port = 1;
  /** The switch port that it has yet to leave by (-1: next stop is the NIC). */
  egress = -1;
  /** `FrameItem.tag`. */
  tag = 0;
  /** `FrameItem.icrc` of what was sent. */
  sentIcrc = 0;
  /** True for a private copy that a fault rule changed. */
  edited = false;
  /** True where its receiver will not take it for what was sent. */
  damaged = false;

  constructor(slot: number) {
    super();
    this.slot = slot;
  }
}

/** Frames for reuse, named by slot numbers. */
export class FramePool {
  /** All frames ever made, by slot. */
  readonly slots: LinkFrame[] = [];
  readonly #free: LinkFrame[] = [];
  readonly #blocks: BlockPool;
  #closed = false;

  constructor(blocks: BlockPool) {
    this.#blocks = blocks;
  }

  /** A frame with a fresh block, for a sender. */
  acquire(): LinkFrame {
    const frame = this.take();
    frame.block = this.#blocks.acquire();
    frame.data = this.#blocks.offset(frame.block);
    frame.acquired = true;
    return frame;
  }

  /** A frame without a block. */
  take(): LinkFrame {
    return this.#free.pop() ?? this.#grow();
  }

  /** True when the frame came from this pool and is still with its sender. */
  isAcquired(frame: LinkFrame): boolean {
    return frame.acquired === true && this.slots[frame.slot] === frame;
  }

  /** Takes a frame back and releases its block. */
  release(frame: LinkFrame): void {
    if (frame.block >= 0) this.#blocks.release(frame.block);
    frame.block = -1;
    frame.data = 0;
    frame.length = 0;
    frame.readyAt = 0;
    frame.acquired = false;
    frame.egress = -1;
    frame.edited = false;
    frame.tag = 0;
    frame.sentIcrc = 0;
    frame.damaged = false;
    frame.fcsError = false;
    frame.sealed = false;
    this.#free.push(frame);
  }

  /** Nothing is sent any more: neither what senders have by now nor what they still acquire counts as theirs. */
  close(): void {
    this.#closed = true;
    this.#free.length = 0;
    for (const frame of this.slots) frame.acquired = false;
  }

  /** Whether nothing is sent any more. */
  get isClosed(): boolean {
    return this.#closed;
  }

  #grow(): LinkFrame {
    if (this.#closed) return new LinkFrame(-1);
    const frame = new LinkFrame(this.slots.length);
    this.slots.push(frame);
    return frame;
  }
}
