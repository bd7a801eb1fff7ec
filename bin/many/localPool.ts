/** Workers of this machine that play the runs of a regression with `bin/player`. */

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LocalLauncher } from '../../regress/pool/localLauncher.ts';
import type { PoolOptions } from '../../regress/pool/workerPool.ts';
import type { RegressCommand } from '../cli/commands/regressCommand.ts';
import type { CompiledFolders } from '../registries.ts';
import { currentVersions, projectRoot } from '../versions.ts';
import { describeJob } from './jobs/jobSource.ts';
import { salvage } from './salvage.ts';

/** Seconds that a run has beyond its wall-clock limit to end by itself, before its process is killed. */
const GRACE_SECONDS = 3;

/** What the processes of workers load; default: what the build has. */
export interface WorkerPrograms {
  /** Module that plays. */
  readonly playerUrl?: string;
  /** Module that shrinks failures of a regression. */
  readonly shrinkPlayerUrl?: string;
  /** Module that plants bugs. */
  readonly bugPlayerUrl?: string;
  /** The program itself. */
  readonly workerFile?: string;
  /** Plays chunks of a farm: `hca_regress` with its words. */
  readonly chunkProgram?: readonly string[];
}

/** What a pool of workers is started with. */
export type WorkerStart = Pick<PoolOptions, 'workerFile' | 'nodeArguments' | 'playerUrl'>;

/**
 * @param player module of the build that plays, from the top and without ending: `bin/player`
 * @param playerUrl in place of that
 */
export function workerStart({ workerFile }: WorkerPrograms, player: string, playerUrl?: string): WorkerStart {
  const fromSource = import.meta.url.endsWith('.ts');
  const inBuild = (name: string): URL => new URL(`../../${name}${fromSource ? '.ts' : '.js'}`, import.meta.url);
  const file = workerFile ?? fileURLToPath(inBuild('regress/worker'));
  return {
    workerFile: file,
    // From sources: what has let this process load them.
    nodeArguments: file.endsWith('.ts') ? process.execArgv : [],
    playerUrl: playerUrl ?? inBuild(player).href,
  };
}

/** How runs are played. */
export type PoolCommand = Pick<RegressCommand, 'keep' | 'timeoutSeconds' | 'coverage' | 'stored' | 'jobs' | 'heapMb'>;

/** @param folder of the regression */
export function localPool(
  command: PoolCommand,
  folder: string,
  testFolders: CompiledFolders,
  programs: WorkerPrograms,
  listeners: Pick<PoolOptions, 'onRetry' | 'onCoverage'>,
): LocalLauncher {
  const { keep, timeoutSeconds, coverage } = command;
  const stored = command.stored !== undefined;
  const settings = { out: resolve(folder), keep, timeoutSeconds, coverage, testFolders, stored };
  // Modules of such a folder import those of the build, not those of the bundle.
  const bundled = Object.keys(testFolders).length === 0 ? programs.playerUrl : undefined;
  const versions = currentVersions(projectRoot());
  return new LocalLauncher({
    ...workerStart(programs, 'bin/player', bundled),
    workers: command.jobs,
    heapMb: command.heapMb,
    settings,
    timeoutSeconds,
    graceSeconds: GRACE_SECONDS,
    attempts: 2,
    describe: describeJob,
    salvage: (job, end) => salvage(job, end, settings, versions),
    ...listeners,
  });
}
