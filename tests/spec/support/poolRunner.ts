/**
 * A regression runner for specs that kill or stop it: `poolRunner <worker program> <player> <folder> <what> [seconds]` plays
 * `<what>` four times on two workers, with that limit of time, and prints what came of it. Each worker leaves a file in
 * the folder that has its process number as its name (`orphanPlayer.ts`, `walkingPlayer.ts`).
 */

import { WorkerPool } from '../../../regress/pool/workerPool.ts';
import { aJob } from './jobs.ts';

const [workerFile = '', playerUrl = '', folder = '', what = '', seconds = '0'] = process.argv.slice(2);

await new WorkerPool(
  {
    workers: 2,
    workerFile,
    nodeArguments: [],
    heapMb: 100,
    playerUrl,
    settings: { out: folder, keep: 'none', timeoutSeconds: Number(seconds) },
    timeoutSeconds: Number(seconds),
    graceSeconds: 6,
    attempts: 1,
    describe: (job) => ({ test: 't', seed: 1, replay: job.id }),
    onResult: ({ status, message }) => void process.stdout.write(`${status} ${message}`.trimEnd().concat('\n')),
  },
  Array.from({ length: 4 }, (_, i) => aJob({ id: `j${i}`, argv: what.split(' ') })),
).run();
