/** The player of `bin/player.ts` with the fake run: what workers of `hca_regress` load in specs. */

import { existsSync, writeFileSync } from 'node:fs';
import { playerOf } from '../../bin/player.ts';
import type { Player, PlayerSettings } from '../../regress/pool/player.ts';
import { fakePlay, fakeRegistry } from './fakeRun.ts';

export async function createPlayer(settings: PlayerSettings): Promise<Player> {
  return playerOf(fakeRegistry(), settings, (spec, registry, hooks) => {
    if (spec.plusargs.includes('+FAKE=exit')) process.exit(5);
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
    return fakePlay(spec, registry, hooks);
  });
}
