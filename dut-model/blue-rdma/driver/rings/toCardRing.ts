/**
 * A ring that the driver fills (blue-rdma.md section 4): descriptors first, then the head. The tail is asked for when the
 * ring seems full; the pointers keep their guard bits.
 */
import type { BarReader } from '../../../../agents/pcie/barRead.ts';
import { DESCRIPTOR_BYTES, DESCRIPTOR_WORDS } from '../../layout/descriptors.ts';
import { BLUE_BAR, RING_REGISTER } from '../../layout/registers.ts';
import type { ProviderHost } from '../../../../env/providers/provider.ts';

export class ToCardRing implements BarReader {
  /** Descriptors written so far, without end; its low bits are the head. */
  written = 0;
  /** Descriptors that the NIC had fetched when it was last asked. */
  fetched = 0;
  readonly #host: ProviderHost;
  readonly #register: number;
  readonly #lo: number;
  #depth = 0;
  #published = 0;
  #asking: (() => void)[] = [];

  /** @param register address of its registers; @param lo where it lies, in the kernel's memory */
  constructor(host: ProviderHost, register: number, lo: number) {
    this.#host = host;
    this.#register = register;
    this.#lo = lo;
  }

  /** Empty, with its base in the NIC. */
  open(depth: number): void {
    this.#depth = depth;
    this.written = 0;
    this.fetched = 0;
    this.#published = 0;
    this.#asking = [];
    this.#host.bus.barWrite(BLUE_BAR, this.#register + RING_REGISTER.baseLow, [this.#lo]);
    this.#host.bus.barWrite(BLUE_BAR, this.#register + RING_REGISTER.baseHigh, [0]);
    this.#host.area('queue', 0, this.#lo, this.bytes, true);
  }

  close(): void {
    if (this.#depth > 0) this.#host.area('queue', 0, this.#lo, this.bytes, false);
    this.#depth = 0;
  }

  get bytes(): number {
    return this.#depth * DESCRIPTOR_BYTES;
  }

  get depth(): number {
    return this.#depth;
  }

  /** Slots that are free for sure. */
  get free(): number {
    return this.#depth - (this.written - this.fetched);
  }

  /** Puts a descriptor of eight words into the next slot, which must be free. */
  put(words: Int32Array): void {
    const lo = this.#lo + (this.written & (this.#depth - 1)) * DESCRIPTOR_BYTES;
    for (let i = 0; i < DESCRIPTOR_WORDS; i++) this.#host.memory.write32(0, lo + 4 * i, words[i] as number);
    this.written++;
  }

  /** Shows the NIC what has been put. */
  publish(): void {
    if (this.#published === this.written) return;
    this.#published = this.written;
    const head = this.shown() & (2 * this.#depth - 1);
    this.#host.bus.barWrite(BLUE_BAR, this.#register + RING_REGISTER.head, [head]);
  }

  /** Asks for the tail; `then` is called when `fetched` is new. */
  ask(then: () => void): void {
    this.#asking.push(then);
    if (this.#asking.length === 1) this.#host.bus.barReadTo(BLUE_BAR, this.#register + RING_REGISTER.tail, this, 0);
  }

  /** Descriptors that the head shows; overridable for planting. */
  protected shown(): number {
    return this.written;
  }

  /** Descriptors fetched since `fetched`, by the tail; overridable for planting. */
  protected passed(tail: number): number {
    return (tail - this.fetched) & (2 * this.#depth - 1);
  }

  barRead(_arg: number, tail: number): void {
    if (this.#depth === 0) return;
    this.fetched += this.passed(tail);
    const asking = this.#asking;
    this.#asking = [];
    for (const then of asking) then();
  }
}
