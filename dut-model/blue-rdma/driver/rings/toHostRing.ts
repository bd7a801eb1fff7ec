/**
 * A ring that the NIC fills (blue-rdma.md section 4): work is found by the valid bit of the next slot; what has been taken
 * is zeroed, then the tail moves. A pair is taken when both of its descriptors are there.
 */
import { DESCRIPTOR_BYTES, DESCRIPTOR_WORDS, HEADER } from '../../layout/descriptors.ts';
import { BLUE_BAR, RING_REGISTER } from '../../layout/registers.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';

export class ToHostRing {
  /** What `take` has found: the descriptor, and the second one of a pair. */
  readonly first = new Int32Array(DESCRIPTOR_WORDS);
  readonly second = new Int32Array(DESCRIPTOR_WORDS);
  readonly #host: ProviderHost;
  readonly #register: number;
  readonly #lo: number;
  #depth = 0;
  #taken = 0;
  #published = 0;

  constructor(host: ProviderHost, register: number, lo: number) {
    this.#host = host;
    this.#register = register;
    this.#lo = lo;
  }

  open(depth: number): void {
    this.#depth = depth;
    this.#taken = 0;
    this.#published = 0;
    // What nobody has written there yet is not zero.
    for (let at = 0; at < this.bytes; at += 4) this.#host.memory.write32(0, this.#lo + at, 0);
    this.#host.bus.barWrite(BLUE_BAR, this.#register + RING_REGISTER.baseLow, [this.#lo]);
    this.#host.bus.barWrite(BLUE_BAR, this.#register + RING_REGISTER.baseHigh, [0]);
    this.#host.area('outbox', 0, this.#lo, this.bytes, true);
  }

  close(): void {
    if (this.#depth > 0) this.#host.area('outbox', 0, this.#lo, this.bytes, false);
    this.#depth = 0;
  }

  /** Most descriptors that a worker takes before others have their turn. */
  get depth(): number {
    return this.#depth;
  }

  get bytes(): number {
    return this.#depth * DESCRIPTOR_BYTES;
  }

  /** True for an address in it; upper half 0. */
  holds(lo: number): boolean {
    return lo >= this.#lo && lo < this.#lo + this.bytes;
  }

  /** Copies the next descriptor, or pair, and frees its slots; false when it is not there as a whole. */
  take(): boolean {
    if (this.#depth === 0 || !this.#copy(this.#taken, this.first)) return false;
    const isPair = ((this.first[HEADER.word] as number) & HEADER.hasNext) !== 0;
    if (isPair && !this.#copy(this.#taken + 1, this.second)) return false;
    this.zero(this.#slot(this.#taken));
    if (isPair) this.zero(this.#slot(this.#taken + 1));
    this.#taken += isPair ? 2 : 1;
    return true;
  }

  /** Gives the slots of what has been taken back to the NIC. */
  publish(): void {
    if (this.#published === this.#taken) return;
    this.#published = this.#taken;
    const tail = this.freed(this.#taken) & (2 * this.#depth - 1);
    this.#host.bus.barWrite(BLUE_BAR, this.#register + RING_REGISTER.tail, [tail]);
  }

  /** Opcode of what was taken. */
  get opcode(): number {
    return ((this.first[HEADER.word] as number) >>> HEADER.opcodeShift) & HEADER.opcodeMask;
  }

  /** It was a pair. */
  get isPair(): boolean {
    return ((this.first[HEADER.word] as number) & HEADER.hasNext) !== 0;
  }

  /** Descriptors that the tail gives back, of those taken; overridable for planting. */
  protected freed(taken: number): number {
    return taken;
  }

  /** Empties the slot at an address; overridable for planting. */
  protected zero(lo: number): void {
    for (let i = 0; i < DESCRIPTOR_WORDS; i++) this.#host.memory.write32(0, lo + 4 * i, 0);
  }

  #slot(n: number): number {
    return this.#lo + (n & (this.#depth - 1)) * DESCRIPTOR_BYTES;
  }

  /** @returns whether it is valid */
  #copy(n: number, to: Int32Array): boolean {
    const lo = this.#slot(n);
    if ((this.#host.memory.read32(0, lo + 4 * HEADER.word) & HEADER.valid) === 0) return false;
    for (let i = 0; i < DESCRIPTOR_WORDS; i++) to[i] = this.#host.memory.read32(0, lo + 4 * i);
    return true;
  }
}
