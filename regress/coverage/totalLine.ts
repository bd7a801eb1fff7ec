/** Coverage in one line, for CI and for people. */

import { percentOf } from '../../uvm/coverage/score.ts';
import { counted } from '../../uvm/report/counted.ts';
import type { CoverageTree } from './coverageTree.ts';

export type Total = Pick<CoverageTree, 'coverage' | 'excluded' | 'runs'>;

/** `coverage: 812 of 1234 bins, 65.80 % (weighted 61.20 %), 12 excluded, 200 runs`. Gates count bins. */
export function totalLine({ coverage, excluded, runs }: Total): string {
  const { bins, covered, percent } = coverage;
  const parts = [
    `${covered} of ${counted(bins, 'bin')}, ${percentText(percentOf(covered, bins))} (weighted ${percentText(percent)})`,
    ...(excluded === 0 ? [] : [`${excluded} excluded`]),
    counted(runs, 'run'),
  ];
  return `coverage: ${parts.join(', ')}`;
}

/** Rounded down, so that 100 % is only said of what is complete. */
export function percentText(percent: number): string {
  return `${(Math.floor(percent * 100 + 1e-9) / 100).toFixed(2)} %`;
}
