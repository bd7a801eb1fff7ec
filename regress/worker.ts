/**
 * A worker process of a regression: loads the player once, then plays batches of jobs.
 *
 * A run is synchronous and holds the process until it ends. The result of each job is flushed before the next one
 * begins, so that the parent knows which job a dead or stuck worker was playing: the first one without a result.
 */

import type { Job } from './job.ts';
import type { FromWorker, ToWorker } from './pool/messages.ts';
import type { Player, PlayerModule } from './pool/player.ts';

serve();

function serve(): void {
  let chain: Promise<void> = Promise.resolve();
  let player: Player | undefined;
  const handle = async (message: ToWorker): Promise<void> => {
    if (message.kind === 'setup') player = await load(message);
    else await playAll(player as Player, message.jobs);
  };
  process.on('message', (message: ToWorker) => {
    chain = chain.then(() => handle(message));
  });
  process.on('disconnect', () => process.exit(0));
  // A terminal sends these to all of its processes; the parent ends its workers by itself, and after its own fashion.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
}

async function load(message: Extract<ToWorker, { kind: 'setup' }>): Promise<Player | undefined> {
  try {
    const module = (await import(message.playerUrl)) as PlayerModule;
    const player = await module.createPlayer(message.settings);
    await send({ kind: 'ready' });
    return player;
  } catch (error) {
    await send({ kind: 'unusable', message: textOf(error) });
    return undefined;
  }
}

async function playAll(player: Player, jobs: readonly Job[]): Promise<void> {
  for (const job of jobs) await send(playOne(player, job));
}

function playOne(player: Player, job: Job): FromWorker {
  const start = performance.now();
  try {
    const played = player.play(job);
    return { kind: 'result', id: job.id, played, wallMs: performance.now() - start };
  } catch (error) {
    return { kind: 'threw', id: job.id, message: textOf(error), wallMs: performance.now() - start };
  }
}

function send(message: FromWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
