/** What a run says that somebody has interrupted. */

import type { RunRecord } from '../../../regress/runRecord.ts';
import { formatTime } from '../../../uvm/kernel/time.ts';
import type { Run } from '../../../uvm/run.ts';
import type { Interrupt } from './interrupts.ts';

/** Id of the fatal message that ends such a run. */
export const INTERRUPTED = 'INTERRUPTED';

const NAMES: Readonly<Record<Interrupt, string>> = { SIGINT: 'SIGINT (Ctrl-C)', SIGTERM: 'SIGTERM', SIGHUP: 'SIGHUP' };

/**
 * Where the run was, how much was done, and below that what was open.
 * @param counts what the test counts
 * @param stage what it is at; '' = it does not say
 */
export function interruption(
  run: Run,
  signal: Interrupt,
  counts: Readonly<Record<string, number>>,
  stage: string,
): string {
  const { requests_done: done = 0, requests_total: total = 0 } = counts;
  const phase = run.root.currentPhase?.name ?? 'build';
  const inRun = stage === '' ? '' : ` in ${stage}`;
  const where = phase === 'run' ? inRun : ` in the ${phase} phase`;
  const work = total === 0 ? '' : `, ${done} of ${total} requests completed`;
  const first = `${NAMES[signal]} at ${formatTime(run.scheduler.now)}${where}${work}`;
  return phase === 'run' ? `${first}\n${openOf(run)}` : first;
}

/** The run may have been broken off in the middle of anything: what cannot be said any more is left out. */
function openOf(run: Run): string {
  try {
    return run.deadlock.waiting();
  } catch {
    return 'what was open is not known';
  }
}

/** Somebody interrupted the run: where it ended is chance. */
export function isInterrupted({ signature, endedBy }: RunRecord): boolean {
  return (endedBy ?? signature)?.id === INTERRUPTED;
}
