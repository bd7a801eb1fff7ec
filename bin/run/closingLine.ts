/** The last words of a run, on the terminal and in the log. */

import { formatDuration } from '../../regress/report/formatDuration.ts';
import type { RunRecord } from '../../regress/runRecord.ts';
import type { Verdict } from '../../regress/verdict.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { counted } from '../../uvm/report/counted.ts';
import { isInterrupted } from './limits/interruption.ts';

/** Begins with `TEST PASSED` or `TEST FAILED`, which is what scripts look for. */
const WORDS: Readonly<Record<Verdict, string>> = {
  passed: 'TEST PASSED',
  failed: 'TEST FAILED',
  vacuous: 'TEST FAILED VACUOUS',
  error: 'TEST FAILED ERROR',
};

/** Why a run did not pass, in one line; '' when it did. */
export function reasonOf(record: RunRecord): string {
  const { verdict, signature, endedBy, secondPlay } = record;
  if (verdict === 'passed') return '';
  const again = secondPlay?.outcome === 'differs' ? `; ${secondPlay.text}` : '';
  if (verdict === 'vacuous') return `no check was made${again}`;
  if (signature === null) return `${verdict}${again}`;
  const end = endedBy === null ? '' : `; ended by [${endedBy.id}] ${endedBy.message}`;
  return `[${signature.id}] ${signature.message}${end}${again}`;
}

/** Verdict with its figures; for a run that did not pass, a second line that repeats it. */
export function closingLines(record: RunRecord): string[] {
  const { verdict, test, seed, counts } = record;
  const facts = [
    counted(counts['checks'] ?? 0, 'check'),
    ...some(counts['warnings'], 'warning'),
    ...some(counts['error_completions'], 'error completion'),
    ...some(counts['faults'], 'fault'),
    ...some(counts['errors_switched_off'], 'switched-off error'),
    `${formatTime(record.simulatedTimePs)} simulated`,
    formatDuration(record.wallMs),
    `transcript ${record.transcript.hash}`,
  ];
  const line = `${wordsOf(record)} ${test} seed ${seed} (${facts.join(', ')})`;
  return verdict === 'passed' ? [line] : [`${line}: ${reasonOf(record)}`, `replay: ${record.replay}`];
}

function wordsOf(record: RunRecord): string {
  const { verdict, secondPlay } = record;
  if (secondPlay?.outcome === 'differs') return 'TEST FAILED NONDETERMINISTIC';
  return verdict === 'error' && isInterrupted(record) ? 'TEST FAILED INTERRUPTED' : WORDS[verdict];
}

/** What is easily overlooked in a run that passes; nothing when there was none. */
function some(count: number | undefined, what: string): string[] {
  return count === undefined || count === 0 ? [] : [counted(count, what)];
}
