/** A run of `hca_test` from its folder to its closing lines and the exit code. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunRecorder } from '../../env/trace/runRecorder.ts';
import { databaseOf } from '../../regress/coverage/database.ts';
import { STORE_NAME } from '../../regress/coverage/storeFormat.ts';
import { writeStore } from '../../regress/coverage/writeStore.ts';
import { fileProblem } from '../../files/fileError.ts';
import type { RunRecord } from '../../regress/runRecord.ts';
import { testProgram } from '../calledAs.ts';
import { ProgressLine } from '../cli/progressLine.ts';
import type { DescriptorOutput } from '../cli/syncOutput.ts';
import { closingLines } from './closingLine.ts';
import { type ChangedSources, compareReplay } from './replay/compareReplay.ts';
import { differenceLines } from './failure/against/otherRun.ts';
import { firstDifference, readEvents, writtenEvents } from './failure/eventsFile.ts';
import { withLastWords } from './earlyExit.ts';
import { type FaultEffect, faultEffect, specWithout } from './faultEffect.ts';
import { exitCodeOfInterrupt, type Interrupt, Interrupts } from './limits/interrupts.ts';
import type { LoadedCommand } from './loadedCommand.ts';
import { type PlayOne, playCommand, type PlaySettings, specOf } from './playCommand.ts';
import type { OpenRegistry } from '../registries.ts';
import { replayLine } from './replay/replayLine.ts';
import { createRunFolder } from './runFolder.ts';
import { openRun } from './runOne.ts';
import { EXIT } from './runSpec.ts';
import { LongRunNotice, progressText } from './testProgress.ts';
import type { ToPlay } from './replay/toPlay.ts';
import { changedSources, currentVersions, projectRoot } from '../versions.ts';

/** What a run has besides its command. */
export interface TestRunContext {
  /** Words after the program's name. */
  readonly argv: readonly string[];
  readonly open: OpenRegistry;
  readonly out: DescriptorOutput;
  readonly err: DescriptorOutput;
  /** Replaces `openRun` in specs. */
  readonly play: PlayOne | undefined;
}

/** What is told of a run while it goes and when it ends early. */
interface Ending {
  /** Says how the run went when the process ends in the middle of it. */
  readonly atExit: (record: RunRecord) => void;
  readonly onLost: (problem: string) => void;
  readonly interrupts: Interrupts;
  /** The signal that ended what was played behind the run. */
  interruptedBy: Interrupt | undefined;
  /** What happened in it. */
  events: RunRecorder | undefined;
}

/** Plays what nothing speaks against, and with a planted bug that nothing found, the same without it. @returns the exit code */
export async function runTest(found: ToPlay, context: TestRunContext): Promise<number> {
  const { out, err } = context;
  const lost: string[] = [];
  const conclude = (record: RunRecord): number => {
    const code = finish(record, found, out, ending.events);
    out.flush();
    if (found.command.quiet) for (const text of nearMisses(record)) err.line(`warning: ${text}`);
    for (const problem of lost) err.line(`${testProgram()}: ${problem}`);
    return lost.length === 0 || code === EXIT.failed ? code : EXIT.infrastructure;
  };
  const interrupts = new Interrupts();
  const ending: Ending = {
    atExit: (record) => void conclude(record),
    onLost: (problem) => void lost.push(problem),
    interrupts,
    interruptedBy: undefined,
    events: undefined,
  };
  try {
    const asked = { allEvents: found.recorded !== undefined, ...againstOf(found) };
    const record = await attended(found.command, { ...context, ...asked }, ending);
    const effect = await effectOfFault(found.command, record, context, ending);
    if (effect !== undefined) out.line(effect.text);
    const code = conclude(record);
    // Also what is played for comparison ends by a signal, and with it the loop of a script that has called it.
    const interruptedBy = effect?.interruptedBy ?? ending.interruptedBy;
    return interruptedBy === undefined ? code : exitCodeOfInterrupt(interruptedBy);
  } finally {
    await interrupts.close();
  }
}

/** Arguments without effect that are nearly the name of one that has: the whole run may be another than was meant. */
function nearMisses({ unused }: RunRecord): readonly string[] {
  return unused.filter((text) => text.includes('did you mean'));
}

/** Whether the planted bug of a run that passed made a difference; undefined where that is no question. */
async function effectOfFault(
  command: LoadedCommand,
  record: RunRecord,
  { open, out, play }: TestRunContext,
  { atExit, interrupts }: Ending,
): Promise<FaultEffect | undefined> {
  const lastWords = (why: string): void => {
    out.line(`the run without its planted bug, played for comparison: ${why}`);
    atExit(record);
  };
  return withLastWords(lastWords, () => faultEffect(command, record, open.registry, play ?? openRun, interrupts));
}

/** What a run is held against: what the command line names, or else the same run without its planted bug. */
function againstOf({ command, against }: ToPlay): Pick<PlaySettings, 'against'> {
  if (against !== undefined) {
    const kinds = [command, against.command].map((each) => parameterOf(each, 'DUT'));
    const isOfOtherKind = kinds[0] !== kinds[1];
    return { against: { run: { name: against.name, spec: specOf(against.command, ''), isOfOtherKind }, always: true } };
  }
  const bug = parameterOf(command, 'DUT_FAULT');
  if (bug === '') return {};
  const run = { name: `the run without +DUT_FAULT=${bug}`, spec: specWithout(command), isOfOtherKind: false };
  return { against: { run, always: false } };
}

/** The value that counts, in the spelling of the command line; '' where it gives none. */
function parameterOf({ plusargs }: LoadedCommand, name: string): string {
  const start = `+${name}=`;
  return plusargs.find(({ text }) => text.startsWith(start))?.text.slice(start.length) ?? '';
}

/** Plays a command in a folder of its own, with progress on a terminal. */
async function attended(
  command: LoadedCommand,
  context: TestRunContext & Pick<PlaySettings, 'allEvents' | 'against'>,
  ending: Ending,
): Promise<RunRecord> {
  const { argv, out, play } = context;
  const { registry, sha256: testSha256 } = context.open;
  const { id, folder } = createRunFolder(command.out, command.testName, command.seed, new Date());
  const progress = new ProgressLine();
  const echo = (text: string): void => {
    progress.clear();
    out.logLine(text);
  };
  if (!command.quiet) await out.foldOnTerminal();
  const started = performance.now();
  const notice = new LongRunNotice(
    () => `running: record ${folder}/run.json; replay: ${replayLine(command, { program: testProgram() })}`,
  );
  const record = await playCommand(command, {
    registry,
    testSha256,
    argv,
    versions: currentVersions(projectRoot()),
    call: { program: testProgram() },
    id,
    folder,
    keep: 'all',
    recordAtOnce: true,
    interrupts: ending.interrupts,
    onLost: ending.onLost,
    allEvents: context.allEvents ?? false,
    ...(context.against === undefined ? {} : { against: context.against }),
    onAgainst: (difference) => {
      progress.clear();
      for (const line of differenceLines(difference)) out.line(line);
    },
    secondPlay: 'for the page',
    onEvents: (recorder) => {
      ending.events = recorder;
    },
    onInterrupted: (by) => {
      ending.interruptedBy = by;
    },
    flush: () => {
      if (!command.quiet) notice.update(performance.now() - started, echo);
      out.flush();
    },
    ...(command.quiet ? {} : { echo }),
    progress: (now) => progress.update(() => progressText(now, performance.now() - started)),
    onExit: (ended) => {
      progress.clear();
      ending.atExit(ended);
    },
    onCoverage: ({ groups, run }) => {
      const path = join(folder, STORE_NAME);
      const problem = fileProblem(`coverage ${path}`, () => writeStore(path, databaseOf(groups, [run])));
      if (problem !== undefined) ending.onLost(problem);
    },
    ...(play === undefined ? {} : { play }),
  });
  progress.clear();
  return record;
}

/** What could not be written, or was removed, is not named as if it were there. */
function ifThere(path: string | undefined): string {
  return path !== undefined && existsSync(path) ? path : 'none';
}

/** Where a replay parts from what was recorded, with what happened there in both, where the record has events. */
function partedAt(recorded: RunRecord | undefined, events: RunRecorder | undefined): readonly string[] {
  const path = recorded?.files['events'];
  const before = path === undefined ? undefined : readEvents(resolve(recorded?.cwd ?? '', path));
  return before === undefined || events === undefined ? [] : firstDifference(before, writtenEvents(events.latest()));
}

/** Closing lines and exit code. The last line of a failing run is the one that repeats it. */
function finish(
  record: RunRecord,
  { command, recorded }: ToPlay,
  out: DescriptorOutput,
  events: RunRecorder | undefined,
): number {
  const changed: ChangedSources = (before, after) => changedSources(projectRoot(), before, after);
  const comparison = recorded === undefined ? undefined : compareReplay(recorded, record, changed);
  for (const line of comparison?.lines ?? []) out.line(line);
  if (comparison !== undefined && recorded?.transcript.hash !== record.transcript.hash)
    for (const line of partedAt(recorded, events)) out.line(line);
  out.line(`record ${ifThere(`${command.out}/${record.id}/run.json`)}, log ${ifThere(record.files['log'])}`);
  const page = record.files['failure'];
  if (page !== undefined && existsSync(page)) out.line(`cause ${page}`);
  const [verdict, ...rest] = closingLines(record);
  const colour = record.verdict === 'passed' ? out.colours.green : out.colours.red;
  out.foldedLine(verdict as string, colour);
  for (const line of rest) out.line(line);
  return comparison?.equal === false ? EXIT.infrastructure : record.exitCode;
}
