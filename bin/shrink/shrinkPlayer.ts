/** Shrinks recorded runs in a worker process. The first argument of a job is the path of a record, the rest are limits. */

import { resolve } from 'node:path';
import { type Job, NOTHING_PLAYED } from '../../regress/job.ts';
import type { Measured, PlayedJob, Player, PlayerSettings } from '../../regress/pool/player.ts';
import { readRunRecord } from '../../regress/readRunRecord.ts';
import { RunRecordError } from '../../regress/runRecordError.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import { Registries } from '../registries.ts';
import { loadRegistry } from '../registry.ts';
import { ShrinkError } from './shrinkFailure.ts';
import { shrunkRecord } from './shrunkRecord.ts';

/** Called by the worker process. What it finds of a job is a `ShrunkRecord`; a job without one says why in its message. */
export async function createPlayer({ testFolders }: PlayerSettings): Promise<Player> {
  const registries = new Registries(await loadRegistry(), () => {}, testFolders);
  let interrupted = false;
  process.on('SIGINT', () => {
    interrupted = true;
  });
  const stop = async (): Promise<string | undefined> => {
    // Signals are delivered between two runs.
    await new Promise((resolve) => void setImmediate(resolve));
    return interrupted ? 'interrupted' : undefined;
  };
  return {
    async play({ argv: [path = '', ...limits], cwd, family }: Job): Promise<PlayedJob & Measured> {
      if (process.cwd() !== cwd) process.chdir(cwd);
      const none = { ...NOTHING_PLAYED, test: family, seed: 0, replay: '' };
      try {
        const typed = parseTestCommand([...limits, ...ownFolder(path, testFolders ?? {})]);
        const finding = await shrunkRecord(path, typed, { registries, stop });
        return { ...none, status: 'passed', finding };
      } catch (error) {
        if (!(error instanceof ShrinkError || error instanceof RunRecordError)) throw error;
        return { ...none, status: 'error', message: error.message };
      }
    },
  };
}

/** The folder of tests of a record, where the regression was permitted to load it. */
function ownFolder(path: string, permitted: NonNullable<PlayerSettings['testFolders']>): string[] {
  const { cwd, testPath } = readRunRecord(path);
  const folder = resolve(cwd, testPath.path);
  return testPath.path !== '' && folder in permitted ? [`+TEST_PATH=${folder}`] : [];
}
