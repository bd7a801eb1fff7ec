/** What one run has measured, from its record, in the units of perftest. */

import type { RunRecord } from '../../regress/runRecord.ts';

const PS_PER_US = 1e6;
const PS_PER_SECOND = 1e12;
const MIB = 2 ** 20;
const BITS = 8;

interface Row {
  readonly kind: string;
  readonly bytes: number;
  readonly iterations: number;
  /** '' for a run that passed. */
  readonly problem: string;
}

/** Both directions together where both hosts send. */
export interface BandwidthRow extends Row {
  /** MB/s (2^20 bytes) and Gb/s (10^9 bits). Peak is 0 where it was not looked for. */
  readonly peakMB: number;
  readonly averageMB: number;
  readonly peakGb: number;
  readonly averageGb: number;
  /** Millions of messages a second. */
  readonly rateMpps: number;
}

/** us; of SEND and WRITE half the round trip. */
export interface LatencyRow extends Row {
  readonly min: number;
  readonly max: number;
  readonly typical: number;
  readonly avg: number;
  readonly stdev: number;
  readonly p99: number;
  readonly p999: number;
}

export type PerfRow = BandwidthRow | LatencyRow;

export function isLatency(row: PerfRow): row is LatencyRow {
  return 'typical' in row;
}

export function perfRowOf({ parameters, counts, verdict, signature }: RunRecord): PerfRow {
  const count = (name: string): number => counts[`perf_${name}`] ?? 0;
  const test = String(parameters['PERF']);
  const row: Row = {
    kind: String(parameters['DUT']),
    bytes: test.startsWith('atomic') ? 8 : Number(parameters['PERF_BYTES']),
    iterations: Number(parameters['SEQ_COUNT']),
    problem: verdict === 'passed' ? '' : (signature?.id ?? verdict),
  };
  if (test.endsWith('_lat')) {
    const us = (name: string): number => count(name) / PS_PER_US;
    const [min, max, typical, avg] = [us('min'), us('max'), us('typical'), us('avg')];
    return { ...row, min, max, typical, avg, stdev: us('stdev'), p99: us('p99'), p999: us('p999') };
  }
  const perSecond = (messages: number, ps: number): number => (ps === 0 ? 0 : (messages * PS_PER_SECOND) / ps);
  const messages = count('messages');
  const average = perSecond(messages, count('span')) + perSecond(messages, count('span_back'));
  const peak = perSecond(1, count('best')) + perSecond(1, count('best_back'));
  const megabytes = (rate: number): number => (rate * row.bytes) / MIB;
  const gigabits = (rate: number): number => (rate * row.bytes * BITS) / 1e9;
  return {
    ...row,
    peakMB: megabytes(peak),
    averageMB: megabytes(average),
    peakGb: gigabits(peak),
    averageGb: gigabits(average),
    rateMpps: average / 1e6,
  };
}
