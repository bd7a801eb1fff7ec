/** What the progress line of a regression says. */

import { formatDuration } from '../../regress/report/formatDuration.ts';
import type { PlayingJob } from '../../regress/launcher.ts';

/** How far a regression has come. */
export interface RegressProgress {
  readonly passed: number;
  readonly failed: number;
  readonly total: number;
  /** Of those that have ended, how many were played before this part of the regression; default 0. */
  readonly earlier?: number;
  /** Wall-clock time since the beginning, in ms. */
  readonly elapsedMs: number;
  readonly playing: readonly PlayingJob[];
}

/** A run that takes longer than this is named: it may be what the rest waits for (ms). */
const LONG_MS = 2000;
/** A shorter rest is not worth a figure (ms). */
const SHORT_REST_MS = 1000;

/** One line: counts, rate, the run that has taken longest so far, and how long the rest may take. */
export function regressProgressText(progress: RegressProgress): string {
  const { passed, failed, total, elapsedMs, playing, earlier = 0 } = progress;
  const done = passed + failed;
  const percent = Math.floor((100 * done) / total);
  const rate = (1000 * (done - earlier)) / elapsedMs;
  const parts = [
    `${passed} passed, ${failed} failed of ${total} (${percent} %)`,
    ...(done === earlier ? [] : [`${rate >= 10 ? Math.round(rate) : rate.toFixed(1)} runs/s`]),
    ...oldest(playing),
    ...rest(progress, rate),
  ];
  return parts.join(', ');
}

function oldest(playing: readonly PlayingJob[]): string[] {
  const [first, ...others] = playing;
  if (first === undefined) return [];
  const longest = others.reduce((a, b) => (b.wallMs > a.wallMs ? b : a), first);
  if (longest.wallMs < LONG_MS) return [];
  return [`${playing.length} playing, ${longest.id} for ${Math.floor(longest.wallMs / 1000)} s`];
}

/** Runs that have ended say something about those that wait, and nothing about those that still go on. */
function rest({ passed, failed, total, playing }: RegressProgress, rate: number): string[] {
  const waiting = total - passed - failed - playing.length;
  const ms = (1000 * waiting) / rate;
  if (waiting <= 0 || rate === 0 || ms < SHORT_REST_MS) return [];
  return [`about ${formatDuration(ms)} left`];
}
