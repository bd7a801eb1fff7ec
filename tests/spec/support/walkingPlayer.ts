/**
 * The player of `bin/player.ts` with two tests of its own: `walks` takes some wall-clock time, and lets simulated time pass
 * all the while; `never_waits` does not. See `poolRunner.ts`.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { playerOf } from '../../../bin/player.ts';
import { registryOf } from '../../../bin/registry.ts';
import type { Player, PlayerHost, PlayerSettings } from '../../../regress/pool/player.ts';
import { Component } from '../../../uvm/base/component.ts';
import type { Phase } from '../../../uvm/base/phase.ts';
import { delay, type Proc } from '../../../uvm/kernel/process.ts';

const STEPS = 40;
const STEP_MS = 10;
/** More than the simulated time between two looks at the clock (ps). */
const STEP_PS = 1e9;

class Walks extends Component {
  static readonly typeName = 'walks';

  override *runPhase(phase: Phase): Proc {
    phase.raiseObjection(this);
    for (let step = 0; step < STEPS; step++) {
      for (const end = performance.now() + STEP_MS; performance.now() < end; );
      yield* delay(STEP_PS);
    }
    phase.dropObjection(this);
  }

  runCounts(): Record<string, number> {
    return { checks: 1 };
  }
}

class NeverWaits extends Component {
  static readonly typeName = 'never_waits';

  override *runPhase(phase: Phase): Proc {
    phase.raiseObjection(this);
    yield* delay(STEP_PS);
    for (;;);
  }
}

export function createPlayer(settings: PlayerSettings, host: PlayerHost): Promise<Player> {
  writeFileSync(join(settings.out, String(process.pid)), '');
  const registry = registryOf([{ folder: 'tests', name: 'walking', exports: { Walks, NeverWaits } }]);
  return Promise.resolve(playerOf(registry, settings, host));
}
