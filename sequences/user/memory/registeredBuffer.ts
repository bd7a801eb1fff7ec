import type { Sge } from '../../../agents/verbs/verbsItems.ts';
import type { Mr } from '../../../env/verbs/verbsObjects.ts';
import { carried } from '../../../uvm/bytes/words.ts';

/** No region has this key. @public */
export const NO_KEY = 0x7777;

/**
 * Registered memory that a user sequence works with: a range, and the key that opens it (local and remote alike).
 * @public
 */
export class RegisteredBuffer {
  /** First byte, signed halves. */
  readonly hi: number;
  readonly lo: number;
  /** Bytes. */
  readonly length: number;
  readonly key: number;
  /** The region that it is, or is a part of; undefined for a range and a key that were put together by hand. */
  readonly mr: Mr | undefined;

  constructor(hi: number, lo: number, length: number, key: number, mr?: Mr) {
    this.hi = hi;
    this.lo = lo;
    this.length = length;
    this.key = key;
    this.mr = mr;
  }

  /**
   * Part of this buffer, under the same key.
   * @throws RangeError when it leaves the buffer, or offset and length are no whole numbers
   */
  part(offset: number, length: number): RegisteredBuffer {
    if (!(Number.isInteger(offset) && Number.isInteger(length))) {
      throw new RangeError(`part(${offset}, ${length}): give whole numbers of bytes, 0 .. ${this.length}`);
    }
    if (offset < 0 || length < 0 || offset + length > this.length) {
      throw new RangeError(`part(${offset}, ${length}) leaves the buffer of ${this.length} bytes; make it larger`);
    }
    const lo = (this.lo >>> 0) + offset;
    return new RegisteredBuffer(carried(this.hi, lo), lo | 0, length, this.key, this.mr);
  }

  /** The same range and key without their region: a side takes it wherever it is given, for the NIC to refuse. */
  unchecked(): RegisteredBuffer {
    return this.withKey(this.key);
  }

  /** The same range under another key, unchecked. */
  withKey(key: number): RegisteredBuffer {
    return new RegisteredBuffer(this.hi, this.lo, this.length, key);
  }

  /** So many bytes from its start, wherever they end: under the same key, unchecked. */
  ofLength(length: number): RegisteredBuffer {
    return new RegisteredBuffer(this.hi, this.lo, length, this.key);
  }

  /** As many bytes, `by` bytes further on, wherever that is: under the same key, unchecked. */
  moved(by: number): RegisteredBuffer {
    const lo = (this.lo >>> 0) + by;
    return new RegisteredBuffer(carried(this.hi, lo), lo | 0, this.length, this.key);
  }

  /**
   * Cuts the buffer into `count` parts of equal length; what is left over stays unused.
   * @throws RangeError unless `count` is a positive integer
   */
  split(count: number): RegisteredBuffer[] {
    if (!(Number.isInteger(count) && count >= 1)) {
      throw new RangeError(`split(${count}): give the number of parts, 1 or more`);
    }
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
