/** `hca_test --shrink <run.json>`: the smallest scenario that fails as a recorded run does. */

import { dirname, join } from 'node:path';
import { statSync } from 'node:fs';
import { writeAtomically } from '../../regress/atomicFile.ts';
import { FailureDatabase, FAILURES_FOLDER } from '../../regress/failures/failureDatabase.ts';
import type { RunRecord } from '../../regress/runRecord.ts';
import { RunRecordError } from '../../regress/runRecordError.ts';
import { callText } from '../../config/scenario/calls/callText.ts';
import { counted } from '../../uvm/report/counted.ts';
import { testProgram } from '../calledAs.ts';
import { ProgressLine } from '../cli/progressLine.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import type { TestCommand } from '../cli/commands/testCommand.ts';
import type { OpenRegistry, Registries } from '../registries.ts';
import type { LoadedCommand } from '../run/loadedCommand.ts';
import { specOf } from '../run/playCommand.ts';
import { replayCommand } from '../run/replay/replay.ts';
import { callLine } from '../run/replay/replayLine.ts';
import { EXIT } from '../run/runSpec.ts';
import { explanations } from './explain.ts';
import { ownPlusargs, ShrinkError, shrinkFailure, type ShrinkResult } from './shrinkFailure.ts';
import type { ShrinkProgress } from './shrinker.ts';

/** What a record is shrunk with. */
export interface ShrinkContext {
  readonly registries: Registries;
  readonly out: DescriptorOutput;
  readonly err: DescriptorOutput;
  /** Folder of the failure database; default `.failures`. */
  readonly failures?: string;
}

const SHRUNK_FILE = 'shrunk.yaml';

const DEFAULT_RUNS = 2000;
const DEFAULT_SECONDS = 600;

/** Shrinks the run of a record. @returns the exit code */
export async function shrinkRecord(path: string, typed: TestCommand, context: ShrinkContext): Promise<number> {
  const { out, err, registries } = context;
  try {
    const { command, record } = replayCommand(path, typed);
    const open = await registries.open(command.testPath, process.cwd());
    if (open.problems.length > 0) throw new ShrinkError(open.problems.join('\n'));
    const found = await shrunk(command, open, out);
    const file = join(folderOf(path), SHRUNK_FILE);
    const text = textOf(found, record, command);
    writeAtomically(file, text);
    for (const line of summary(found)) out.line(line);
    const noted = note(found, record, command, text, context);
    out.line(noted);
    out.line(`play it: ${callLine({ program: testProgram() }, playArguments(command, file))}`);
    return EXIT.passed;
  } catch (error) {
    if (!(error instanceof ShrinkError || error instanceof RunRecordError)) throw error;
    err.line(`${testProgram()}: --shrink ${path}: ${error.message}`);
    return error instanceof RunRecordError ? EXIT.usage : EXIT.failed;
  } finally {
    out.flush();
  }
}

/** With progress on a terminal, until nothing can be taken out any more or somebody interrupts it. */
async function shrunk(
  command: LoadedCommand,
  { registry }: OpenRegistry,
  out: DescriptorOutput,
): Promise<ShrinkResult> {
  const progress = new ProgressLine();
  let interrupted = false;
  const onSignal = (): void => {
    interrupted = true;
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  let told = performance.now();
  try {
    const found = await shrinkFailure({
      spec: specOf(command, ''),
      registry,
      budget: { runs: command.shrinkRuns ?? DEFAULT_RUNS, seconds: command.shrinkSeconds ?? DEFAULT_SECONDS },
      stop: async () => {
        // Signals are delivered between two runs.
        await new Promise((resolve) => void setImmediate(resolve));
        return interrupted ? 'interrupted' : undefined;
      },
      progress: (state) => {
        progress.update(() => progressText(state));
        if (process.stderr.isTTY === true || performance.now() - told < HEARTBEAT_MS) return;
        told = performance.now();
        out.line(progressText(state));
        out.flush();
      },
    });
    progress.clear();
    return found;
  } finally {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}

const HEARTBEAT_MS = 10_000;
/** What ends shrinking with what has been found so far. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function progressText({ runs, steps, stage }: ShrinkProgress): string {
  return `shrinking: ${counted(runs, 'run')}, ${counted(steps, 'step')} left, trying ${stage}`;
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
  const { before, after, runs, seconds, ended, instead, signature, reference, illegal } = found;
  const size = `${counted(before.calls, 'call')} and ${counted(before.requests, 'request')} to ${after.calls} and ${after.requests}`;
  const end = ended === '' ? 'nothing more can be taken out' : `ended ${ended}; the best so far is kept`;
  return [
    ...(instead === '' ? [] : [`the calls alone do not fail with ${instead}, but with another error of the run`]),
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
  return [`met on the way, ${counted(times, 'time')}: ${counted(others.size, 'other finding')}`];
}

/** A planted bug is no failure that anybody has to mend. */
function note(
  { signature, instead }: ShrinkResult,
  record: RunRecord,
  command: LoadedCommand,
  text: string,
  { failures = FAILURES_FOLDER }: ShrinkContext,
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
