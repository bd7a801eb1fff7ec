/** Plays a run as it is, but for its length: an input that nobody means may ask for a million requests. */

import type { PlayOne } from '../../../bin/run/playCommand.ts';
import { openRun } from '../../../bin/run/runOne.ts';

/** Wall-clock time of one run (ms). */
const MOST_MS = 1500;

export const boundedPlay: PlayOne = (spec, registry, hooks, bytes) => {
  const end = performance.now() + MOST_MS;
  const { breakOff: _none, ...rest } = hooks;
  const bounded = {
    ...rest,
    heartbeat: (progress: Parameters<NonNullable<typeof rest.heartbeat>>[0]) =>
      performance.now() > end ? 'longer than an input may take' : rest.heartbeat?.(progress),
  };
  return openRun(spec, registry, bounded, bytes);
};
