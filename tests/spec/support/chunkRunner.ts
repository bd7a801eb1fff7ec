/**
 * Plays a chunk of a farm with another player, as a node does: `chunkRunner <worker program> <player> <sources> [chunk]
 * <session> <number>`.
 */

import { type ChunkNumber, FarmFolder } from '../../../regress/farm/farmFolder.ts';
import { playChunk } from '../../../regress/farm/playChunk.ts';
import { LocalLauncher } from '../../../regress/pool/localLauncher.ts';

const [workerFile = '', playerUrl = '', sources = '', session = '', number = ''] = process.argv
  .slice(2)
  .filter((word) => word !== 'chunk');

const end = await playChunk(
  new FarmFolder(session),
  Number(number) as ChunkNumber,
  {
    sources,
    obstacle: () => Promise.resolve(undefined),
    launcher: ({ workers, heapMb, keep, timeoutSeconds }, out, listeners) =>
      new LocalLauncher({
        workers,
        workerFile,
        nodeArguments: [],
        heapMb,
        playerUrl,
        settings: { out, keep, timeoutSeconds },
        timeoutSeconds,
        attempts: 2,
        describe: ({ id }) => ({ test: 't', seed: 1, replay: `replay ${id}` }),
        ...listeners,
      }),
  },
  (stop) => void process.once('SIGTERM', stop),
);
process.stdout.write(`${end.kind}\n`);
