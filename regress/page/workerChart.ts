/** When each worker of a regression played which run, as SVG. Passed runs that would touch are drawn as one. */

import { isPass, type JobResult } from '../job.ts';
import { formatDuration } from '../report/formatDuration.ts';
import { xmlText } from '../report/junit.ts';

const WIDTH = 1000;
const LEFT = 80;
const TOP = 8;
/** Heights of a row with its gap, for few workers and for many, px. */
const ROW = { most: 18, least: 4, all: 480 } as const;
const STEPS = 5;
/** Narrowest run, px. */
const LEAST = 0.5;

interface Span {
  readonly from: number;
  readonly to: number;
  readonly of: 'passed' | 'known' | 'other';
  readonly title: string;
}

/** Undefined where nothing is known of when runs were played. */
export function workerChart(results: readonly JobResult[]): string | undefined {
  const timed = results.flatMap((result) =>
    result.started === undefined ? [] : [{ result, from: Date.parse(result.started) }],
  );
  if (timed.length === 0) return undefined;
  const begin = timed.reduce((least, { from }) => Math.min(least, from), Number.POSITIVE_INFINITY);
  const end = timed.reduce((last, { from, result }) => Math.max(last, from + result.wallMs), begin + 1);
  const workers = [...new Set(timed.map(({ result }) => result.worker))].sort((a, b) => a - b);
  const row = Math.min(ROW.most, Math.max(ROW.least, ROW.all / workers.length));
  const at = (time: number): number => LEFT + ((time - begin) / (end - begin)) * WIDTH;
  const rows = workers.flatMap((worker, i) => {
    const y = TOP + i * row;
    const own = timed.filter(({ result }) => result.worker === worker).sort((a, b) => a.from - b.from);
    const spans = joined(own.map(({ result, from }) => spanOf(result, at(from), at(from + result.wallMs))));
    const name =
      row >= 10 || i % Math.ceil(12 / row) === 0
        ? `<text x="${LEFT - 6}" y="${fixed(y + row / 2 + 4)}" text-anchor="end">worker ${worker}</text>`
        : '';
    return [
      name,
      `<rect class="worker" x="${LEFT}" y="${fixed(y)}" width="${WIDTH}" height="${fixed(row - 2)}"/>`,
      ...spans.map((span) => spanSvg(span, y, row - 2)),
    ];
  });
  const bottom = TOP + workers.length * row;
  const ticks = Array.from({ length: STEPS + 1 }, (_, i) => {
    const x = LEFT + (WIDTH * i) / STEPS;
    const text = formatDuration(((end - begin) * i) / STEPS);
    return `<line class="tick" x1="${fixed(x)}" x2="${fixed(x)}" y1="${fixed(bottom)}" y2="${fixed(bottom + 5)}"/><text x="${fixed(x)}" y="${fixed(bottom + 17)}" text-anchor="middle">${text}</text>`;
  });
  const width = LEFT + WIDTH + 40;
  const height = bottom + 24;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${fixed(height)}" width="${width}" height="${fixed(height)}" role="img"><title>Runs by worker over time</title>`,
    ...rows,
    ...ticks,
    '</svg>',
  ].join('\n');
}

function spanOf(result: JobResult, from: number, to: number): Span {
  const of = isPass(result) ? 'passed' : result.status === 'known' ? 'known' : 'other';
  return {
    from,
    to: Math.max(to, from + LEAST),
    of,
    title: `${result.id}: ${result.status}, ${formatDuration(result.wallMs)}`,
  };
}

/** Passed runs less than a pixel apart become one. */
function joined(spans: readonly Span[]): readonly Span[] {
  const out: Span[] = [];
  let runs = 1;
  for (const span of spans) {
    const last = out.at(-1);
    const isSmall =
      last !== undefined &&
      last.of === 'passed' &&
      span.of === 'passed' &&
      span.from - last.to < 1 &&
      span.to - last.from < 3;
    if (!isSmall) {
      out.push(span);
      runs = 1;
      continue;
    }
    runs++;
    out[out.length - 1] = {
      ...last,
      to: Math.max(last.to, span.to),
      title: `${runs} runs that passed, ${span.title} the last`,
    };
  }
  return out;
}

function spanSvg({ from, to, of, title }: Span, y: number, height: number): string {
  return `<rect class="run-${of}" x="${fixed(from)}" y="${fixed(y)}" width="${fixed(to - from)}" height="${fixed(height)}"><title>${xmlText(title)}</title></rect>`;
}

function fixed(value: number): string {
  return String(Math.round(value * 100) / 100);
}
