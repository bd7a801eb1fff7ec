/** Sees to what a run of a regression left whose process was killed or died. */

import { appendFileSync } from 'node:fs';
import { visibleText } from '../../uvm/report/visibleText.ts';
import { dirname, join, resolve } from 'node:path';
import { writeJson } from '../../regress/atomicFile.ts';
import type { Job } from '../../regress/job.ts';
import { makeFolder } from '../../regress/makeFolder.ts';
import type { PlayedJob, PlayerSettings } from '../../regress/pool/player.ts';
import type { JobEnd } from '../../regress/pool/workerPool.ts';
import type { Versions } from '../../regress/runRecord.ts';
import { callOf } from '../calledAs.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import { closingLines } from '../run/closingLine.ts';
import { folderOf } from '../player.ts';
import { inOwnFolder } from '../run/ownFolder.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import { recordOf, unfinished } from '../run/recordOf.ts';

/**
 * Ends the log so far with how the run ended and leaves a record that can be replayed.
 * @returns what the result of the job says besides
 */
export function salvage(job: Job, end: JobEnd, settings: PlayerSettings, versions: Versions): Partial<PlayedJob> {
  const call = callOf(job, process.cwd());
  const result = unfinished(end.status.toUpperCase(), end.message.split('\n')[0] as string);
  const { signature } = result;
  if (settings.keep === 'none') return { signature };
  const folder = folderOf(job, settings.out);
  const typed = parseTestCommand(job.argv, process.env, job.cwd);
  const command = loadCommand(settings.stored === true ? inOwnFolder(typed, folder) : typed, job.cwd);
  const log = command.log === undefined ? join(folder, 'run.log') : resolve(job.cwd, command.log);
  const testFolder = command.testPath === undefined ? '' : resolve(job.cwd, command.testPath);
  const testSha256 = settings.testFolders?.[testFolder]?.sha256 ?? '';
  const named = { versions, testSha256, argv: job.argv, call, id: job.id, folder, cwd: job.cwd };
  const around = { started: new Date(Date.now() - end.wallMs), wallMs: end.wallMs, log };
  try {
    const record = recordOf(command, named, result, around);
    makeFolder(dirname(log));
    appendFileSync(log, visibleText([end.message, ...closingLines(record), ''].join('\n')));
    writeJson(join(folder, 'run.json'), record);
    return { signature, folder, log };
  } catch {
    // The disk may be what ended the run; the result says that nothing was kept.
    return { signature };
  }
}
