/** The player of `bin/player.ts` with the fake run: what workers of `hca_regress` load in specs. */

import { existsSync, writeFileSync } from 'node:fs';
import { playerOf } from '../../../bin/player.ts';
import type { Player, PlayerHost, PlayerSettings } from '../../../regress/pool/player.ts';
import { fakeRegistry, fakeResult, opened } from './fakeRun.ts';

export async function createPlayer(settings: PlayerSettings, host: PlayerHost): Promise<Player> {
  const play = opened((spec, hooks) => {
    leaveBehind(spec.plusargs);
    if (spec.plusargs.includes('+FAKE=exit')) process.exit(5);
    if (spec.plusargs.includes('+FAKE=kill')) process.kill(process.pid, 'SIGKILL');
    const once = spec.plusargs.find((arg) => arg.startsWith('+FAKE_ONCE='))?.slice('+FAKE_ONCE='.length);
    if (once !== undefined && !existsSync(once)) {
      writeFileSync(once, '');
      process.kill(process.pid, 'SIGKILL');
    }
    if (spec.plusargs.includes('+FAKE=hang')) {
      hooks.sink('UVM_ERROR @ 0ns: reporter [SCB_DATA] last words');
      for (const end = performance.now() + 600; performance.now() < end; );
      hooks.sink('UVM_INFO @ 0ns: reporter [RNTST] still here');
      for (;;);
    }
    return fakeResult(spec, hooks);
  });
  return playerOf(fakeRegistry(), settings, host, play);
}

/** `+FAKE_LATE=promise|microtask|timer|<ms>`: throws when the run is over. */
function leaveBehind(plusargs: readonly string[]): void {
  const what = plusargs.find((arg) => arg.startsWith('+FAKE_LATE='))?.slice('+FAKE_LATE='.length);
  if (what === undefined) return;
  const fail = (): never => {
    throw new Error(`late ${what}`);
  };
  if (what === 'promise') void Promise.reject(new Error('late promise'));
  else if (what === 'microtask') queueMicrotask(fail);
  else setTimeout(fail, what === 'timer' ? 0 : Number(what));
  for (const end = performance.now() + 3; performance.now() < end; );
}
