import { type Proc, delay } from '../../uvm/kernel/process.ts';
import type { PlayEnv } from './playEnv.ts';

/** Windows after which something that never comes to rest is taken for a livelock. */
const MOST_WINDOWS = 10_000;

/**
 * Waits until nothing is under way and nothing has moved for `window` ps, then tells the judge.
 * @returns false when it never came to rest; the judge is not told then
 */
export function* settle(env: PlayEnv, window: number): Proc<boolean> {
  for (let i = 0; i < MOST_WINDOWS; i++) {
    const before = env.activity();
    yield* delay(window);
    if (env.activity() !== before || env.inFlight() > 0) continue;
    env.quiet();
    return true;
  }
  return false;
}
