/**
 * A ring from card to host: report, command response and raw receive rings. Descriptors wait in a FIFO of the NIC for
 * others to fill a block of four with, then for room in the ring: nothing is ever overwritten or dropped.
 */
import { DESCRIPTOR_BYTES, DESCRIPTOR_WORDS, HEADER } from '../layout/descriptors.ts';
import { WRITE_BLOCK } from '../layout/registers.ts';
import type { EventHandler } from '../../../uvm/kernel/scheduler.ts';
import type { BlueCore } from './core.ts';
import { RingPointers } from './ringPointers.ts';

/** Who waits for room in a FIFO. */
export interface ReportUser {
  roomForReports(): void;
}

export class ReportRing implements EventHandler {
  readonly pointers: RingPointers;
  /** Told when there is room again after `hasRoom` said no. */
  user: ReportUser | null = null;
  protected readonly core: BlueCore;
  readonly #fifo: number;
  readonly #capacity: number;
  readonly #mask: number;
  #waiting = 0;
  #flushing = false;
  #refused = false;
  #life = 0;

  constructor(core: BlueCore) {
    this.core = core;
    this.pointers = new RingPointers(core.config.ringDepth);
    this.#capacity = core.config.reportFifo;
    this.#mask = this.#capacity - 1;
    this.#fifo = core.bytes.alloc(this.#capacity * DESCRIPTOR_BYTES);
  }

  reset(): void {
    this.pointers.reset();
    this.#waiting = 0;
    this.#flushing = false;
    this.#refused = false;
    this.#life++;
  }

  /** True when the FIFO takes so many descriptors. */
  hasRoom(n: number): boolean {
    const room = this.#waiting + n <= this.#capacity;
    if (!room) this.#refused = true;
    return room;
  }

  /**
   * Takes a descriptor of zeros but for its header; the caller fills in the others at once and then says `written`.
   * @returns index of its first word in the byte store
   */
  begin(opcode: number, hasNext: boolean): number {
    const slot = (this.pointers.head + this.#waiting) & this.#mask;
    const at = (this.#fifo + slot * DESCRIPTOR_BYTES) >>> 2;
    const w = this.core.bytes.i32;
    w.fill(0, at, at + DESCRIPTOR_WORDS);
    w[at + HEADER.word] = (opcode << HEADER.opcodeShift) | HEADER.valid | (hasNext ? HEADER.hasNext : 0);
    this.#waiting++;
    return at;
  }

  /** The descriptors that were begun are complete. */
  written(): void {
    if ((this.pointers.head & (WRITE_BLOCK - 1)) + this.#waiting >= WRITE_BLOCK) this.#flush();
    else if (!this.#flushing && this.#waiting > 0) {
      this.#flushing = true;
      const { scheduler, config } = this.core;
      scheduler.schedule(this.core.cycles(config.batchCycles), this, this.#life);
    }
  }

  /** The driver has taken descriptors. */
  setTail(value: number): void {
    this.pointers.tail = this.pointers.masked(value);
    if (this.#waiting > 0) this.#flush();
  }

  fire(life: number): void {
    if (life !== this.#life) return;
    this.#flushing = false;
    this.#flush();
  }

  /** Descriptors that may be written now; overridable for planting. */
  protected room(): number {
    return this.pointers.free;
  }

  /** Writes so many descriptors, which lie in one block, to the ring. */
  protected write(n: number): void {
    const p = this.pointers;
    const slot = p.slot(p.head);
    const from = this.#fifo + (p.head & this.#mask) * DESCRIPTOR_BYTES;
    this.core.dma.writeCopy(p.baseHi, p.baseLo + slot * DESCRIPTOR_BYTES, n * DESCRIPTOR_BYTES, from);
    p.head = p.advance(p.head, n);
  }

  #flush(): void {
    while (this.#waiting > 0) {
      const n = Math.min(this.#waiting, this.room(), WRITE_BLOCK - (this.pointers.head & (WRITE_BLOCK - 1)));
      if (n <= 0) break;
      this.write(n);
      this.#waiting -= n;
    }
    if (this.#waiting === 0) this.core.dma.endCopies();
    if (this.#refused && this.#waiting < this.#capacity / 2) {
      this.#refused = false;
      this.user?.roomForReports();
    }
  }
}
