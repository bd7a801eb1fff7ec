import { IdleTime } from '../idleTime.ts';

/** Traffic of one PCIe port since the start of the run. Times in ps. */
export class PcieStatistics {
  writes = 0;
  /** Writes whose bytes have reached memory. */
  arrived = 0;
  writeBytes = 0;
  reads = 0;
  readBytes = 0;
  completions = 0;
  interrupts = 0;
  barWrites = 0;
  barReads = 0;
  /** Reads sent and not yet answered, now and at most. */
  outstanding = 0;
  peakOutstanding = 0;
  // A field that starts as what it will be is kept as that: a double.
  /** From the sending of a read to its last byte. */
  minReadLatency = Number.MAX_SAFE_INTEGER;
  maxReadLatency = Number.NaN;
  totalReadLatency = Number.NaN;
  /** Times of the first and the latest event of either kind. */
  firstAt = Number.NaN;
  lastAt = Number.NaN;
  /** Of the NIC's requests and their answers. */
  readonly idle = new IdleTime();
  /** Reads by latency: entry n counts latencies of 2^(n-1) .. 2^n - 1 ns; entry 0 those below 1 ns. */
  readonly latencyHistogram = new Int32Array(32);

  constructor() {
    this.maxReadLatency = 0;
    this.totalReadLatency = 0;
    this.firstAt = -1;
    this.lastAt = 0;
  }

  /** Nothing is under way: what the NIC has written can be seen, and it waits for no answer. */
  get isIdle(): boolean {
    return this.outstanding === 0 && this.arrived === this.writes;
  }

  /** Notes an answered read. */
  answered(latency: number): void {
    this.outstanding--;
    if (latency < this.minReadLatency) this.minReadLatency = latency;
    if (latency > this.maxReadLatency) this.maxReadLatency = latency;
    this.totalReadLatency += latency;
    const bucket = 32 - Math.clz32(latency / 1000);
    const histogram = this.latencyHistogram;
    const entry = bucket < 31 ? bucket : 31;
    histogram[entry] = (histogram[entry] as number) + 1;
  }

  /** Mean rate of a number of bytes between the first and the latest event, Gb/s; 0 before any time has passed. */
  rate(bytes: number): number {
    const time = this.lastAt - this.firstAt;
    return time > 0 ? (bytes * 8000) / time : 0;
  }

  /** Two lines for the report at the end of a run. */
  toString(): string {
    const answered = this.reads - this.outstanding;
    const mean = answered > 0 ? this.totalReadLatency / answered / 1000 : 0;
    return (
      `${this.writes} writes (${this.writeBytes} B, ${this.rate(this.writeBytes).toFixed(1)} Gb/s), ` +
      `${this.reads} reads (${this.readBytes} B, ${this.rate(this.readBytes).toFixed(1)} Gb/s) in ` +
      `${this.completions} completions, ${this.interrupts} interrupts, ${this.barWrites}/${this.barReads} BAR ` +
      `writes/reads; read latency mean ${mean.toFixed(1)} ns, max ${(this.maxReadLatency / 1000).toFixed(1)} ns; ` +
      `at most ${this.peakOutstanding} reads outstanding`
    );
  }
}
