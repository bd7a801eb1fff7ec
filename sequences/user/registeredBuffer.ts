import type { Sge } from '../../agents/verbs/verbsItems.ts';

/** Registered memory that a user sequence works with: a range, and the key that opens it (local and remote alike). */
export class RegisteredBuffer {
  /** First byte, signed halves. */
  readonly hi: number;
  readonly lo: number;
  /** Bytes. */
  readonly length: number;
  readonly key: number;

  constructor(hi: number, lo: number, length: number, key: number) {
    this.hi = hi;
    this.lo = lo;
    this.length = length;
    this.key = key;
  }

  /**
   * Part of this buffer, under the same key.
   * @throws RangeError when it leaves the buffer
   */
  part(offset: number, length: number): RegisteredBuffer {
    if (offset < 0 || length < 0 || offset + length > this.length) {
      throw new RangeError(`part ${offset} + ${length} leaves the buffer of ${this.length} bytes; make it larger`);
    }
    const lo = (this.lo >>> 0) + offset;
    return new RegisteredBuffer((this.hi + Math.floor(lo / 2 ** 32)) | 0, lo | 0, length, this.key);
  }

  /** Cuts the buffer into `count` parts of equal length; what is left over stays unused. */
  split(count: number): RegisteredBuffer[] {
    const length = Math.floor(this.length / count);
    return Array.from({ length: count }, (_, i) => this.part(i * length, length));
  }

  /** Makes a scatter/gather entry of it. */
  fill(sge: Sge): void {
    sge.hi = this.hi;
    sge.lo = this.lo;
    sge.length = this.length;
    sge.lkey = this.key;
  }
}
