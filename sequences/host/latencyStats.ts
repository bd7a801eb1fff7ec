/** Simulated request latencies in logarithmic buckets: constant memory, 12 % resolution for percentiles. */

import { TWO_32 } from '../../uvm/bytes/words.ts';

/** Buckets per doubling. */
const PER_OCTAVE = 8;
const BUCKETS = 53 * PER_OCTAVE;

export class LatencyStats {
  count = 0;
  /** Picoseconds. */
  min = Number.POSITIVE_INFINITY;
  max = 0;
  #sum = 0;
  readonly #buckets = new Uint32Array(BUCKETS);
  /** Where the buckets of the doubling that starts at 2^31 begin; shifted there, shorter times are looked up too. */
  readonly #starts = Uint32Array.from({ length: PER_OCTAVE }, (_, i) => Math.ceil(2 ** (31 + i / PER_OCTAVE)));

  /** Records one latency in picoseconds. */
  add(ps: number): void {
    this.count++;
    this.#sum += ps;
    if (ps < this.min) this.min = ps;
    if (ps > this.max) this.max = ps;
    const bucket = ps < TWO_32 ? this.#bucketOf(ps) : Math.floor(Math.log2(ps) * PER_OCTAVE);
    this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1;
  }

  /** Adds what another one has recorded. */
  merge(other: LatencyStats): void {
    this.count += other.count;
    this.#sum += other.#sum;
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
    for (let i = 0; i < BUCKETS; i++) this.#buckets[i] = (this.#buckets[i] as number) + (other.#buckets[i] as number);
  }

  get mean(): number {
    return this.count === 0 ? 0 : this.#sum / this.count;
  }

  /** Latency that the given share (0 .. 1) of requests does not exceed, rounded up to its bucket; 0 without any. */
  percentile(share: number): number {
    let left = Math.ceil(share * this.count);
    for (let i = 0; i < BUCKETS && left > 0; i++) {
      left -= this.#buckets[i] as number;
      if (left <= 0) return Math.min(this.max, Math.round(2 ** ((i + 1) / PER_OCTAVE)));
    }
    return 0;
  }

  /** floor(8 * log2(ps)) of a time below 2^32, without a logarithm. */
  #bucketOf(ps: number): number {
    if (ps < 1) return 0;
    const zeros = Math.clz32(ps);
    const shifted = (ps << zeros) >>> 0;
    const starts = this.#starts;
    let part = shifted < (starts[4] as number) ? 0 : 4;
    if (shifted >= (starts[part + 2] as number)) part += 2;
    if (shifted >= (starts[part + 1] as number)) part++;
    return (31 - zeros) * PER_OCTAVE + part;
  }
}
