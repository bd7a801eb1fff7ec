/**
 * A ring from host to card: send, command request and raw send rings. The driver moves the head; what it has put there is
 * read in pieces within aligned blocks of 16 descriptors, one read at a time, and the tail moves on once they are here.
 */
import { DESCRIPTOR_BYTES } from '../layout/descriptors.ts';
import { READ_BLOCK } from '../layout/registers.ts';
import type { DmaClient } from '../../roce/dmaEngine.ts';
import type { BlueCore } from './core.ts';
import { RingPointers } from './ringPointers.ts';

/** Who works on the descriptors of a ring. */
export interface DescriptorSink {
  /** True when a block of descriptors can be taken. */
  hasRoom(ring: number): boolean;
  /** A descriptor is at byte-store offset `at`, during the call only. */
  take(ring: number, at: number): void;
  /** All descriptors of a read have been taken. */
  taken(ring: number): void;
}

export class FetchRing implements DmaClient {
  readonly pointers: RingPointers;
  readonly #core: BlueCore;
  readonly #sink: DescriptorSink;
  readonly #ring: number;
  readonly #buffer: number;
  #reading = 0;

  /** @param ring number by which the sink knows it */
  constructor(core: BlueCore, sink: DescriptorSink, ring = 0) {
    this.#core = core;
    this.#sink = sink;
    this.#ring = ring;
    this.pointers = new RingPointers(core.config.ringDepth);
    this.#buffer = core.bytes.alloc(READ_BLOCK * DESCRIPTOR_BYTES);
  }

  reset(): void {
    this.pointers.reset();
    this.#reading = 0;
  }

  /** The driver has moved the head. */
  setHead(value: number): void {
    this.pointers.head = this.pointers.masked(value);
    this.fetch();
  }

  /** Reads on, if there is something to read and room for it. */
  fetch(): void {
    const p = this.pointers;
    if (this.#reading > 0 || p.used === 0 || !this.#sink.hasRoom(this.#ring)) return;
    const slot = this.slotOf(p.tail);
    const rest = this.blockRest(slot);
    const n = Math.min(p.used, rest);
    this.#reading = n;
    const lo = p.baseLo + slot * DESCRIPTOR_BYTES;
    this.#core.dma.read(p.baseHi, lo, this.lengthOf(n, rest) * DESCRIPTOR_BYTES, this.#buffer, this);
  }

  dmaDone(_arg: number, ok: boolean): void {
    const n = this.#reading;
    this.#reading = 0;
    this.pointers.tail = this.pointers.advance(this.pointers.tail, n);
    if (ok) for (let i = 0; i < n; i++) this.#sink.take(this.#ring, this.#buffer + i * DESCRIPTOR_BYTES);
    this.#sink.taken(this.#ring);
    this.fetch();
  }

  /** Slot that is read next; overridable for planting. */
  protected slotOf(tail: number): number {
    return this.pointers.slot(tail);
  }

  /** Descriptors that are read, of `n` that are there and `rest` of the block; overridable for planting. */
  protected lengthOf(n: number, _rest: number): number {
    return n;
  }

  /** Descriptors up to the end of the aligned block that a slot is in; overridable for planting. */
  protected blockRest(slot: number): number {
    return Math.min(READ_BLOCK - (slot & (READ_BLOCK - 1)), this.pointers.depth - slot);
  }
}
