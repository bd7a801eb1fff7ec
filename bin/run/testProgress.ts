/** What `hca_test` says while a run takes longer. */

import { formatDuration } from '../../regress/report/formatDuration.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import type { RunProgress } from './runSpec.ts';

/** Wall-clock time from which on a run is told how to be repeated before it ends (ms). */
const NOTICE_MS = 2000;

/** Says once, when a run takes longer, what repeats it: a process that is killed has no last words. */
export class LongRunNotice {
  readonly #text: () => string;
  #said = false;

  constructor(text: () => string) {
    this.#text = text;
  }

  update(wallMs: number, say: (text: string) => void): void {
    if (this.#said || wallMs < NOTICE_MS) return;
    this.#said = true;
    say(this.#text());
  }
}

/** For example `40 of 80 requests (50 %), 2000 requests/s, 1.2us simulated, 3 s`. `wallMs`: since the start of the run. */
export function progressText(now: RunProgress, wallMs: number): string {
  const stage = now.stage === undefined || now.stage === '' ? '' : `${now.stage}, `;
  const time = `${stage}${formatTime(now.simulatedTimePs)} simulated, ${formatDuration(wallMs)}`;
  if (now.total === 0) return time;
  const percent = Math.floor((100 * now.done) / now.total);
  const rate = Math.round(now.done / (wallMs / 1000));
  return `${now.done} of ${now.total} requests (${percent} %), ${rate} requests/s, ${time}`;
}
