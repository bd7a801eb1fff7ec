/** A link between two NICs: a rate, a delay, and whatever a spec wants to happen to a frame. */
import { Frame, type LinkUpstream, type Nic } from '../../../../dut-model/nic.ts';
import type { BlockPool } from '../../../../uvm/bytes/blockPool.ts';
import type { ByteStore } from '../../../../uvm/bytes/byteStore.ts';
import type { EventHandler, Scheduler } from '../../../../uvm/kernel/scheduler.ts';

/** What happens to a frame: it is lost, or arrives after so many ps more, as often as there are numbers. */
export type FrameFate = readonly number[];

/** A frame as a spec sees it, with its bytes. */
export interface SeenFrame {
  readonly from: number;
  readonly bytes: Uint8Array;
  /** Counts the frames of its sender. */
  readonly index: number;
}

export class BlueLink {
  readonly frames: SeenFrame[] = [];
  /** Fate of each frame; default: it arrives. */
  fate: (frame: SeenFrame) => FrameFate = () => [0];
  readonly ends: readonly LinkEnd[];
  /** Bytes of frames are kept in `frames`. */
  keep = true;

  constructor(scheduler: Scheduler, bytes: ByteStore, blocks: BlockPool, gbps = 100, delayPs = 1_000_000) {
    this.ends = [0, 1].map((from) => new LinkEnd(this, from, scheduler, bytes, blocks, gbps, delayPs));
  }

  join(nics: readonly [Nic, Nic]): void {
    (this.ends[0] as LinkEnd).peer = nics[1];
    (this.ends[1] as LinkEnd).peer = nics[0];
  }
}

class LinkEnd implements LinkUpstream, EventHandler {
  freeAt = 0;
  peer!: Nic;
  readonly #link: BlueLink;
  readonly #from: number;
  readonly #scheduler: Scheduler;
  readonly #bytes: ByteStore;
  readonly #blocks: BlockPool;
  readonly #gbps: number;
  readonly #delay: number;
  readonly #flying = new Map<number, Frame>();
  #count = 0;
  #next = 0;

  constructor(
    link: BlueLink,
    from: number,
    scheduler: Scheduler,
    bytes: ByteStore,
    blocks: BlockPool,
    gbps: number,
    delay: number,
  ) {
    this.#link = link;
    this.#from = from;
    this.#scheduler = scheduler;
    this.#bytes = bytes;
    this.#blocks = blocks;
    this.#gbps = gbps;
    this.#delay = delay;
  }

  acquire(): Frame {
    const frame = new Frame();
    frame.block = this.#blocks.acquire();
    frame.data = this.#blocks.offset(frame.block);
    return frame;
  }

  send(frame: Frame): void {
    const start = Math.max(this.freeAt, frame.readyAt, this.#scheduler.now);
    this.freeAt = start + Math.ceil(((frame.length + 24) * 8000) / this.#gbps);
    const bytes = this.#bytes.u8.slice(frame.data, frame.data + frame.length);
    const seen = { from: this.#from, bytes, index: this.#count++ };
    if (this.#link.keep) this.#link.frames.push(seen);
    for (const extra of this.#link.fate(seen)) {
      this.#blocks.retain(frame.block);
      this.#flying.set(this.#next, frame);
      this.#scheduler.scheduleAt(this.freeAt + this.#delay + extra, this, this.#next++);
    }
    this.#blocks.release(frame.block);
  }

  fire(n: number): void {
    const frame = this.#flying.get(n) as Frame;
    this.#flying.delete(n);
    this.peer.receive(frame, 1);
    this.#blocks.release(frame.block);
  }
}
