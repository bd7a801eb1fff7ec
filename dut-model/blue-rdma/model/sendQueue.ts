/** Joins pairs of send descriptors to chunks: one queue for each channel, served in turns (blue-rdma.md section 4). */
import { DESCRIPTOR_WORDS, HEADER } from '../layout/descriptors.ts';
import { READ_BLOCK } from '../layout/registers.ts';
import type { BlueCore } from './core.ts';
import type { DescriptorSink, FetchRing } from './fetchRing.ts';
import { SendChunk } from './sendChunk.ts';

/** Chunks that wait in a channel before its ring is read on. */
const WAITING = READ_BLOCK;

/** Who makes packets of chunks. */
export interface ChunkUser {
  chunksArrived(): void;
}

class Channel {
  /** The first descriptor of a pair whose second one is not here yet. */
  readonly half = new Int32Array(DESCRIPTOR_WORDS);
  isHalf = false;
  first: SendChunk | null = null;
  last: SendChunk | null = null;
  count = 0;
}

export class SendQueue implements DescriptorSink {
  /** Both set once after construction. */
  rings!: readonly FetchRing[];
  user!: ChunkUser;
  /** Descriptors that were no part of a pair. */
  broken = 0;
  protected readonly core: BlueCore;
  readonly #channels: readonly Channel[];
  #turn = 0;
  #free: SendChunk | null = null;

  constructor(core: BlueCore) {
    this.core = core;
    this.#channels = Array.from({ length: core.config.channels }, () => new Channel());
  }

  reset(): void {
    this.broken = 0;
    for (const channel of this.#channels) {
      channel.isHalf = false;
      channel.first = null;
      channel.count = 0;
    }
  }

  hasRoom(channel: number): boolean {
    return (this.#channels[channel] as Channel).count + READ_BLOCK / 2 <= WAITING;
  }

  take(channel: number, at: number): void {
    const c = this.#channels[channel] as Channel;
    const w = this.core.bytes.i32;
    const from = at >>> 2;
    const header = w[from + HEADER.word] as number;
    const hasNext = (header & HEADER.hasNext) !== 0;
    if (c.isHalf) this.#join(c, from);
    else if (hasNext) {
      for (let i = 0; i < DESCRIPTOR_WORDS; i++) c.half[i] = w[from + i] as number;
      c.isHalf = true;
    } else this.broken++;
  }

  taken(channel: number): void {
    this.endOfRead(channel);
    this.user.chunksArrived();
  }

  /** The next chunk in the order of turns, or null. It is the caller's until `release`. */
  next(): SendChunk | null {
    for (let i = 0; i < this.#channels.length; i++) {
      const n = (this.#turn + i) % this.#channels.length;
      const channel = this.#channels[n] as Channel;
      if (channel.first === null) continue;
      this.#turn = n + 1;
      return this.#shift(channel, n);
    }
    return null;
  }

  release(chunk: SendChunk): void {
    chunk.next = this.#free;
    this.#free = chunk;
  }

  /** A pair may be cut by the end of a read: what has come of it is kept. Overridable for planting. */
  protected endOfRead(_channel: number): void {}

  /** For planting. */
  protected dropHalf(channel: number): void {
    (this.#channels[channel] as Channel).isHalf = false;
  }

  #join(c: Channel, from: number): void {
    const chunk = this.#free ?? new SendChunk();
    this.#free = chunk.next;
    chunk.next = null;
    const opcode = ((c.half[HEADER.word] as number) >>> HEADER.opcodeShift) & HEADER.opcodeMask;
    chunk.parse(c.half, 0, this.core.bytes.i32, from, opcode);
    c.isHalf = false;
    if (c.first === null) c.first = chunk;
    else (c.last as SendChunk).next = chunk;
    c.last = chunk;
    c.count++;
  }

  #shift(channel: Channel, n: number): SendChunk {
    const chunk = channel.first as SendChunk;
    channel.first = chunk.next;
    chunk.next = null;
    channel.count--;
    (this.rings[n] as FetchRing).fetch();
    return chunk;
  }
}
