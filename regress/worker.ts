/**
 * A worker process of a regression: loads the player once, then plays batches of jobs.
 *
 * A run is synchronous and holds the process until it ends. The result of each job is flushed before the next one
 * begins, so that the parent knows which job a dead or stuck worker was playing: the first one without a result.
 */

import type { ToWorker } from './pool/messages.ts';
import { endAtOnce, endWithParent } from './pool/parentWatch.ts';
import type { Player, PlayerHost, PlayerModule } from './pool/player.ts';
import { send, textOf, WorkerJobs } from './workerJobs.ts';

serve();

function serve(): void {
  endWithParent(Number(process.argv[2]));
  let chain: Promise<void> = Promise.resolve();
  let player: Player | undefined;
  const jobs = new WorkerJobs();
  const handle = async (message: ToWorker): Promise<void> => {
    if (message.kind === 'setup') player = await load(message, jobs);
    else await jobs.playAll(player as Player, message.jobs, message.attempt);
  };
  process.on('message', (message: ToWorker) => {
    chain = chain.then(() => handle(message));
  });
  process.on('disconnect', endAtOnce);
  // A terminal sends these to all of its processes; the parent ends its workers by itself, and after its own fashion.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
}

async function load(message: Extract<ToWorker, { kind: 'setup' }>, host: PlayerHost): Promise<Player | undefined> {
  try {
    const module = (await import(message.playerUrl)) as PlayerModule;
    const player = await module.createPlayer(message.settings, host);
    await send({ kind: 'ready' });
    return player;
  } catch (error) {
    await send({ kind: 'unusable', message: textOf(error) });
    return undefined;
  }
}
