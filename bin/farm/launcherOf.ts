/** Where the runs of a regression are played: on workers of this machine, or on a farm. */

import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FarmFolder } from '../../regress/farm/farmFolder.ts';
import { FarmLauncher, type FarmOptions } from '../../regress/farm/farmLauncher.ts';
import type { ChunkCommand, Scheduler } from '../../regress/farm/scheduler.ts';
import { QueueScheduler } from '../../regress/farm/schedulers/bullmq.ts';
import { LsfScheduler } from '../../regress/farm/schedulers/lsf.ts';
import { SlurmScheduler } from '../../regress/farm/schedulers/slurm.ts';
import { newTemplateScheduler } from '../../regress/farm/schedulers/template.ts';
import type { PoolOptions } from '../../regress/pool/workerPool.ts';
import type { Launcher } from '../../regress/launcher.ts';
import { counted } from '../../uvm/report/counted.ts';
import type { FarmCommand } from '../cli/commands/farmCommand.ts';
import type { RegressCommand } from '../cli/commands/regressCommand.ts';
import { describeJob } from '../many/jobs/jobSource.ts';
import { localPool, type PoolCommand, type WorkerPrograms } from '../many/localPool.ts';
import { folderOf } from '../player.ts';
import type { CompiledFolders } from '../registries.ts';
import { projectRoot } from '../versions.ts';
import { farmSettings } from './farmSettings.ts';

type PlayCommand = PoolCommand & Pick<RegressCommand, 'farm'>;
type Listeners = Required<Pick<PoolOptions, 'onRetry' | 'onCoverage'>> & Pick<FarmOptions, 'onNote'>;

/** As many calls of a template at a time where nobody says more. */
const TEMPLATE_SLOTS = 8;
const MOST_RUNS_OF_CHUNK = 100;
const MOST_BARREN = 10;
/** Chunks for each slot, so that all slots end together. */
const CHUNKS_OF_SLOT = 4;
/** Signs of life within the time after which a chunk counts as lost. */
const BEATS = 8;
/** A scheduler says that a chunk is gone; for so long its last results may be on their way through the file server (ms). */
const SETTLE_MS = 10_000;
const PACE = { resultsMs: 250, leasesMs: 2000, schedulerMs: 5000 };

/** @param folder of the regression */
export function launcherOf(
  command: PlayCommand,
  folder: string,
  testFolders: CompiledFolders,
  programs: WorkerPrograms,
  listeners: Listeners,
): Launcher {
  const { farm } = command;
  if (farm === undefined) return localPool(command, folder, testFolders, programs, listeners);
  const out = resolve(folder);
  const lostMs = farm.lostAfterSeconds * 1000;
  const program = programs.chunkProgram ?? [join(fileURLToPath(projectRoot()), 'hca_regress')];
  // What is permitted to be loaded stands on the command line, not in a file that anybody may have changed.
  const permitted = Object.keys(testFolders).map((path) => `+TEST_PATH=${path}`);
  return new FarmLauncher({
    out,
    settings: () => farmSettings(command, testFolders, Math.round(lostMs / BEATS), programs),
    scheduler: (session) => schedulerOf(farm, { farm: session, command: chunkCommandOf(program, session, permitted) }),
    runsOfChunk: (runs) => farm.chunk ?? runsOfChunk(runs, command.jobs, farm.slots),
    attempts: 2,
    mostBarren: MOST_BARREN,
    patience: { lostMs, settleMs: Math.min(SETTLE_MS, lostMs) },
    pace: { ...PACE, leasesMs: Math.min(PACE.leasesMs, lostMs / BEATS) },
    describe: describeJob,
    clear: (job) => rmSync(folderOf(job, out), { recursive: true, force: true }),
    ...listeners,
  });
}

/** Who plays, for people. */
export function placeOf({ farm, jobs }: Pick<RegressCommand, 'farm' | 'jobs'>): string {
  if (farm === undefined) return counted(jobs, 'worker');
  return `${farm.launcher}, ${counted(jobs, 'worker')} a chunk`;
}

function chunkCommandOf(program: readonly string[], { path }: FarmFolder, permitted: readonly string[]): string[] {
  return [...program, 'chunk', path, ...permitted];
}

function schedulerOf(farm: FarmCommand, command: ChunkCommand): Scheduler {
  const { launcher, slots, words, submit, status, cancel, queue } = farm;
  if (queue !== undefined) return new QueueScheduler(command.farm, queue);
  if (launcher === 'slurm') return new SlurmScheduler({ ...command, slots, words });
  if (launcher === 'lsf') return new LsfScheduler({ ...command, slots, words });
  return newTemplateScheduler({ ...command, submit, status, cancel, slots: slots ?? TEMPLATE_SLOTS });
}

function runsOfChunk(runs: number, workers: number, slots: number | undefined): number {
  const most = MOST_RUNS_OF_CHUNK * workers;
  return slots === undefined ? most : Math.max(1, Math.min(most, Math.ceil(runs / (slots * CHUNKS_OF_SLOT))));
}
