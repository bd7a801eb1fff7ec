/** The player of `bin/player.ts` with the fake run: what workers of `hca_regress` load in specs. */

import { playerOf } from '../../bin/player.ts';
import type { Player, PlayerSettings } from '../../regress/pool/player.ts';
import { fakePlay, fakeRegistry } from './fakeRun.ts';

export async function createPlayer(settings: PlayerSettings): Promise<Player> {
  return playerOf(fakeRegistry(), settings, (spec, registry, hooks) => {
    if (spec.plusargs.includes('+FAKE=exit')) process.exit(5);
    return fakePlay(spec, registry, hooks);
  });
}
