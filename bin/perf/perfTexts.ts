/** Rows of measurements as tables in perftest's columns, as CSV, as JSON and as a chart. */

import { type LineChart, lineChart } from '../../regress/chart/lineChart.ts';
import type { PerfCommand } from './perfCommand.ts';
import { isLatency, type PerfRow } from './perfRow.ts';

const RULE = '-'.repeat(87);
const LATENCY_HEAD =
  ' #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]';

/** The columns of perftest, with its rule below. */
export function perfTable(rows: readonly PerfRow[], gbits: boolean): string[] {
  return [headOf(rows[0], gbits), ...rows.map((row) => lineOf(row, gbits)), RULE];
}

function headOf(row: PerfRow | undefined, gbits: boolean): string {
  if (row !== undefined && isLatency(row)) return LATENCY_HEAD;
  const unit = gbits ? 'Gb/sec' : 'MB/sec';
  return ` #bytes     #iterations    BW peak[${unit}]    BW average[${unit}]   MsgRate[Mpps]`;
}

function lineOf(row: PerfRow, gbits: boolean): string {
  const { bytes, iterations, problem } = row;
  if (problem !== '') return ` ${left(bytes, 7)}    ${left(iterations, 10)}       ${problem}`;
  if (isLatency(row)) {
    const { min, max, typical, avg, stdev, p99, p999 } = row;
    const wide = [left(bytes, 7), left(iterations, 14), two(min, 14), two(max, 12), two(typical, 16), two(avg, 14)];
    return ` ${[...wide, two(stdev, 15), two(p99, 22), two(p999, 7)].join(' ')}`.trimEnd();
  }
  const [peak, average] = gbits ? [row.peakGb, row.averageGb] : [row.peakMB, row.averageMB];
  return ` ${left(bytes, 7)}    ${left(iterations, 10)}       ${two(peak, 18)} ${two(average, 21)} ${row.rateMpps.toFixed(6)}`;
}

/** The lines above the table: what perftest says of its parameters. */
export function perfHead(command: PerfCommand, kind: string): string[] {
  const { test, service, queuePairs, mtu, txDepth, rxDepth, inline, bidirectional } = command;
  const [verb = '', measure = ''] = test.split('_');
  const name = `${verb[0]?.toUpperCase()}${verb.slice(1)}`;
  const both = bidirectional ? 'Bidirectional ' : '';
  const lines = [
    RULE,
    `                    ${name} ${both}${measure === 'bw' ? 'BW' : 'Latency'} Test, simulated time`,
    ` Device          : ${kind}`,
    ` Number of qps   : ${queuePairs}`,
    ` Connection type : ${service}`,
  ];
  if (measure === 'bw') lines.push(` TX depth        : ${txDepth}`);
  if (verb === 'send') lines.push(` RX depth        : ${rxDepth}`);
  lines.push(` Mtu             : ${mtu}[B]`);
  if (verb === 'send' || verb === 'write') lines.push(` Max inline data : ${inline}[B]`);
  return [...lines, RULE];
}

const CSV_BANDWIDTH =
  'kind,bytes,iterations,peak_mb_per_s,average_mb_per_s,peak_gb_per_s,average_gb_per_s,message_rate_mpps,problem';
const CSV_LATENCY = 'kind,bytes,iterations,t_min_us,t_max_us,t_typical_us,t_avg_us,t_stdev_us,p99_us,p999_us,problem';

export function perfCsv(rows: readonly PerfRow[]): string {
  const head = rows[0] !== undefined && isLatency(rows[0]) ? CSV_LATENCY : CSV_BANDWIDTH;
  const lines = rows.map((row) => {
    const figures = isLatency(row)
      ? [row.min, row.max, row.typical, row.avg, row.stdev, row.p99, row.p999]
      : [row.peakMB, row.averageMB, row.peakGb, row.averageGb, row.rateMpps];
    return [row.kind, row.bytes, row.iterations, ...figures.map((figure) => figure.toFixed(6)), row.problem].join(',');
  });
  return `${[head, ...lines].join('\n')}\n`;
}

export function perfJson(command: PerfCommand, rows: readonly PerfRow[]): string {
  const { test, service, queuePairs, mtu, seed, bidirectional } = command;
  return `${JSON.stringify({ test, service, queuePairs, mtu, seed, bidirectional, rows }, null, 2)}\n`;
}

/** A line a kind, over the size of messages: average bandwidth in Gb/s, or typical latency in us. */
export function perfSvg({ test, kinds }: PerfCommand, rows: readonly PerfRow[]): string {
  const passed = rows.filter(({ problem }) => problem === '');
  const lines = kinds.map((kind) =>
    passed
      .filter((row) => row.kind === kind)
      .map((row) => [row.bytes, isLatency(row) ? row.typical : row.averageGb] as const),
  );
  const title = test.endsWith('_lat') ? 'typical latency, us' : 'average bandwidth, Gb/s';
  const chart: LineChart = {
    title: `${test}, simulated time`,
    panels: [{ x: { title: 'bytes of a message', log: true }, y: { title, from: 0 }, lines }],
    key: kinds,
    dots: true,
  };
  return lineChart(chart);
}

function left(value: number, width: number): string {
  return String(value).padEnd(width);
}

function two(value: number, width: number): string {
  return value.toFixed(2).padEnd(width);
}
