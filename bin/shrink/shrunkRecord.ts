/** The run of a record, shrunk into a file beside it: `shrunk.yaml`. */

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../regress/atomicFile.ts';
import { FailureDatabase, FAILURES_FOLDER } from '../../regress/failures/failureDatabase.ts';
import type { ShrunkCase } from '../../regress/job.ts';
import type { RunRecord } from '../../regress/runRecord.ts';
import { callText } from '../../config/scenario/calls/callText.ts';
import { counted } from '../../uvm/report/counted.ts';
import { testProgram } from '../calledAs.ts';
import type { TestCommand } from '../cli/commands/testCommand.ts';
import type { Registries } from '../registries.ts';
import type { LoadedCommand } from '../run/loadedCommand.ts';
import { specOf } from '../run/playCommand.ts';
import { replayCommand } from '../run/replay/replay.ts';
import { callLine } from '../run/replay/replayLine.ts';
import { type WorkerPrograms, workerStart } from '../many/localPool.ts';
import type { TrialWorkersStart } from './trialWorkers.ts';
import { explanations } from './explain.ts';
import { writeShrunkSequence } from './shrunkSequence.ts';
import { ownPlusargs, ShrinkError, shrinkFailure, type ShrinkResult, type ShrinkTask } from './shrinkFailure.ts';

const SHRUNK_FILE = 'shrunk.yaml';

const DEFAULT_RUNS = 2000;
const DEFAULT_SECONDS = 600;

/** What a record is shrunk with. */
export interface RecordContext extends Pick<ShrinkTask, 'stop' | 'progress'> {
  readonly registries: Registries;
  /** How processes that play candidates are started; default: all are played in this process. */
  readonly workers?: { readonly count: number; readonly programs: WorkerPrograms };
  /** Folder of the failure database; default `.failures`. */
  readonly failures?: string | undefined;
}

/** What has come of it. */
export interface ShrunkRecord {
  readonly shrunk: ShrunkCase;
  /** What there is to be said of it, without the line that plays it. */
  readonly lines: readonly string[];
}

/**
 * @param path of the record, or of its folder
 * @param typed limits, and the folder of tests that may be loaded
 * @throws RunRecordError when the record cannot be used
 * @throws ShrinkError when the run cannot be shrunk
 */
export async function shrunkRecord(path: string, typed: TestCommand, context: RecordContext): Promise<ShrunkRecord> {
  const { registries, stop, progress } = context;
  const { command, record } = replayCommand(path, typed);
  const { registry, problems } = await registries.open(command.testPath, process.cwd());
  if (problems.length > 0) throw new ShrinkError(problems.join('\n'));
  const budget = { runs: typed.shrinkRuns ?? DEFAULT_RUNS, seconds: typed.shrinkSeconds ?? DEFAULT_SECONDS };
  const watch = { ...(stop === undefined ? {} : { stop }), ...(progress === undefined ? {} : { progress }) };
  const { workers } = context;
  const start = workers === undefined ? {} : { workers: startOf(workers, registries), testPath: command.testPath };
  const found = await shrinkFailure({ spec: specOf(command, ''), registry, budget, ...start, ...watch });
  const file = join(folderOf(path), SHRUNK_FILE);
  const text = textOf(found, record, command);
  writeAtomically(file, text);
  const { after, reference, ended, scenario } = found;
  const own = ownPlusargs(command.plusargs.map((token) => token.text));
  const failure = { scenario, id: found.signature.slice(1).split(']')[0] as string, plusargs: own };
  const head = [`Fails with ${found.signature}`, `Legal: ${reference}.`];
  // A sequence needs no tests of somebody's own, and cannot have them.
  const sequence =
    command.testPath === undefined ? await writeShrunkSequence({ ...failure, head }, folderOf(path), registry) : [];
  const replay = callLine({ program: testProgram() }, playArguments(command, file));
  return {
    shrunk: { scenario: file, replay, ...after, legal: reference, ended },
    lines: [...summary(found), ...sequence, note(found, record, command, text, context.failures ?? FAILURES_FOLDER)],
  };
}

function startOf(
  { count, programs }: NonNullable<RecordContext['workers']>,
  { compiled }: Registries,
): TrialWorkersStart {
  return { ...workerStart(programs, 'bin/shrink/trialPlayer'), workers: count, testFolders: compiled };
}

function folderOf(path: string): string {
  return statSync(path).isDirectory() ? path : dirname(path);
}

/** Head of the file: what fails, where it comes from, how to play it. */
function textOf(found: ShrinkResult, record: RunRecord, command: LoadedCommand): string {
  const { scenario, signature, before, after, free, reference } = found;
  const head = [
    `Fails with ${signature}`,
    `Shrunk from ${counted(before.calls, 'call')} and ${counted(before.requests, 'request')} to ${after.calls} and ${after.requests}.`,
    `Legal: ${reference}.`,
    `The whole run: ${record.replay}`,
    `This one: ${callLine({ program: testProgram() }, playArguments(command, `<this file>`))}`,
  ];
  return callText(scenario, head, explanations(scenario, free));
}

function playArguments(command: LoadedCommand, file: string): string[] {
  const own = ownPlusargs(command.plusargs.map(({ text }) => text));
  const folder = command.testPath === undefined ? [] : [`+TEST_PATH=${command.testPath}`];
  return [...own, ...folder, '--scenario', file];
}

function summary(found: ShrinkResult): string[] {
  const { before, after, runs, seconds, ended, instead, isKnown, signature, reference, illegal } = found;
  const size = `${counted(before.calls, 'call')} and ${counted(before.requests, 'request')} to ${after.calls} and ${after.requests}`;
  const end = ended === '' ? 'nothing more can be taken out' : `ended ${ended}; the best so far is kept`;
  return [
    ...(instead === ''
      ? []
      : [
          `the calls alone do not fail with ${instead}, but with ${isKnown ? 'another error of the run' : 'an error that the run does not have'}`,
        ]),
    `shrunk ${size} in ${counted(runs, 'run')}, ${seconds.toFixed(1)} s: ${end}`,
    `fails with ${signature}`,
    `legal: ${reference}${illegal === 0 ? '' : `; ${counted(illegal, 'smaller case')} ${illegal === 1 ? 'was' : 'were'} not, and ${illegal === 1 ? 'is' : 'are'} left out`}`,
    ...othersLine(found),
  ];
}

/** Other findings on the way are a matter for other runs. */
function othersLine({ others }: ShrinkResult): string[] {
  if (others.size === 0) return [];
  const times = [...others.values()].reduce((sum, count) => sum + count, 0);
  return [`other findings met: ${others.size}, ${counted(times, 'time')}`];
}

/** A planted bug is no failure that anybody has to mend. */
function note(
  { signature, instead }: ShrinkResult,
  record: RunRecord,
  command: LoadedCommand,
  text: string,
  failures: string,
): string {
  const { parameters, test, seed, testPath } = record;
  const planted = parameters['DUT_FAULT'] ?? '';
  if (planted !== '') return `not noted in ${failures}: the bug ${planted} was planted`;
  const args = ownPlusargs(command.plusargs.map((token) => token.text));
  const dut = String(parameters['DUT'] ?? '');
  const about = { test, seed, dut, signature, testPath: testPath.path, testSha256: testPath.sha256, args };
  const path = new FailureDatabase(failures).note(about, text);
  return `noted in ${path}${instead === '' ? '' : ' under the error of its calls'}: regressions play it first`;
}
