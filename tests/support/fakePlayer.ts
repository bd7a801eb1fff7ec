/** The player of `bin/player.ts` with the fake run: what workers of `hca_regress` load in specs. */

import { playerOf } from '../../bin/player.ts';
import type { Player, PlayerSettings } from '../../regress/pool/player.ts';
import { fakePlay, fakeRegistry } from './fakeRun.ts';

export async function createPlayer(settings: PlayerSettings): Promise<Player> {
  return playerOf(fakeRegistry(), settings, (spec, registry, hooks) => {
    if (spec.plusargs.includes('+FAKE=exit')) process.exit(5);
    if (spec.plusargs.includes('+FAKE=hang')) {
      hooks.sink('UVM_ERROR @ 0ns: reporter [SCB_DATA] last words');
      for (const end = performance.now() + 600; performance.now() < end; );
      hooks.sink('UVM_INFO @ 0ns: reporter [RNTST] still here');
      for (;;);
    }
    return fakePlay(spec, registry, hooks);
  });
}
