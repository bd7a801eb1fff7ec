import { type Proc, delay } from '../../uvm/kernel/process.ts';
import type { PlayEnv } from './playEnv.ts';

/** Fewest windows after which something that never comes to rest is taken for a livelock. */
const PATIENCE = 10_000;

/**
 * Waits until nothing is under way and nothing has moved for `window` ps, then tells the judge.
 * @returns false when it had not come to rest after `env.stallTime` and many windows; the judge is not told then
 */
export function* settle(env: PlayEnv, window: number): Proc<boolean> {
  const most = Math.max(PATIENCE, Math.ceil(env.stallTime / window));
  for (let i = 0; i < most; i++) {
    const before = env.activity();
    yield* delay(window);
    if (env.activity() !== before || env.inFlight() > 0) continue;
    env.quiet();
    return true;
  }
  return false;
}
