/**
 * Plays one checked command and leaves its record: shared by `hca_test` and by the workers of a regression.
 */

import { rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically, writeJson } from '../../regress/atomicFile.ts';
import { fileProblem } from '../../files/fileError.ts';
import type { LoggedEvent } from '../../env/trace/eventLog.ts';
import { KEPT_EVENTS, type RecorderOptions, RunRecorder } from '../../env/trace/runRecorder.ts';
import { makeFolder } from '../../regress/makeFolder.ts';
import type { MeasuredRun } from '../../regress/coverage/measuredRun.ts';
import type { RunDifference, RunFailure, RunRecord } from '../../regress/runRecord.ts';
import type { ByteStore } from '../../uvm/bytes/byteStore.ts';
import { LogFile } from '../cli/syncOutput.ts';
import type { TestCommand } from '../cli/commands/testCommand.ts';
import { checkArguments, checkSpec, checkValues } from './checkSpec.ts';
import { closingLines } from './closingLine.ts';
import type { Interrupt, Interrupts } from './limits/interrupts.ts';
import { withLastWords } from './earlyExit.ts';
import { AttendedClock } from './limits/attendedClock.ts';
import { LateErrors } from './limits/lateErrors.ts';
import type { LoadedCommand } from './loadedCommand.ts';
import type { OpenRegistry } from '../registries.ts';
import type { Registry } from '../registry.ts';
import { clashProblems } from './outputClashes.ts';
import { outputProblems } from './outputPaths.ts';
import { coverageOf } from './coverageOf.ts';
import { differenceFrom, type OtherPlay, type OtherRun } from './failure/against/otherRun.ts';
import { type ExplainedFailure, failureReport } from './failure/failureReport.ts';
import { failureText } from './failure/failureText.ts';
import { EVENTS_FILE, eventsText } from './failure/eventsFile.ts';
import { statOf } from '../../files/statOf.ts';
import { writeTrace } from './traceFile.ts';
import { FAILURE_PAGE, TIME_LINE, TRACE_FILE, recordOf, type RecordSettings, unfinished } from './recordOf.ts';
import { callLine, replayLine } from './replay/replayLine.ts';
import { openRun } from './runOne.ts';
import { isPlayedTwice, notPlayedAgain, playAgain, type SecondPlay, type SecondPlayOptions } from './secondPlay.ts';
import type { OpenRun, RunHooks, RunProgress, RunResult, RunSoFar, RunSpec } from './runSpec.ts';
import { DEFAULT_TIMEOUT_SECONDS } from '../cli/seconds.ts';
import { limitText } from './limits/wallClockLimit.ts';

/** Plays one run up to its verdict; `openRun` in production. Replaced by specs. */
export type PlayOne = (spec: RunSpec, registry: Registry, hooks: RunHooks, bytes?: ByteStore) => OpenRun;

/** What is the same for all commands that a process plays. */
export interface PlaySettings extends RecordSettings {
  readonly registry: Registry;
  /** Which runs leave a record, and a log that the command does not name. */
  readonly keep: 'failures' | 'all' | 'none';
  /** Receives the log besides the file. */
  readonly echo?: (text: string) => void;
  readonly progress?: (progress: RunProgress) => void;
  /** Called about twice a second while the run goes on, to write out what `echo` has kept. */
  readonly flush?: () => void;
  /** Leave a record that says `UNFINISHED` before the run begins, not only when it takes longer. */
  readonly recordAtOnce?: boolean;
  /**
   * Leave the page of the run so far on disk while it goes on: its process has died before, and may do so again without a
   * word. Default false.
   */
  readonly pageAtOnce?: boolean;
  /** Keep all events of the run that others keep the latest of. Default false. */
  readonly allEvents?: boolean;
  /**
   * When a run that did not pass is played once more: `always`, which shows whether it repeats itself; or `for the page`,
   * where the run was too long before its first error to be looked at closely that far. Default `always`.
   */
  readonly secondPlay?: 'always' | 'for the page';
  /** What a run is held against: a run that fails, or that asks for it. Default: nothing. */
  readonly against?: { readonly run: OtherRun; readonly always: boolean };
  /** Called with what has come of that. */
  readonly onAgainst?: (difference: RunDifference) => void;
  /** Called with the events of the run when it has ended. */
  readonly onEvents?: (recorder: RunRecorder) => void;
  /** Called with the record of a run that ends the whole process, at the end of the latter. */
  readonly onExit: (record: RunRecord) => void;
  /** Called once for each file of the run that could not be written: `log a/b.log: no space left on device`. */
  readonly onLost?: (problem: string) => void;
  /** What ends the run when somebody interrupts it. Default: signals end the process. */
  readonly interrupts?: Interrupts;
  /** Called when a signal ends what is done about the run when it has ended. */
  readonly onInterrupted?: (by: Interrupt) => void;
  /**
   * Whoever has started the process sends SIGINT when the run is over its limit and has not ended by itself; called when
   * SIGINT comes earlier, and does not return. Default: the process looks after the limit itself.
   */
  readonly endsAtSignal?: () => never;
  /** Takes what the run throws when it is over; default: only until its verdict. */
  readonly lateErrors?: LateErrors;
  readonly bytes?: ByteStore;
  readonly play?: PlayOne;
  /** Measure coverage though the command does not say `+COV`. Default false. */
  readonly coverage?: boolean;
  /** Called with what was covered, where that was asked for and the NIC is as it should be. */
  readonly onCoverage?: (measured: MeasuredRun) => void;
}

/** The run as the harness sees it, from a command whose own problems have been reported. */
export function specOf(command: LoadedCommand, folder: string): RunSpec {
  const named = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`+${name}=${value}`];
  const pcap = command.pcap === '' ? join(folder, 'wire.pcap') : command.pcap;
  const files = [
    ...named('PCAP', pcap),
    ...named('SCENARIO', command.scenario),
    ...named('DUMP_SCENARIO', command.dumpScenario),
    ...named('TEST_PATH', command.testPath),
  ];
  const { testName, seed, scenarioFile, faultFile, faultSchedules, pcieSchedules } = command;
  const plusargs = [...command.plusargs.map((token) => token.text), ...files];
  return { testName, seed, plusargs, scenarioFile, faultFile, faultSchedules, pcieSchedules };
}

/** Everything wrong with a command of `hca_test`: its flags, its values and where it writes. */
export function problemsOf(command: LoadedCommand, registry: Registry): string[] {
  const cwd = process.cwd();
  const outputs = [...outputProblems(command, cwd, true), ...clashProblems(command, cwd)];
  return [...command.problems, ...specProblems(command, registry), ...outputs];
}

/**
 * Everything wrong with a command that is a run of a regression.
 * @param cwd folder for relative paths
 */
export function jobProblems(command: LoadedCommand, registry: Registry, cwd: string): string[] {
  const foreign = foreignFlags(command);
  const spec = foreign.length > 0 ? [] : specProblems(command, registry);
  return [...command.problems, ...foreign, ...spec, ...outputsOfJob(command, cwd)];
}

/**
 * What is wrong with some arguments of a run of a regression, of which the others are not known.
 * @param cwd folder for relative paths
 */
export function argumentProblems(command: LoadedCommand, registry: Registry, cwd: string): string[] {
  const spec = checkArguments(specOf(command, ''), registry);
  return [...command.problems, ...foreignFlags(command), ...spec, ...outputsOfJob(command, cwd)];
}

/** What `check` finds with the registry of a command; where its folder of tests is wrong, or unread, nothing can be found by name. */
export function problemsWith(
  { registry, problems, isUnread }: OpenRegistry,
  command: LoadedCommand,
  check: (registry: Registry) => string[],
): string[] {
  return problems.length > 0 || isUnread === true
    ? [...command.problems, ...problems, ...checkValues(specOf(command, ''))]
    : check(registry);
}

function foreignFlags({ action, replay, shrink }: TestCommand): string[] {
  const foreign: string[] = [];
  if (action !== 'run') foreign.push(`--${action}: shows something and runs nothing; it has no place in a regression`);
  if (replay !== undefined)
    foreign.push(`--replay ${replay}: a record is replayed by ./hca_test --replay, not in a regression`);
  if (shrink !== undefined)
    foreign.push(`--shrink ${shrink}: a record is shrunk by ./hca_test --shrink, not in a regression`);
  return foreign;
}

function outputsOfJob(command: TestCommand, cwd: string): string[] {
  return [...outputProblems(command, cwd, false), ...clashProblems(command, cwd)];
}

/** That no test is named is no mistake of its own where the option file that may name one cannot be read. */
function specProblems(command: LoadedCommand, registry: Registry): string[] {
  return command.isPartial && command.testName === '' ? [] : checkSpec(specOf(command, ''), registry);
}

/** Wall-clock time after which what was said is on disk, whatever happens to the process (ms). */
const FLUSH_MS = 500;
/** What a run may need beyond its limit to notice it; then it is broken off (ms). */
const GRACE_MS = 1000;

/** Whether a run leaves log and record: one that passed only because errors were switched off is kept as a failure. */
export function isKept(
  keep: PlaySettings['keep'],
  { verdict, counts }: Pick<RunResult, 'verdict' | 'counts'>,
): boolean {
  const isClean = verdict === 'passed' && (counts['errors_switched_off'] ?? 0) === 0;
  return keep === 'all' || (keep === 'failures' && !isClean);
}

/** Plays a command without problems; writes log and record as `keep` says. */
export async function playCommand(command: LoadedCommand, settings: PlaySettings): Promise<RunRecord> {
  const traces = new Traces(command, settings);
  if (command.pcap === '') makeFolder(settings.folder);
  if (settings.recordAtOnce === true) traces.begin();
  const spec = withCoverage(specOf(command, settings.folder), settings);
  const { play = openRun, registry, bytes, onExit, lateErrors = new LateErrors() } = settings;
  const recorder = new RunRecorder(lookOf(command, settings));
  const run = async (): Promise<RunResult> => {
    const hooks = hooksOf(command, settings, traces, recorder);
    const begin = (): OpenRun => play(spec, registry, { ...hooks, recorder }, bytes);
    const { value, late } = await lateErrors.settle(settings.id, begin);
    return value.conclude(late);
  };
  const before = process.cpuUsage();
  try {
    const lastWords = (why: string): void => {
      const ended = behindFirstError(unfinished('RUN_EXIT', why, traces.soFar()), recorder);
      const page = pageOf(ended, eventsOf(recorder, 'first play'), command, settings);
      const record = traces.end(ended, undefined, page?.failure);
      if (page !== undefined) traces.keepBeside(page, recorder, ended);
      onExit(record);
    };
    const result = await withLastWords(lastWords, run);
    const { user, system } = process.cpuUsage(before);
    const second = isPlayedAgain(result, recorder, settings) ? new RunRecorder({ look: SECOND_LOOK }) : undefined;
    const again =
      second &&
      (await secondPlay(result, command, settings, traces, {
        id: settings.id,
        spec,
        firstEvents: recorder,
        recorder: second,
        lateErrors,
        interrupts: settings.interrupts,
        onInterrupted: settings.onInterrupted,
        play: (same, hooks) => play(same, registry, hooks, bytes),
      }));
    settings.onEvents?.(recorder);
    if (command.trace !== undefined) traces.trace(recorder);
    if (command.pcap !== undefined) await traces.commentCapture(recorder, spec);
    const events =
      second !== undefined && again?.outcome === 'same'
        ? eventsOf(second, 'second play')
        : eventsOf(recorder, 'first play');
    const page = pageOf(result, events, command, settings);
    const atExit = (why: string): void => onExit(traces.end(result, again ?? notPlayedAgain(why), page?.failure));
    const failure = await withLastWords(atExit, () =>
      heldAgainst(result, page, events, settings, {
        play: (other, hooks) => play(other, registry, hooks, bytes),
        settle: async (begin) => {
          const { value, late } = await lateErrors.settle(settings.id, begin);
          return value.conclude(late);
        },
        hooks: limitsOf(command, settings),
      }),
    );
    const record = traces.end(result, again, failure);
    if (page !== undefined) traces.keepBeside(page, recorder, result);
    const measured = result.coverage && coverageOf(record, result.coverage, (user + system) / 1000);
    if (measured !== undefined) settings.onCoverage?.(measured);
    return record;
  } catch (error) {
    traces.begin();
    throw error;
  }
}

/** Whether a run is played once more: to see whether it repeats itself, or only because its page needs it. */
function isPlayedAgain(result: RunResult, { log }: RunRecorder, { secondPlay: when }: PlaySettings): boolean {
  return isPlayedTwice(result) && (when !== 'for the page' || !log.hasSeenClosely);
}

/** In the same process, and as long at most. */
async function secondPlay(
  result: RunResult,
  command: LoadedCommand,
  { onExit }: PlaySettings,
  traces: Traces,
  options: SecondPlayOptions,
): Promise<SecondPlay> {
  // The first play must not be lost with the second.
  traces.keep(result);
  const lastWords = (why: string): void => onExit(traces.end(result, notPlayedAgain(`played once more, ${why}`)));
  return withLastWords(lastWords, () => playAgain(result, command, options));
}

/** Events of all kinds that are kept behind the first error. */
const BEHIND_ERROR = 2048;

/** A second play, or another try of a run whose process has died: the latest before the first error, however late that comes. */
const SECOND_LOOK = { events: 1 << 16, behindError: BEHIND_ERROR } as const;

/** The beginning of a run that is not played again, some 1500 requests: a long run must not pay for each of its requests. */
const FIRST_LOOK = { events: Number.POSITIVE_INFINITY, until: 1 << 16, behindError: BEHIND_ERROR } as const;

/** Everything, for a trace. */
const WHOLE_LOOK = { events: Number.POSITIVE_INFINITY } as const;

/** What is held against another run whatever comes of it: its beginning, some 24 000 requests. */
const LONG_LOOK = { ...FIRST_LOOK, until: 1 << 20 } as const;

/** How the recorder of the run itself looks. */
function lookOf(
  { trace }: LoadedCommand,
  { allEvents, against, secondPlay: when, pageAtOnce }: PlaySettings,
): RecorderOptions {
  return {
    ...(allEvents === true ? { events: Number.POSITIVE_INFINITY } : {}),
    ...(trace !== undefined
      ? { look: WHOLE_LOOK }
      : against?.always === true
        ? { look: LONG_LOOK }
        : when === 'for the page'
          ? { look: FIRST_LOOK }
          : pageAtOnce === true
            ? { look: SECOND_LOOK }
            : {}),
  };
}

/** The events that explain a failure. */
interface FailureEvents {
  readonly recorder: RunRecorder;
  readonly source: RunFailure['source'];
}

function eventsOf(recorder: RunRecorder, play: 'first play' | 'second play'): FailureEvents {
  return { recorder, source: recorder.log.hasSeenClosely ? play : 'run' };
}

/** What explains a run that has not passed. */
function pageOf(
  { signature, verdict }: RunResult,
  { recorder, source }: FailureEvents,
  command: LoadedCommand,
  settings: PlaySettings,
): ExplainedFailure | undefined {
  if (verdict === 'passed' || signature === null) return undefined;
  return failureReport(recorder, { source, signature, next: nextLines(verdict, command, settings) });
}

/** How a run differs from what it is held against. @returns the failure with that, if it has failed */
async function heldAgainst(
  result: RunResult,
  page: ExplainedFailure | undefined,
  { recorder, source }: FailureEvents,
  { against, onAgainst }: PlaySettings,
  otherPlay: OtherPlay,
): Promise<RunFailure | undefined> {
  const { verdict, simulatedTimePs } = result;
  if (page === undefined) {
    if (against?.always !== true || result.interruptedBy !== undefined) return undefined;
    const run = { events: recorder.events(), source, time: simulatedTimePs, deciding: new Set<LoggedEvent>() };
    onAgainst?.(await differenceFrom(against.run, run, otherPlay));
    return undefined;
  }
  const { failure, events, deciding } = page;
  if (against === undefined || verdict !== 'failed' || result.interruptedBy !== undefined) return failure;
  const difference = await differenceFrom(against.run, { events, deciding, source, time: failure.time }, otherPlay);
  onAgainst?.(difference);
  return { ...failure, against: difference };
}

/** A run that has found an error before it was ended from outside. */
function behindFirstError(ended: RunResult, { firstError }: RunRecorder): RunResult {
  if (firstError === undefined) return ended;
  const { id, path, text, time } = firstError;
  const signature = { id, component: path, message: text.split('\n')[0] as string, time };
  return { ...ended, signature, endedBy: ended.signature };
}

/** What a run is as long as it goes on. */
function goingOn(soFar: RunSoFar | undefined): RunResult {
  const why = 'the run had not ended when this was written: it goes on, or its process was ended from outside';
  return unfinished('UNFINISHED', why, soFar);
}

/** Lines to paste. */
export function nextLines(
  verdict: RunResult['verdict'],
  command: LoadedCommand,
  { call, folder, keep }: Pick<PlaySettings, 'call' | 'folder' | 'keep'>,
): string[] {
  const path = join(folder, 'run.json');
  // Code of a folder is loaded only where its name is typed.
  const own = command.testPath === undefined ? [] : [`+TEST_PATH=${command.testPath}`];
  const again = callLine(call, ['--replay', path, ...own, '--pcap', '+TRACE']);
  const shrink = callLine(call, ['--shrink', path, ...own]);
  return [...(keep === 'none' ? [] : [again, ...(verdict === 'failed' ? [shrink] : [])]), replayLine(command, call)];
}

/** What ends a run that is played beside another one: somebody, or the time that the other may take. */
function limitsOf({ timeoutSeconds }: LoadedCommand, { interrupts }: PlaySettings): OtherPlay['hooks'] {
  const seconds = timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  return {
    breakOff: { afterMs: seconds * 1000, reason: limitText(seconds) },
    ...(interrupts === undefined ? {} : { interrupt: () => interrupts.seen }),
  };
}

function withCoverage(spec: RunSpec, { coverage }: PlaySettings): RunSpec {
  const asked = spec.plusargs.some((arg) => /^\+COV\b/i.test(arg));
  return coverage === true && !asked ? { ...spec, plusargs: [...spec.plusargs, '+COV'] } : spec;
}

function hooksOf(command: LoadedCommand, settings: PlaySettings, traces: Traces, recorder: RunRecorder): RunHooks {
  const { interrupts, endsAtSignal, pageAtOnce = false } = settings;
  const pageSoFar = (): ExplainedFailure | undefined =>
    pageOf(goingOn(traces.soFar()), eventsOf(recorder, 'first play'), command, settings);
  const seconds = command.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const limitMs = seconds * 1000;
  const clock = new AttendedClock(traces.start);
  let due = traces.start + FLUSH_MS;
  const keepUp = (): number => {
    const now = performance.now();
    if (pageAtOnce) traces.keepPageSoFar(recorder.firstError !== undefined, pageSoFar);
    if (now < due) return now;
    due = now + FLUSH_MS;
    traces.begin();
    settings.flush?.();
    interrupts?.watch();
    return now;
  };
  return {
    begun: (soFar) => {
      traces.soFar = soFar;
    },
    sink: (text) => {
      traces.log.line(text);
      settings.echo?.(text);
      keepUp();
    },
    heartbeat: (progress) => {
      settings.progress?.(progress);
      return clock.look(keepUp()) < limitMs ? undefined : limitText(seconds);
    },
    breakOff: {
      reason: limitText(seconds),
      ...(endsAtSignal === undefined
        ? { afterMs: limitMs + GRACE_MS }
        : { onSignal: () => performance.now() - traces.start >= limitMs || endsAtSignal() }),
    },
    ...(interrupts === undefined ? {} : { interrupt: () => interrupts.seen }),
  };
}

/** Log and record of one run: on disk while it goes on if it takes long, and as `keep` says when it has ended. */
class Traces {
  readonly log: LogFile;
  /** Time at which the run began (ms of `performance.now`). */
  readonly start = performance.now();
  /** What is known of the run; nothing before it begins. */
  soFar: () => RunSoFar | undefined = () => undefined;
  readonly #started = new Date();
  readonly #command: LoadedCommand;
  readonly #settings: PlaySettings;
  #begun = false;
  /** Time from which the page of the run so far may be written again. */
  #pageDue = 0;
  #pageHasError = false;
  /** Time at which the run ended, whatever is done about it afterwards. */
  #ended: number | undefined;
  /** Why the record was not written the last time. */
  #unwritten: string | undefined;

  constructor(command: LoadedCommand, settings: PlaySettings) {
    this.#command = command;
    this.#settings = settings;
    this.log = new LogFile(command.log ?? join(settings.folder, 'run.log'));
  }

  /** Brings the log so far to disk, and at the first call a record in case the run never ends. */
  begin(): void {
    const { keep, folder } = this.#settings;
    if (keep !== 'none' || this.#command.log !== undefined) this.log.flush();
    if (keep === 'none' || this.#begun) return;
    this.#begun = true;
    this.#write(join(folder, 'run.json'), this.#record(goingOn(undefined), true));
  }

  /** Leaves a record with the page of the run so far; half of the time is spent on that at most, but for the first error. */
  keepPageSoFar(hasError: boolean, pageSoFar: () => ExplainedFailure | undefined): void {
    const { keep, folder } = this.#settings;
    const began = performance.now();
    const isDue = began >= this.#pageDue || hasError !== this.#pageHasError;
    if (keep === 'none' || !isDue) return;
    this.#pageHasError = hasError;
    const page = pageSoFar();
    this.log.flush();
    this.#begun = true;
    this.#write(join(folder, 'run.json'), this.#record(goingOn(this.soFar()), true, undefined, page?.failure));
    const ended = performance.now();
    this.#pageDue = ended + (ended - began);
  }

  /** Leaves the record of what came of the run before something else is done about it. */
  keep(result: RunResult): void {
    const { keep, folder } = this.#settings;
    if (!isKept(keep, result)) return;
    this.#ended ??= performance.now();
    this.log.flush();
    this.#begun = true;
    this.#write(join(folder, 'run.json'), this.#record(result, true));
  }

  /** Closes the log and leaves the record of what came of the run, or nothing. */
  end(result: RunResult, secondPlay?: SecondPlay, failure?: RunFailure): RunRecord {
    const { keep, folder } = this.#settings;
    const kept = isKept(keep, result);
    this.#ended ??= performance.now();
    const record = this.#record(result, kept, secondPlay, failure);
    for (const line of closingLines(record)) this.log.line(line);
    this.log.close(kept || this.#command.log !== undefined);
    if (kept) this.#keepRecord(folder, record);
    else if (this.#begun) discard(folder);
    if (this.log.problem !== undefined) this.#settings.onLost?.(this.log.problem);
    if (this.#unwritten !== undefined) this.#settings.onLost?.(this.#unwritten);
    return record;
  }

  /** Writes what happened for viewers of traces. */
  trace(recorder: RunRecorder): void {
    const { trace } = this.#command;
    const path = trace === undefined || trace === '' ? join(this.#settings.folder, TRACE_FILE) : trace;
    this.#lose(fileProblem(`trace ${path}`, () => writeTrace(path, recorder.events())));
  }

  /** Says in the capture what findings say of its frames. */
  async commentCapture({ findings, pairs }: RunRecorder, { plusargs }: RunSpec): Promise<void> {
    const path = plusargs.find((arg) => arg.startsWith('+PCAP='))?.slice('+PCAP='.length);
    if (findings.length === 0 || path === undefined || statOf(path)?.isFile() !== true) return;
    const { commentCapture } = await import('./failure/frameComments.ts');
    this.#lose(fileProblem(`capture ${path}`, () => void commentCapture(path, findings, pairs)));
  }

  /** Leaves the latest events, and what pages draw, beside the record of a failure that is kept. */
  keepBeside({ timeLine }: ExplainedFailure, recorder: RunRecorder, result: RunResult): void {
    const { keep, folder } = this.#settings;
    if (!isKept(keep, result)) return;
    const events = join(folder, EVENTS_FILE);
    this.#lose(
      fileProblem(`events ${events}`, () => writeAtomically(events, eventsText(recorder.latest(KEPT_EVENTS)))),
    );
    const drawn = join(folder, TIME_LINE);
    this.#lose(fileProblem(`time line ${drawn}`, () => writeAtomically(drawn, `${JSON.stringify(timeLine)}\n`)));
  }

  #lose(problem: string | undefined): void {
    if (problem !== undefined) this.#settings.onLost?.(problem);
  }

  #keepRecord(folder: string, record: RunRecord): void {
    this.#write(join(folder, 'run.json'), record);
    const { failure } = record;
    if (failure === null) return;
    const page = join(folder, FAILURE_PAGE);
    this.#lose(fileProblem(`failure ${page}`, () => writeAtomically(page, failureText(record, failure))));
  }

  /** A full disk must not cost the run its verdict. */
  #write(path: string, record: RunRecord): void {
    this.#unwritten = fileProblem(`record ${path}`, () => writeJson(path, record));
  }

  #record(result: RunResult, kept: boolean, secondPlay?: SecondPlay, failure?: RunFailure): RunRecord {
    const log = kept || this.#command.log !== undefined ? this.log.path : undefined;
    const wallMs = (this.#ended ?? performance.now()) - this.start;
    const around = { started: this.#started, wallMs, log, secondPlay: secondPlay ?? null, failure: failure ?? null };
    return recordOf(this.#command, this.#settings, result, around);
  }
}

/** Takes back the record of a run that is not kept, and its folder unless something else is in it. */
function discard(folder: string): void {
  rmSync(join(folder, 'run.json'), { force: true });
  try {
    rmdirSync(folder);
  } catch {
    // A capture of the wire, for example, stays.
  }
}
