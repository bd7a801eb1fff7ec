/**
 * Simple NIC: raw frames of the driver go out as they are, in order; received frames that are not RDMA's go into slots of
 * host memory. It never holds up the RDMA path: a frame that finds no slot is dropped (blue-rdma.md section 14).
 */
import {
  DESCRIPTOR_WORDS,
  MAX_RAW_FRAME,
  MOST_RAW_SLOTS,
  RAW_DESCRIPTOR,
  RAW_SLOT_BYTES,
  HEADER,
} from '../layout/descriptors.ts';
import { READ_BLOCK } from '../layout/registers.ts';
import type { DmaClient } from '../../roce/dmaEngine.ts';
import type { Frame } from '../../nic.ts';
import { FRAME_START, MIN_FRAME } from '../../roce/frameLayout.ts';
import type { BlueCore } from './core.ts';
import type { DescriptorSink } from './fetchRing.ts';
import type { Port } from './port.ts';
import type { ReportRing } from './reportRing.ts';

const WAITING = 2 * READ_BLOCK;

export class RawUnit implements DescriptorSink, DmaClient {
  /** Both set once after construction. */
  received!: ReportRing;
  more!: () => void;
  /** Frames that were too long or too short to be sent. */
  refused = 0;
  readonly #core: BlueCore;
  readonly #port: Port;
  readonly #queue = new Int32Array(WAITING * DESCRIPTOR_WORDS);
  #first = 0;
  #count = 0;
  #frame: Frame | null = null;
  #slotsHi = 0;
  #slotsLo = 0;
  #slot = 0;
  /** Frames written whose descriptor is not in the ring yet, and those in it, are in use. */
  readonly #slots: number;
  #begun = 0;

  constructor(core: BlueCore, port: Port) {
    this.#core = core;
    this.#port = port;
    this.#slots = Math.min(MOST_RAW_SLOTS, core.config.ringDepth);
  }

  reset(): void {
    if (this.#frame !== null) this.#core.blocks.release(this.#frame.block);
    this.#frame = null;
    this.#count = 0;
    this.#slot = 0;
    this.#begun = 0;
    this.refused = 0;
    this.setSlots(0, 0);
  }

  setSlots(hi: number, lo: number): void {
    this.#slotsHi = hi;
    this.#slotsLo = lo;
  }

  hasRoom(): boolean {
    return this.#count + READ_BLOCK <= WAITING;
  }

  take(_ring: number, at: number): void {
    const to = ((this.#first + this.#count++) % WAITING) * DESCRIPTOR_WORDS;
    for (let i = 0; i < DESCRIPTOR_WORDS; i++) this.#queue[to + i] = this.#core.bytes.i32[(at >>> 2) + i] as number;
  }

  taken(): void {
    this.#next();
  }

  dmaDone(_arg: number, ok: boolean): void {
    const { scheduler, config } = this.#core;
    const frame = this.#frame as Frame;
    this.#frame = null;
    frame.readyAt = scheduler.now + this.#core.cycles(config.sendCycles);
    if (ok) this.#port.send(frame);
    else this.#core.blocks.release(frame.block);
    this.#next();
  }

  /** A frame that is not RDMA's. */
  receive(block: number, data: number, length: number): void {
    const { pointers } = this.received;
    const free = this.#slots - ((this.#begun - pointers.tail) & (2 * pointers.depth - 1));
    if (this.#slotsLo === 0 && this.#slotsHi === 0) this.#core.count(0, 'discarded');
    else if (length > RAW_SLOT_BYTES || free <= 0 || !this.received.hasRoom(1)) this.#core.count(0, 'discarded');
    else this.#write(block, data, length);
  }

  #write(block: number, data: number, length: number): void {
    const core = this.#core;
    core.count(0, 'toRaw');
    core.dma.write(this.#slotsHi, this.#slotsLo + this.#slot * RAW_SLOT_BYTES, length, data, block);
    const at = this.received.begin(0, false);
    const w = core.bytes.i32;
    w[at + HEADER.word] = (w[at + HEADER.word] as number) | HEADER.extended;
    w[at + RAW_DESCRIPTOR.slot] = this.#slot;
    w[at + RAW_DESCRIPTOR.length] = length;
    this.received.written();
    this.#slot = (this.#slot + 1) % this.#slots;
    this.#begun = (this.#begun + 1) & (2 * this.received.pointers.depth - 1);
  }

  #next(): void {
    while (this.#frame === null && this.#count > 0) {
      const at = this.#first * DESCRIPTOR_WORDS;
      this.#first = (this.#first + 1) % WAITING;
      this.#count--;
      this.#send(
        this.#queue[at + RAW_DESCRIPTOR.addressHi] as number,
        this.#queue[at + RAW_DESCRIPTOR.addressLo] as number,
        (this.#queue[at + RAW_DESCRIPTOR.length] as number) >>> 0,
      );
      this.more();
    }
  }

  #send(hi: number, lo: number, length: number): void {
    if (length === 0 || length > MAX_RAW_FRAME) {
      this.refused++;
      return;
    }
    const core = this.#core;
    const frame = core.link.acquire();
    const block = core.blocks.offset(frame.block);
    frame.data = block + FRAME_START;
    frame.length = Math.max(length, MIN_FRAME);
    for (let at = length; at < MIN_FRAME; at++) core.bytes.u8[frame.data + at] = 0;
    this.#frame = frame;
    core.dma.read(hi, lo, length, frame.data, this);
  }
}
