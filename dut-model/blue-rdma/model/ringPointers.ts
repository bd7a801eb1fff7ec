/**
 * Base and pointers of a ring (blue-rdma.md section 4): index bits and a guard bit, so that a full ring and an empty one
 * differ. Arithmetic modulo twice the depth.
 */
export class RingPointers {
  readonly depth: number;
  baseHi = 0;
  baseLo = 0;
  /** Next slot of the producer, and of the consumer. */
  head = 0;
  tail = 0;

  constructor(depth: number) {
    this.depth = depth;
  }

  reset(): void {
    this.baseHi = 0;
    this.baseLo = 0;
    this.head = 0;
    this.tail = 0;
  }

  /** Descriptors in the ring. */
  get used(): number {
    return this.distance(this.head, this.tail);
  }

  get free(): number {
    return this.depth - this.used;
  }

  advance(pointer: number, n: number): number {
    return (pointer + n) & (2 * this.depth - 1);
  }

  /** Slot that a pointer names. */
  slot(pointer: number): number {
    return pointer & (this.depth - 1);
  }

  /** What a register write makes of a pointer. */
  masked(value: number): number {
    return value & (2 * this.depth - 1);
  }

  protected distance(head: number, tail: number): number {
    return (head - tail) & (2 * this.depth - 1);
  }
}
