/**
 * A regression runner for specs that kill it: `poolRunner.ts <folder> <what>` plays `<what>` on two workers, each of
 * which leaves a file in the folder that has its process number as its name (`orphanPlayer.ts`).
 */

import { fileURLToPath } from 'node:url';
import { WorkerPool } from '../../../regress/pool/workerPool.ts';
import { aJob } from './jobs.ts';

const [folder = '', what = ''] = process.argv.slice(2);

await new WorkerPool(
  {
    workers: 2,
    workerFile: fileURLToPath(new URL('../../../regress/worker.ts', import.meta.url)),
    nodeArguments: ['--import', 'tsx'],
    heapMb: 100,
    playerUrl: new URL('./orphanPlayer.ts', import.meta.url).href,
    settings: { out: folder, keep: 'none' },
    timeoutSeconds: 0,
    attempts: 1,
    describe: (job) => ({ test: 't', seed: 1, replay: job.id }),
    onResult: () => {},
  },
  Array.from({ length: 8 }, (_, i) => aJob({ id: `j${i}`, argv: [what] })),
).run();
