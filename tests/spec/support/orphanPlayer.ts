/** A player whose runs end only with their process; see `poolRunner.ts`. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Job } from '../../../regress/job.ts';
import type { PlayedJob, Player, PlayerHost, PlayerSettings } from '../../../regress/pool/player.ts';
import { LateErrors } from '../../../bin/run/limits/lateErrors.ts';

const HOLD_MS = 500;

export function createPlayer({ out }: PlayerSettings, host: PlayerHost): Promise<Player> {
  const lateErrors = new LateErrors((error, id) => host.stray(error, id));
  const play = async ({ id, argv: [what] }: Job): Promise<PlayedJob> => {
    writeFileSync(join(out, String(process.pid)), '');
    if (what === 'hang') for (;;);
    if (what === 'wait') await new Promise(() => {});
    await lateErrors.settle(id, () => {
      for (const end = performance.now() + HOLD_MS; performance.now() < end; );
    });
    return RESULT;
  };
  return Promise.resolve({ play });
}

const RESULT: PlayedJob = {
  status: 'passed',
  test: 't',
  seed: 1,
  simulatedTimePs: 5,
  checks: 1,
  transcript: 'x',
  signature: null,
  errorIds: [],
  message: '',
  replay: 'again',
  folder: '',
  log: '',
  unused: [],
  switchedOff: 0,
};
