/** The wall-clock limit of a run: what is said when it has passed, and how to tell such a run by its record. */

import type { RunRecord } from '../../../regress/runRecord.ts';

const LIMIT_TEXT = /^no end after \S+ s of wall-clock time/;

/** The reason with which a run ends at its limit. */
export function limitText(seconds: number): string {
  return `no end after ${seconds} s of wall-clock time; --timeout sets the limit`;
}

/** The clock ended the run: where it did so is chance. A run that is given up for its simulated time is another thing. */
export function isEndedByClock({ signature, endedBy }: Pick<RunRecord, 'signature' | 'endedBy'>): boolean {
  const last = endedBy ?? signature;
  return last !== null && last.id === 'RUN_LIMIT' && LIMIT_TEXT.test(last.message);
}
