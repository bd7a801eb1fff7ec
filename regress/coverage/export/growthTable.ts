/** Growth of coverage as a table for programs: a line for each run that has covered something new, and the last one. */

import type { Growth } from '../growth.ts';

/** CSV with the columns curve, runs, seconds (of processor time), percent. */
export function growthCsv(curves: readonly Growth[]): string {
  const lines = curves.flatMap(({ name, points }) =>
    points
      .filter(({ percent }, i) => i === 0 || i === points.length - 1 || percent !== points[i - 1]?.percent)
      .map(({ runs, seconds, percent }) => [quoted(name), runs, seconds.toFixed(3), percent.toFixed(3)].join(',')),
  );
  return ['curve,runs,seconds,percent', ...lines, ''].join('\n');
}

function quoted(name: string): string {
  return /[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}
