/** Where a failed run parts from a healthy one, as the page shows it. */

import { formatTime } from '../../uvm/kernel/time.ts';
import { counted } from '../../uvm/report/counted.ts';
import { visibleText } from '../../uvm/report/visibleText.ts';
import type { RunDifference, RunFailure } from '../runRecord.ts';

/** Names are those of the template `failure.html`. */
export interface PartingView {
  readonly from: string;
  /** Why there is nothing to be said; '' where the rows say it. */
  readonly why: string;
  /** When the first event differs, relative to the finding. */
  readonly when: string;
  /** The first event here and there, then what followed. */
  readonly rows: readonly { readonly where: string; readonly time: string; readonly text: string }[];
  readonly leftOut: string;
}

type Followed = RunDifference['followed'][number];

export function partingView(failure: RunFailure | null): PartingView | undefined {
  const against = failure?.against ?? null;
  if (failure === null || against === null) return undefined;
  const { from, why, here, there, followed, leftOut } = against;
  const began = Math.min(here?.time ?? Number.POSITIVE_INFINITY, there?.time ?? Number.POSITIVE_INFINITY);
  const none = { time: began, text: 'nothing that differs' };
  const first = [
    { where: 'first, here', ...(here ?? none) },
    { where: 'first, there', ...(there ?? none) },
  ];
  const rows =
    why === '' ? [...first, ...followed.map((each) => ({ where: each.is, ...each, text: textOf(each) }))] : [];
  return {
    from: visibleText(from),
    why: visibleText(why),
    when: why === '' ? whenText(began, failure.time) : '',
    rows: rows.map(({ where, time, text }) => ({ where, time: formatTime(time), text: visibleText(text) })),
    leftOut: leftOut === 0 ? '' : `${counted(leftOut, 'line')} behind them left out.`,
  };
}

function whenText(began: number, time: number): string {
  if (began === time) return 'at the time of the error';
  return `${formatTime(Math.abs(time - began))} ${began < time ? 'before the error' : 'behind it'}`;
}

function textOf({ text, late }: Followed): string {
  if (late === 0) return text;
  return `${text}, ${formatTime(Math.abs(late))} ${late > 0 ? 'later' : 'earlier'} than there`;
}
