/** What nodes of a farm are told, with a probe that is played here first. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FarmSettings } from '../../regress/farm/farmFiles.ts';
import { probed } from '../../regress/farm/playChunk.ts';
import type { Job } from '../../regress/job.ts';
import { PoolError } from '../../regress/pool/workerPool.ts';
import { localPool, type PoolCommand, type WorkerPrograms } from '../many/localPool.ts';
import type { CompiledFolders } from '../registries.ts';
import { currentVersions, projectRoot } from '../versions.ts';

/** A tenth of a second of everything that draws, sorts and counts. */
const PROBE = ['+UVM_TESTNAME=test_random', '+RC_QP_NUM=4', '+DB_NUM=4', '--seed', '20'];

/**
 * @param beatMs between two signs of life of a chunk
 * @throws PoolError when the probe cannot be played here
 */
export async function farmSettings(
  command: PoolCommand,
  testFolders: CompiledFolders,
  beatMs: number,
  programs: WorkerPrograms,
): Promise<FarmSettings> {
  const { sources, node } = currentVersions(projectRoot());
  const { keep, coverage, timeoutSeconds, heapMb, jobs: workers, stored } = command;
  return {
    sources,
    node,
    probe: await probeHere(command, programs),
    testFolders: Object.fromEntries(Object.entries(testFolders).map(([path, { sha256 }]) => [path, sha256])),
    keep,
    stored: stored !== undefined,
    coverage,
    timeoutSeconds,
    heapMb,
    workers,
    beatMs,
  };
}

async function probeHere(command: PoolCommand, programs: WorkerPrograms): Promise<FarmSettings['probe']> {
  const scratch = mkdtempSync(join(tmpdir(), 'rnic-verify-probe-'));
  const title = PROBE.join(' ');
  // Every machine has this folder.
  const job: Job = { id: 'probe', family: 'probe', title, argv: PROBE, cwd: '/', where: 'probe', timeoutSeconds: 0 };
  try {
    const alone = { ...command, jobs: 1, keep: 'none' as const, coverage: false, stored: undefined };
    const result = await probed(localPool(alone, scratch, {}, programs, {}), job);
    if (result?.status !== 'passed')
      throw new PoolError(`the probe ${title} does not pass here: ${result?.message ?? ''}`);
    return { job, transcript: result.transcript };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
