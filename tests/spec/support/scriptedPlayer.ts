/**
 * A player for specs of the worker pool: what a job does is written in its arguments.
 *   pass | busy [<ms>] | fail | throw | hang | untilAsked | exit <code> | die | abort | memory | once <file> <what> (does it only the first time)
 */

import { existsSync, writeFileSync } from 'node:fs';
import type { Job } from '../../../regress/job.ts';
import type { PlayedJob, Player, PlayerSettings } from '../../../regress/pool/player.ts';

export async function createPlayer(settings: PlayerSettings): Promise<Player> {
  if (settings.out === 'unusable') throw new Error('no licence');
  if (settings.out === 'dies') process.exit(9);
  return { play };
}

async function play(job: Job): Promise<PlayedJob> {
  let [what = 'pass', ...rest] = job.argv;
  if (what === 'once') {
    const file = rest[0] as string;
    what = existsSync(file) ? 'pass' : (rest[1] as string);
    writeFileSync(file, '');
    rest = [];
  }
  const none = {
    test: 't',
    seed: 1,
    simulatedTimePs: 5,
    checks: 1,
    transcript: 'x',
    signature: null,
    errorIds: [],
    replay: 'again',
    folder: '',
    log: '',
    unused: [],
    switchedOff: 0,
  };
  if (what === 'throw') throw new Error('thrown in the player');
  if (what === 'exit') process.exit(Number(rest[0] ?? 0));
  if (what === 'die') process.nextTick(dieLoudly);
  if (what === 'die') await new Promise(() => {});
  if (what === 'abort') process.abort();
  if (what === 'memory') eatMemory();
  if (what === 'untilAsked') await new Promise((resolve) => void process.once('SIGINT', resolve));
  while (what === 'hang');
  if (what === 'busy') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(rest[0] ?? 40));
  return what === 'fail' ? { ...none, status: 'failed', message: 'wrong' } : { ...none, status: 'passed', message: '' };
}

function dieLoudly(): never {
  throw new TypeError('nobody waits for this');
}

function eatMemory(): never {
  const kept: object[][] = [];
  for (;;) kept.push(Array.from({ length: 10_000 }, (_, i) => ({ i })));
}
