/** Growth of coverage as a drawing: over runs, and over processor time. SVG without scripts, fonts or addresses. */

import type { Growth, GrowthPoint } from '../growth.ts';

const PANEL = { width: 420, height: 280, left: 52, top: 40, gap: 70, bottom: 44 } as const;
const COLOURS = ['#1f6feb', '#d1242f', '#1a7f37', '#9a6700', '#8250df', '#57606a'];
const TICKS = 5;
/** Points of a curve that are drawn at most: what lies between them is no wider than a line. */
const MOST_POINTS = 600;

interface Axis {
  readonly title: string;
  readonly of: (point: GrowthPoint) => number;
}

const AXES: readonly Axis[] = [
  { title: 'runs', of: ({ runs }) => runs },
  { title: 'processor time, s', of: ({ seconds }) => seconds },
];

/** @param title above the drawing */
export function growthPlot(title: string, curves: readonly Growth[]): string {
  const width = PANEL.left + AXES.length * (PANEL.width + PANEL.gap);
  const legend = PANEL.top + PANEL.height + PANEL.bottom;
  const height = legend + 20 * curves.length + 10;
  const lowest = floorOf(curves);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${PANEL.left}" y="20" font-size="14">${escaped(title)}</text>`,
    ...AXES.flatMap((axis, i) => panel(axis, PANEL.left + i * (PANEL.width + PANEL.gap), curves, lowest)),
    ...curves.flatMap((curve, i) => key(curve, colour(i), legend + 20 * i)),
    '</svg>',
    '',
  ].join('\n');
}

/** Where the first tenth of the runs is behind, so that the part of interest is not flat. */
function floorOf(curves: readonly Growth[]): number {
  const early = curves.map(({ points }) => points[Math.ceil(points.length / 50)]?.percent ?? 0);
  return Math.max(0, Math.floor(Math.min(...early) / 10) * 10);
}

function panel(axis: Axis, left: number, curves: readonly Growth[], lowest: number): readonly string[] {
  const most = Math.max(1, ...curves.map(({ points }) => axis.of(points.at(-1) as GrowthPoint)));
  const x = (value: number): number => left + (PANEL.width * value) / most;
  const y = (percent: number): number =>
    PANEL.top + PANEL.height * (1 - (Math.max(lowest, percent) - lowest) / (100 - lowest));
  const bottom = PANEL.top + PANEL.height;
  const steps = Array.from({ length: TICKS + 1 }, (_, i) => i / TICKS);
  return [
    ...steps.flatMap((step) => {
      const percent = lowest + step * (100 - lowest);
      return [
        `<line x1="${left}" x2="${left + PANEL.width}" y1="${fixed(y(percent))}" y2="${fixed(y(percent))}" stroke="#d0d7de"/>`,
        `<text x="${left - 6}" y="${fixed(y(percent) + 4)}" text-anchor="end">${fixed(percent)} %</text>`,
        `<text x="${fixed(x(step * most))}" y="${bottom + 16}" text-anchor="middle">${Math.round(step * most)}</text>`,
      ];
    }),
    `<text x="${left + PANEL.width / 2}" y="${bottom + 34}" text-anchor="middle">${escaped(axis.title)}</text>`,
    ...curves.map(({ points }, i) => {
      const line = thinned(points).map((point) => `${fixed(x(axis.of(point)))},${fixed(y(point.percent))}`);
      return `<polyline fill="none" stroke="${colour(i)}" stroke-width="1.8" points="${line.join(' ')}"/>`;
    }),
  ];
}

/** Always with the last one. */
function thinned(points: readonly GrowthPoint[]): readonly GrowthPoint[] {
  const every = Math.ceil(points.length / MOST_POINTS);
  return points.filter((_, i) => i % every === 0 || i === points.length - 1);
}

function key({ name, points }: Growth, stroke: string, y: number): readonly string[] {
  const { runs, seconds, percent } = points.at(-1) as GrowthPoint;
  const text = `${name}: ${percent.toFixed(2)} % of bins after ${runs} runs, ${Math.round(seconds)} s`;
  return [
    `<line x1="${PANEL.left}" x2="${PANEL.left + 24}" y1="${y - 4}" y2="${y - 4}" stroke="${stroke}" stroke-width="3"/>`,
    `<text x="${PANEL.left + 32}" y="${y}">${escaped(text)}</text>`,
  ];
}

function colour(i: number): string {
  return COLOURS[i % COLOURS.length] as string;
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
