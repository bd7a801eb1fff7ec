import { type Proc, delay } from '../../uvm/kernel/process.ts';
import type { SimTime } from '../../uvm/kernel/scheduler.ts';
import { NS } from '../../uvm/kernel/time.ts';
import type { PlayEnv } from './playEnv.ts';

/** Fewest windows after which something that never comes to rest is taken for a livelock. */
const PATIENCE = 10_000;

/** Who looks for rest more often than this (ps) keeps the simulator busy with looking, or time from passing at all. */
const SHORTEST_LOOK = 100 * NS;

/** Time between two looks for rest that is to last for `window` ps. */
export function lookTime(window: SimTime): SimTime {
  return Math.max(window, SHORTEST_LOOK);
}

/**
 * Waits until nothing is under way and nothing has moved for `window` ps, then tells the judge.
 * @returns false when it had not come to rest after `env.stallTime` and many windows; the judge is not told then
 */
export function* settle(env: PlayEnv, window: number): Proc<boolean> {
  const look = lookTime(window);
  const most = Math.max(PATIENCE, Math.ceil(env.stallTime / look));
  for (let i = 0; i < most; i++) {
    const before = env.activity();
    yield* delay(look);
    if (env.activity() !== before || env.inFlight() > 0) continue;
    env.quiet();
    return true;
  }
  return false;
}
