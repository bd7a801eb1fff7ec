/** What is said at the end of a run about how it ended and what its report settings hid. */
import type { ReportServer } from '../report/reportServer.ts';

/** Why a run without errors ended before its last phase; undefined when no report ended it. */
export function earlyEndText(reports: ReportServer): string | undefined {
  if (reports.exitReason === 'quit-count') {
    const limit = `the limit of ${reports.maxQuitCount} counted reports was reached`;
    return `${limit} (+UVM_MAX_QUIT_COUNT; action UVM_COUNT), so the run ended before its last phase`;
  }
  if (reports.exitReason !== 'exit-action') return undefined;
  return 'a report with the action UVM_EXIT or UVM_STOP ended the run before its last phase';
}

/** Errors that were switched off or lowered, by id; undefined when there are none. */
export function switchedOffText(counts: ReadonlyMap<string, number>): string | undefined {
  if (counts.size === 0) return undefined;
  const ids = [...counts].map(([id, count]) => `[${id}] ${count}`).join(', ');
  return `${sum(counts.values())} errors were switched off or lowered by report settings: ${ids}; a pass says nothing about them`;
}

export function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
