/** Simulated request latencies in logarithmic buckets: constant memory, 12 % resolution for percentiles. */

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

  /** Records one latency in picoseconds. */
  add(ps: number): void {
    this.count++;
    this.#sum += ps;
    if (ps < this.min) this.min = ps;
    if (ps > this.max) this.max = ps;
    const bucket = ps < 1 ? 0 : Math.floor(Math.log2(ps) * PER_OCTAVE);
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
}
