/** Figures over points, as an SVG file. */

import { lineChart } from '../../regress/chart/lineChart.ts';

/** `y` of each line by point; null where there is no figure. */
export interface Series {
  readonly x: string;
  readonly points: readonly number[];
  readonly lines: readonly { readonly name: string; readonly y: readonly (number | null)[] }[];
}

/** @param log points are spread by their logarithm */
export function plotOf({ x, points, lines }: Series, yTitle: string, log: boolean): string {
  const most = Math.max(1, ...lines.flatMap(({ y }) => y.map((value) => value ?? 0)));
  return lineChart({
    title: yTitle,
    panels: [
      {
        x: { title: x, marks: points, text: String, log },
        y: { title: '', from: 0, to: most, text: (value) => value.toFixed(most < 10 ? 1 : 0) },
        lines: lines.map(({ y }) =>
          points.flatMap((point, i) => {
            const value = y[i] ?? null;
            return value === null ? [] : [[point, value] as const];
          }),
        ),
      },
    ],
    key: lines.map(({ name }) => name),
    dots: true,
  });
}
