/** Shrinks one case of each bucket of failures, the largest bucket first, on workers of this machine. */

import { join, resolve } from 'node:path';
import { statOf } from '../../files/statOf.ts';
import type { Job, JobResult, ShrunkCase } from '../../regress/job.ts';
import { LocalLauncher } from '../../regress/pool/localLauncher.ts';
import { type FailureGroup, failureGroups } from '../../regress/report/failureGroups.ts';
import { counted } from '../../uvm/report/counted.ts';
import { ProgressLine } from '../cli/progressLine.ts';
import { folderOf } from '../player.ts';
import type { CompiledFolders } from '../registries.ts';
import type { Interrupt } from '../run/limits/interrupts.ts';
import type { ShrunkRecord } from '../shrink/shrunkRecord.ts';
import { type WorkerPrograms, workerStart } from './localPool.ts';
import { RegressStop } from './regressStop.ts';

/** How buckets are shrunk. */
export interface BucketSettings {
  /** Of the regression. */
  readonly folder: string;
  /** Worker processes. */
  readonly jobs: number;
  /** Of one bucket at most. */
  readonly runs: number;
  readonly seconds: number;
  /** No further bucket is begun after this time (s); default: all are. */
  readonly allSeconds?: number;
  readonly testFolders: CompiledFolders;
  /** What the processes of workers load; default: what the build has. */
  readonly programs: WorkerPrograms;
}

/** A bucket, and what has come of shrinking its smallest run. */
export interface ShrunkBucket {
  readonly bucket: FailureGroup;
  readonly result: JobResult;
  readonly outcome: ShrunkRecord | NotShrunk;
}

/** A bucket of which nothing smaller is known. */
export interface NotShrunk {
  /** What is said behind the id of the run. */
  readonly why: string;
  readonly hasRecord: boolean;
}

/** Whether shrinking has come to a result. */
export function isShrunk(outcome: ShrunkRecord | NotShrunk): outcome is ShrunkRecord {
  return 'shrunk' in outcome;
}

/** What has come of all. */
export interface ShrunkBuckets {
  /** Buckets that could be shrunk. */
  readonly planned: number;
  /** Those of them that nobody came to. */
  readonly left: number;
  readonly stoppedBy: Interrupt | undefined;
}

/** Beyond the seconds of a bucket: what its run takes, played twice, and what the explanation of what is left takes (s). */
const AROUND_SECONDS = 300;
const HEAP_MB = 2048;

/** @param tell called with each bucket as it ends */
export async function shrinkBuckets(
  results: readonly JobResult[],
  settings: BucketSettings,
  tell: (shrunk: ShrunkBucket) => void,
): Promise<ShrunkBuckets> {
  const byId = new Map(results.map((result) => [result.id, result]));
  const failed = failureGroups(results).filter(({ smallest }) => byId.get(smallest)?.status === 'failed');
  const buckets = new Map(failed.map((bucket) => [bucket.smallest, bucket]));
  const told = (id: string, outcome: ShrunkRecord | NotShrunk): void =>
    tell({ bucket: buckets.get(id) as FailureGroup, result: byId.get(id) as JobResult, outcome });
  const records = failed.map(({ smallest }) => ({ id: smallest, path: recordOf(smallest, settings) }));
  const kept = records.filter(({ path }) => statOf(path)?.isFile() === true);
  for (const { id, path } of records) {
    if (!kept.some((record) => record.id === id))
      told(id, { why: `has kept no record, ${path}; play it again with --keep failures`, hasRecord: false });
  }
  const found = new Map<string, ShrunkRecord>();
  const launcher = launcherOf(settings, ({ id }, finding) => found.set(id, finding as ShrunkRecord));
  // What has been found so far of those that are shrunk is kept.
  const stop = new RegressStop({ playing: () => launcher.playing(), stop: () => launcher.interrupt() });
  const progress = new ProgressLine();
  const { allSeconds } = settings;
  const limit = allSeconds === undefined ? undefined : setTimeout(() => launcher.finish(), allSeconds * 1000);
  let ended = 0;
  const show = (): void => progress.update(() => `shrinking: ${ended} of ${counted(kept.length, 'bucket')}`);
  show();
  try {
    await launcher.run(
      kept.map(({ id, path }) => jobOf(id, path, settings)),
      ({ id, message }) => {
        ended++;
        progress.clear();
        told(id, found.get(id) ?? { why: `cannot be shrunk: ${message}`, hasRecord: true });
        show();
      },
    );
  } finally {
    if (limit !== undefined) clearTimeout(limit);
    stop.close();
    progress.clear();
  }
  return { planned: kept.length, left: kept.length - ended, stoppedBy: stop.by };
}

/** A result with what its case has been shrunk to. */
export function withShrunk(result: JobResult, shrunk: ShrunkCase): JobResult {
  const cause = result.cause ?? { page: '', accuses: [], decides: '' };
  return { ...result, cause: { ...cause, shrunk } };
}

/** Where a result says that its record is, may be anywhere. */
function recordOf(id: string, { folder }: BucketSettings): string {
  return join(folderOf({ id }, resolve(folder)), 'run.json');
}

function jobOf(id: string, path: string, { runs, seconds }: BucketSettings): Job {
  return {
    id,
    family: 'shrink',
    title: '',
    argv: [path, '--shrink-runs', String(runs), '--shrink-seconds', String(seconds)],
    cwd: process.cwd(),
    where: path,
    timeoutSeconds: seconds + AROUND_SECONDS,
  };
}

function launcherOf(
  { jobs, testFolders, programs }: BucketSettings,
  onFinding: (job: Job, finding: unknown) => void,
): LocalLauncher {
  return new LocalLauncher({
    ...workerStart(programs, 'bin/shrink/shrinkPlayer', programs.shrinkPlayerUrl),
    workers: jobs,
    heapMb: HEAP_MB,
    settings: { out: '.', keep: 'none', testFolders },
    timeoutSeconds: 0,
    attempts: 1,
    describe: () => ({ test: '', seed: 0, replay: '' }),
    onFinding,
  });
}
