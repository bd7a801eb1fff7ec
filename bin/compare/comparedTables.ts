/** What was seen of a scenario on several kinds of NIC, side by side. */

import type { TableData } from '../../regress/coverage/show/table.ts';
import { WC_STATUS_NAME } from '../../rdma/verbs.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import type { SeenCompletion, SeenWork } from './observedWork.ts';
import type { ComparedRun } from './playCompared.ts';

interface Row {
  readonly title: string;
  readonly cell: (work: SeenWork) => string;
}

const ROWS: readonly Row[] = [
  { title: 'completions', cell: (work) => `${completionsOf(work).length}` },
  { title: 'statuses', cell: statuses },
  { title: 'queues with completions', cell: ({ queues }) => `${queues.length}` },
  { title: 'bytes received', cell: (work) => `${sum(completionsOf(work).map(({ byteLen = 0 }) => byteLen))}` },
  {
    title: 'completions with bytes to compare',
    cell: (work) => `${completionsOf(work).filter(({ digest }) => digest !== undefined).length}`,
  },
  { title: 'first request to last completion', cell: (work) => timeText(work.lastCompletion - work.firstPost) },
  { title: 'latency, least', cell: (work) => latency(work, 0) },
  { title: 'latency, median', cell: (work) => latency(work, 0.5) },
  { title: 'latency, most', cell: (work) => latency(work, 1) },
  { title: 'frames', cell: ({ frames }) => `${frames}` },
  { title: 'bytes of frames', cell: ({ frameBytes }) => `${frameBytes}` },
];

/** @returns a column for each kind */
export function comparedTable(runs: readonly ComparedRun[]): TableData {
  const verdict = ({ refusal, result }: ComparedRun): string => (refusal === '' ? `${result?.verdict}` : 'not played');
  const time = ({ result }: ComparedRun): string => (result === undefined ? '' : timeText(result.simulatedTimePs));
  return {
    columns: [{ title: '', align: 'left' }, ...runs.map(({ nic }) => ({ title: nic.name, align: 'right' as const }))],
    rows: [
      ['verdict', ...runs.map(verdict)],
      ...ROWS.map(({ title, cell }) => [title, ...runs.map(({ work }) => (work === undefined ? '' : cell(work)))]),
      ['simulated time', ...runs.map(time)],
    ],
  };
}

/** The figures of one kind, for programs. */
export function figuresOf(work: SeenWork): Readonly<Record<string, string>> {
  return Object.fromEntries(ROWS.map(({ title, cell }) => [title, cell(work)]));
}

function completionsOf({ queues }: SeenWork): readonly SeenCompletion[] {
  return queues.flatMap(({ completions }) => completions);
}

function statuses(work: SeenWork): string {
  const counts = new Map<number, number>();
  for (const { status } of completionsOf(work)) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} ${WC_STATUS_NAME[status] ?? status}`)
    .join(', ');
}

/** @param share 0 for the least, 1 for the most */
function latency(work: SeenWork, share: number): string {
  const sorted = completionsOf(work)
    .map((completion) => completion.latency)
    .sort((a, b) => a - b);
  const value = sorted[Math.round(share * (sorted.length - 1))];
  return value === undefined ? '' : timeText(value);
}

/** Three digits are enough beside each other. */
function timeText(time: SimTime): string {
  return formatTime(time < 1000 ? Math.max(0, Math.round(time)) : Math.round(Number(time.toPrecision(4))));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
