/**
 * A regression runner for specs that kill or stop it: `poolRunner.ts <folder> <what> [seconds] [orphan|walking]` plays `<what>`
 * eight times on two workers, with that limit of time, and prints what came of it. Each worker leaves a file in the folder
 * that has its process number as its name (`orphanPlayer.ts`, `walkingPlayer.ts`).
 */

import { fileURLToPath } from 'node:url';
import { WorkerPool } from '../../../regress/pool/workerPool.ts';
import { aJob } from './jobs.ts';

const [folder = '', what = '', seconds = '0', player = 'orphan'] = process.argv.slice(2);
const PLAYERS = {
  orphan: new URL('./orphanPlayer.ts', import.meta.url),
  walking: new URL('./walkingPlayer.ts', import.meta.url),
};

await new WorkerPool(
  {
    workers: 2,
    workerFile: fileURLToPath(new URL('../../../regress/worker.ts', import.meta.url)),
    nodeArguments: ['--import', 'tsx'],
    heapMb: 100,
    playerUrl: PLAYERS[player as keyof typeof PLAYERS].href,
    settings: { out: folder, keep: 'none', timeoutSeconds: Number(seconds) },
    timeoutSeconds: Number(seconds),
    graceSeconds: 6,
    attempts: 1,
    describe: (job) => ({ test: 't', seed: 1, replay: job.id }),
    onResult: ({ status, message }) => void process.stdout.write(`${status} ${message}`.trimEnd().concat('\n')),
  },
  Array.from({ length: 8 }, (_, i) => aJob({ id: `j${i}`, argv: what.split(' ') })),
).run();
