/** Folders of regressions as runs leave them, for specs of what is made of them. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobResult } from '../../../regress/job.ts';
import type { JournalPlan } from '../../../regress/journal.ts';
import { JournalWriter } from '../../../regress/journal.ts';
import { TIME_LINE_FILE, TIME_LINE_FORMAT, type TimeLine, type TimeMark } from '../../../regress/page/timeLine.ts';
import { aJob, aPlan, aResult } from './jobs.ts';

/** Writes the journal of a regression with these results, which has ended. */
export function storeRegression(
  folder: string,
  results: readonly JobResult[],
  changes: Partial<JournalPlan> = {},
): void {
  const jobs = results.map(({ id, family, title }) => aJob({ id, family, title, argv: [`+ID=${id}`] }));
  const journal = new JournalWriter(join(folder, 'runs.jsonl'), aPlan({ jobs, ...changes }));
  for (const result of results) journal.result(result);
  journal.end({ ended: '2026-01-02T03:05:05.000Z', wallMs: 60_000, notRun: 0, exitCode: 1 });
  journal.close();
}

/** The folder of a run, with its time line. */
export function storeTimeLine(folder: string, id: string, timeLine: TimeLine): void {
  const run = join(folder, 'runs', id.replaceAll('/', '.'));
  mkdirSync(run, { recursive: true });
  writeFileSync(join(run, TIME_LINE_FILE), JSON.stringify(timeLine));
  writeFileSync(join(run, 'failure.md'), '# why\n');
}

export function aFailure(id: string, message: string, changes: Partial<JobResult> = {}): JobResult {
  const reportId = /^\[(\w+)\]/.exec(message)?.[1] ?? 'SCB_DATA';
  const signature = { id: reportId, component: 'uvm_test_top', message: message.replace(/^\[\w+\] /, ''), time: 1000 };
  return aResult({ id, status: 'failed', signature, errorIds: [reportId], message, ...changes });
}

const NS = 1000;

/** A packet that is lost and sent again, as the host that sends it and the link see it. */
export function aTimeLine(changes: Partial<TimeLine> = {}): TimeLine {
  const packet = (kind: TimeMark['kind'], time: number, more: Partial<TimeMark> = {}): TimeMark => ({
    kind,
    time: time * NS,
    host: 0,
    pair: 0,
    flow: 0,
    psn: 0xffffff,
    text: `${kind} of PSN 0xffffff`,
    ...more,
  });
  return {
    format: TIME_LINE_FORMAT,
    finding: { id: 'SCB_DATA', time: 9_000_000 * NS, text: 'byte 3 differs' },
    subject: ['packet of host 0 QP 5', 'host 1 QP 6'],
    pairs: [
      { host: 0, qpn: 5, text: 'host 0 QP 5: RC' },
      { host: 1, qpn: 6, text: 'host 1 QP 6: RC' },
    ],
    marks: [
      packet('post', 10, { count: 2 }),
      packet('request', 20),
      packet('loss', 30, { side: 0 }),
      packet('request', 40, { psn: 0 }),
      packet('arrival', 60, { psn: 0, pair: 1 }),
      packet('retransmission', 4_000_000),
      packet('arrival', 4_000_020, { pair: 1 }),
      packet('answer', 4_000_030, { host: 1, pair: 1, side: 1 }),
      { kind: 'completion', time: 4_000_090 * NS, host: 0, pair: 0, flow: -1, text: 'completion' },
      { kind: 'write', time: 4_000_080 * NS, host: 0, pair: -1, flow: -1, text: 'NIC writes 64 B' },
    ],
    leftOut: 0,
    ...changes,
  };
}
