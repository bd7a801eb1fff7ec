import { type Proc, delay } from '../../uvm/kernel/process.ts';
import type { Scheduler } from '../../uvm/kernel/scheduler.ts';
import type { PlayEnv } from './playEnv.ts';
import { Stillness } from './stillness.ts';

/** Stall times without a movement after which what is owed will not come; longer than the judge waits for progress. */
const STALLS = 3;

/** Waits, in steps of `window` ps, until every completion is visible that a send request has asked for, or nothing moves any more. */
export function* awaitWork(env: PlayEnv, window: number, clock: Pick<Scheduler, 'now'>): Proc {
  const stillness = new Stillness(env);
  while (env.owesCompletion() && stillness.look(clock.now) < STALLS * env.stallTime) yield* delay(window);
}
