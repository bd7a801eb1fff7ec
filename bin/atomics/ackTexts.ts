/** What repeats of atomics cost, as a table for people, as CSV and as a drawing. */
import type { AckRow } from './ackRow.ts';

const CSV_HEAD = 'depth,group,mean_reads,mean_bytes,mean_latency_us,worst_bytes,worst_latency_us,problem';
const COLOURS = ['#1f6feb', '#1a7f37', '#9a6700', '#d1242f', '#8250df'];
const PLOT = { left: 60, top: 40, width: 480, height: 260 } as const;
const LINES = 5;

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
  const depths = depthsOf(good);
  const most = Math.max(0.1, ...good.map(({ latency }) => latency)) * 1.1;
  const [first = 1, last = 2] = [depths[0], depths.at(-1)];
  const span = Math.max(1, Math.log2(last / first));
  const x = (depth: number): string => (PLOT.left + (PLOT.width * Math.log2(depth / first)) / span).toFixed(1);
  const y = (latency: number): string => (PLOT.top + PLOT.height * (1 - latency / most)).toFixed(1);
  const names = namesOf(good);
  const bottom = PLOT.top + PLOT.height;
  const right = PLOT.left + PLOT.width;
  const height = bottom + 50 + 20 * names.length;
  const steps = Array.from({ length: LINES + 1 }, (_, i) => (most * i) / LINES);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${right + 20} ${height}" width="${right + 20}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${right + 20}" height="${height}" fill="#ffffff"/>`,
    `<text x="${PLOT.left}" y="20" font-size="14">Answer to a repeated atomic after, us</text>`,
    ...steps.flatMap((value) => [
      `<line x1="${PLOT.left}" x2="${right}" y1="${y(value)}" y2="${y(value)}" stroke="#d0d7de"/>`,
      `<text x="${PLOT.left - 6}" y="${y(value)}" text-anchor="end">${value.toFixed(2)}</text>`,
    ]),
    ...depths.map((depth) => `<text x="${x(depth)}" y="${bottom + 16}" text-anchor="middle">${depth}</text>`),
    `<text x="${(PLOT.left + right) / 2}" y="${bottom + 34}" text-anchor="middle">entries of the ACK queue, all in use</text>`,
    ...names.flatMap((name, i) => {
      const own = good.filter((r) => nameOf(r) === name);
      const colour = COLOURS[i % COLOURS.length] as string;
      const points = own.map((r) => `${x(r.depth)},${y(r.latency)}`).join(' ');
      const at = bottom + 54 + 20 * i;
      return [
        `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"/>`,
        ...own.map((r) => `<circle cx="${x(r.depth)}" cy="${y(r.latency)}" r="3" fill="${colour}"/>`),
        `<text x="${PLOT.left}" y="${at}" fill="${colour}">${name}</text>`,
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
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
