/** Sees to what a run of a regression left whose process was killed or died. */

import { appendFileSync } from 'node:fs';
import { readStoredText } from '../../files/inputFile.ts';
import { fileProblem } from '../../files/fileError.ts';
import { visibleText } from '../../uvm/report/visibleText.ts';
import { dirname, join, resolve } from 'node:path';
import { writeAtomically, writeJson } from '../../regress/atomicFile.ts';
import type { Job } from '../../regress/job.ts';
import { makeFolder } from '../../regress/makeFolder.ts';
import type { PlayedJob, PlayerSettings } from '../../regress/pool/player.ts';
import type { JobEnd } from '../../regress/pool/workerPool.ts';
import type { RunFailure, RunRecord, Versions } from '../../regress/runRecord.ts';
import { readRunRecord } from '../../regress/readRunRecord.ts';
import { RunRecordError } from '../../regress/runRecordError.ts';
import { callOf } from '../calledAs.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import { closingLines } from '../run/closingLine.ts';
import { causeOf, folderOf } from '../player.ts';
import { failureText } from '../run/failure/failureText.ts';
import { meaningOf } from '../run/failure/meanings.ts';
import { nextLines } from '../run/playCommand.ts';
import { inOwnFolder } from '../run/ownFolder.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import type { RunSoFar } from '../run/runSpec.ts';
import { FAILURE_PAGE, recordOf, unfinished } from '../run/recordOf.ts';

/** Id of a run that has left a record and goes on. */
const GOES_ON = 'UNFINISHED';
/** Bytes of a log of which the latest lines are shown. */
const MOST_LOG = 64 * 2 ** 20;
/** Lines of it. */
const LAST_LINES = 20;

/**
 * Ends the log so far with how the run ended and leaves a record that can be replayed, and a page: with the events that the
 * run has kept on disk while it went on, or else with the last lines of its log.
 * @returns what the result of the job says besides
 */
export function salvage(job: Job, end: JobEnd, settings: PlayerSettings, versions: Versions): Partial<PlayedJob> {
  const call = callOf(job, process.cwd());
  const message = end.message.split('\n')[0] as string;
  const { signature } = unfinished(end.status.toUpperCase(), message);
  if (settings.keep === 'none') return { signature };
  const folder = folderOf(job, settings.out);
  const typed = parseTestCommand(job.argv, process.env, job.cwd);
  const command = loadCommand(settings.stored === true ? inOwnFolder(typed, folder) : typed, job.cwd);
  const log = command.log === undefined ? join(folder, 'run.log') : resolve(job.cwd, command.log);
  const testFolder = command.testPath === undefined ? '' : resolve(job.cwd, command.testPath);
  const testSha256 = settings.testFolders?.[testFolder]?.sha256 ?? '';
  const named = { versions, testSha256, argv: job.argv, call, id: job.id, folder, cwd: job.cwd };
  try {
    const before = recordSoFar(folder, { seed: command.seed, test: command.testName });
    const ended = unfinished(end.status.toUpperCase(), message, before && soFarOf(before));
    const result = { ...ended, endedBy: hasFinding(before) ? ended.signature : null };
    const next = nextLines(result.verdict, command, { call, folder, keep: settings.keep });
    const failure = pageOf(result.signature, end.message, before?.failure ?? undefined, { log, next });
    const around = { started: new Date(Date.now() - end.wallMs), wallMs: end.wallMs, log, failure };
    const record = recordOf(command, named, result, around);
    makeFolder(dirname(log));
    appendFileSync(log, visibleText([end.message, ...closingLines(record), ''].join('\n')));
    writeJson(join(folder, 'run.json'), record);
    writeAtomically(join(folder, FAILURE_PAGE), failureText(record, failure));
    return { signature, folder, log, ...causeOf(record, folder) };
  } catch {
    // The disk may be what ended the run; the result says that nothing was kept.
    return { signature };
  }
}

/** What the run has left on disk while it went on; undefined where that is nothing, or of another run. */
function recordSoFar(folder: string, { seed, test }: Pick<RunRecord, 'seed' | 'test'>): RunRecord | undefined {
  try {
    const record = readRunRecord(folder);
    return record.signature?.id === GOES_ON && record.seed === seed && record.test === test ? record : undefined;
  } catch (error) {
    if (error instanceof RunRecordError) return undefined;
    throw error;
  }
}

/** Whether a run had found an error while it went on. */
function hasFinding(before: Pick<RunRecord, 'failure'> | undefined): boolean {
  const id = before?.failure?.id;
  return id !== undefined && id !== GOES_ON;
}

/** Checkpoints of a run that has not ended help nobody. */
function soFarOf({ counts, simulatedTimePs, transcript, parameters }: RunRecord): RunSoFar {
  const { hash, events } = transcript;
  return { counts, simulatedTimePs, transcript: { hash, events }, parameters };
}

/** @param soFar the page of the run as it went on; its finding is kept if it had one */
function pageOf(
  signature: RunRecord['signature'],
  text: string,
  soFar: RunFailure | undefined,
  { log, next }: { readonly log: string; readonly next: string[] },
): RunFailure {
  if (hasFinding({ failure: soFar ?? null })) return { ...(soFar as RunFailure), next };
  const { id = '', component = '', time = 0 } = signature ?? {};
  const found = { id, component, text, time, meaning: meaningOf(id), next };
  if (soFar !== undefined) return { ...soFar, ...found };
  return {
    ...found,
    text: [text, ...lastLines(log)].join('\n'),
    errors: [],
    source: 'run',
    accuses: [],
    looksLike: [],
    lines: [],
    queuePairs: [],
    request: null,
    events: [],
    commands: [],
    against: null,
  };
}

/** The end of a log, or nothing where there is none. */
function lastLines(log: string): string[] {
  let lines: string[] = [];
  const problem = fileProblem(log, () => {
    lines = readStoredText(log, { mostBytes: MOST_LOG }).trimEnd().split('\n').slice(-LAST_LINES);
  });
  return problem === undefined && lines.some((line) => line !== '') ? ['', 'The last lines of its log:', ...lines] : [];
}
