/** Growth of coverage as a drawing: over runs, and over processor time. */

import { lineChart, type Panel } from '../../chart/lineChart.ts';
import type { Growth, GrowthPoint } from '../growth.ts';

/** Points of a curve that are drawn at most: what lies between them is no wider than a line. */
const MOST_POINTS = 600;

interface Measure {
  readonly title: string;
  readonly of: (point: GrowthPoint) => number;
}

const MEASURES: readonly Measure[] = [
  { title: 'runs', of: ({ runs }) => runs },
  { title: 'processor time, s', of: ({ seconds }) => seconds },
];

/** @param title above the drawing @returns SVG */
export function growthPlot(title: string, curves: readonly Growth[]): string {
  const lowest = floorOf(curves);
  return lineChart({
    title,
    panels: MEASURES.map((measure) => panel(measure, curves, lowest)),
    key: curves.map(keyOf),
  });
}

/** Where the first tenth of the runs is behind, so that the part of interest is not flat. */
function floorOf(curves: readonly Growth[]): number {
  const early = curves.map(({ points }) => points[Math.ceil(points.length / 50)]?.percent ?? 0);
  return Math.max(0, Math.floor(Math.min(...early) / 10) * 10);
}

function panel({ title, of }: Measure, curves: readonly Growth[], lowest: number): Panel {
  const most = Math.max(1, ...curves.map(({ points }) => of(points.at(-1) as GrowthPoint)));
  return {
    x: { title, from: 0, to: most, text: (value) => String(Math.round(value)) },
    y: { title: 'bins, %', from: lowest, to: 100 },
    lines: curves.map(({ points }) => thinned(points).map((point) => [of(point), point.percent] as const)),
  };
}

/** Always with the last one. */
function thinned(points: readonly GrowthPoint[]): readonly GrowthPoint[] {
  const every = Math.ceil(points.length / MOST_POINTS);
  return points.filter((_, i) => i % every === 0 || i === points.length - 1);
}

function keyOf({ name, points }: Growth): string {
  const { runs, seconds, percent } = points.at(-1) as GrowthPoint;
  return `${name}: ${percent.toFixed(2)} % of bins after ${runs} runs, ${Math.round(seconds)} s`;
}
