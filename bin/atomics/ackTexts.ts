/** What repeats of atomics cost, as a table for people, as CSV and as a drawing. */
import { lineChart } from '../../regress/chart/lineChart.ts';
import type { AckRow } from './ackRow.ts';

const CSV_HEAD = 'depth,group,mean_reads,mean_bytes,mean_latency_us,worst_bytes,worst_latency_us,problem';

/** With a line of names, and a final newline. */
export function ackCsv(rows: readonly AckRow[]): string {
  const lines = rows.map((r) =>
    [
      ...[r.depth, r.group, r.reads.toFixed(2), r.bytes.toFixed(1), r.latency.toFixed(3)],
      ...[r.worstBytes, r.worstLatency.toFixed(3), r.problem],
    ].join(','),
  );
  return `${[CSV_HEAD, ...lines].join('\n')}\n`;
}

/** Markdown: a row for each depth, a column for each group size; bytes and latency of a repeat, the worst behind. */
export function ackTable(rows: readonly AckRow[]): string[] {
  const names = namesOf(rows);
  const head = ['depth', ...names];
  const lines = depthsOf(rows).map((depth) => [
    String(depth),
    ...names.map((name) => cellOf(rows.find((r) => r.depth === depth && nameOf(r) === name))),
  ]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
}

/** SVG: mean latency of a repeat over the depth, a line for each group size. */
export function ackPlot(rows: readonly AckRow[]): string {
  const good = rows.filter(({ problem }) => problem === '');
  const names = namesOf(good);
  const most = Math.max(0.1, ...good.map(({ latency }) => latency)) * 1.1;
  return lineChart({
    title: 'Answer to a repeated atomic',
    panels: [
      {
        x: { title: 'entries of the ACK queue, all in use', marks: depthsOf(good), log: true },
        y: { title: 'after, us', from: 0, to: most, text: (value) => value.toFixed(2) },
        lines: names.map((name) =>
          good.filter((row) => nameOf(row) === name).map(({ depth, latency }) => [depth, latency] as const),
        ),
      },
    ],
    key: names,
    dots: true,
  });
}

function nameOf({ depth, group }: AckRow): string {
  return group >= depth && group > 64 ? 'without groups' : `groups of ${group}`;
}

function namesOf(rows: readonly AckRow[]): string[] {
  return [...new Set(rows.map(nameOf))];
}

function depthsOf(rows: readonly AckRow[]): number[] {
  return [...new Set(rows.map(({ depth }) => depth))].sort((a, b) => a - b);
}

function cellOf(row: AckRow | undefined): string {
  if (row === undefined) return '';
  if (row.problem !== '') return row.problem;
  return `${row.bytes.toFixed(0)} B in ${row.reads.toFixed(1)} reads, ${row.latency.toFixed(2)} us; worst ${row.worstBytes} B, ${row.worstLatency.toFixed(2)} us`;
}
