/**
 * A run of a regression that did not pass is played once more: a run is the same as long as its arguments and its sources
 * are, and one that is not has no cause that can be found in it. The second play ends when its recorder has kept what
 * follows the first error: what both plays were up to that error is compared. A single run is played once more only where
 * its own recorder no longer looked closely when the first error came.
 */

import type { RunRecorder } from '../../env/trace/runRecorder.ts';
import type { RunRecord } from '../../regress/runRecord.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { DEFAULT_TIMEOUT_SECONDS } from '../cli/seconds.ts';
import type { Interrupt, Interrupts } from './limits/interrupts.ts';
import type { LateErrors } from './limits/lateErrors.ts';
import { isEndedByClock, limitText } from './limits/wallClockLimit.ts';
import { firstDifference, writtenEvents } from './failure/eventsFile.ts';
import type { LoadedCommand } from './loadedCommand.ts';
import type { OpenRun, RunHooks, RunResult, RunSpec } from './runSpec.ts';

/** What the record says of it. */
export type SecondPlay = NonNullable<RunRecord['secondPlay']>;

/** Plusargs that make a run write files, or measure what has been measured. */
const LEFT_OUT = /^\+(PCAP|DUMP_SCENARIO|COV)(=|$)/i;

/** Id of the end of a second play that has shown what it was played for. */
const SEEN_ENOUGH = 'SECOND_PLAY';

/** Ends that come from outside, or may come elsewhere: no second play repeats them. */
const NOT_REPEATED: ReadonlySet<string> = new Set(['RUN_EXIT', 'INTERRUPTED']);

/** A run that is given up after simulated time ends at the same point again; one that the clock ends does not. */
function isEndedFromOutside(result: Pick<RunResult, 'signature' | 'endedBy'>): boolean {
  const last = result.endedBy ?? result.signature;
  return NOT_REPEATED.has(last?.id ?? '') || NOT_REPEATED.has(result.signature?.id ?? '') || isEndedByClock(result);
}

/** Signals other than SIGINT are waited for after this time, as in the first play (ms). */
const WATCH_MS = 500;

/** What a second play needs of the first. */
export interface SecondPlayOptions {
  readonly id: string;
  readonly spec: RunSpec;
  readonly interrupts: Interrupts | undefined;
  readonly lateErrors: LateErrors;
  readonly play: (spec: RunSpec, hooks: RunHooks) => OpenRun;
  /** Has kept the events of the first play. */
  readonly firstEvents: RunRecorder;
  /** Keeps those of the second play. */
  readonly recorder: RunRecorder;
  /** Called when a signal ends the second play. */
  readonly onInterrupted?: ((by: Interrupt) => void) | undefined;
}

/** Whether there is anything to be learnt from playing a run again. */
export function isPlayedTwice(result: RunResult): boolean {
  return result.verdict !== 'passed' && result.interruptedBy === undefined && !isEndedFromOutside(result);
}

/** Plays a run that has not passed once more and compares. */
export async function playAgain(
  first: RunResult,
  command: LoadedCommand,
  options: SecondPlayOptions,
): Promise<SecondPlay> {
  const { id, spec, interrupts, lateErrors, play } = options;
  const seconds = command.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
  const watchAt = performance.now() + WATCH_MS;
  const hooks: RunHooks = {
    sink: () => {},
    recorder: options.recorder,
    breakOff: { afterMs: seconds * 1000, reason: limitText(seconds) },
    heartbeat: () => {
      if (performance.now() > watchAt) interrupts?.watch();
      const { firstError, log } = options.recorder;
      const text = 'what follows the first error has been kept';
      return firstError === undefined || log.looksClosely ? undefined : { id: SEEN_ENOUGH, text };
    },
    ...(interrupts === undefined ? {} : { interrupt: () => interrupts.seen }),
  };
  const same = { ...spec, plusargs: spec.plusargs.filter((arg) => !LEFT_OUT.test(arg)) };
  const { value, late } = await lateErrors.settle(id, () => play(same, hooks));
  const second = value.conclude(late);
  if (second.interruptedBy !== undefined) options.onInterrupted?.(second.interruptedBy);
  const parted = (): string[] =>
    firstDifference(writtenEvents(options.firstEvents.latest()), writtenEvents(options.recorder.latest()));
  return comparison(first, second, parted);
}

/** Nothing could be compared. */
export function notPlayedAgain(why: string): SecondPlay {
  return { outcome: 'unknown', text: why };
}

function comparison(first: RunResult, second: RunResult, events: () => readonly string[]): SecondPlay {
  if (second.interruptedBy !== undefined || isEndedFromOutside(second))
    return notPlayedAgain(`played once more, the run was ended from outside: ${second.message}`);
  if (isSame(first, second)) {
    const howFar = isCutShort(second) ? ' up to its first error' : '';
    return { outcome: 'same', text: `played once more${howFar}, the run went the same way` };
  }
  return { outcome: 'differs', text: `played once more, ${difference(first, second, events())}` };
}

function isSame(first: RunResult, second: RunResult): boolean {
  const [a, b] = [first.signature, second.signature];
  const sameError = a?.id === b?.id && a?.message === b?.message && a?.time === b?.time;
  if (isCutShort(second)) return sameError && first.transcript.atSignature === second.transcript.atSignature;
  return sameError && first.transcript.hash === second.transcript.hash && first.verdict === second.verdict;
}

function isCutShort({ endedBy }: RunResult): boolean {
  return endedBy?.id === SEEN_ENOUGH;
}

function difference(first: RunResult, second: RunResult, events: readonly string[]): string {
  const what =
    second.verdict === 'passed'
      ? 'the run passed'
      : `it said ${second.message}${second.signature === null ? '' : ` at ${formatTime(second.signature.time)}`}`;
  const [before, after] = isCutShort(second)
    ? [first.transcript.atSignature, second.transcript.atSignature]
    : [first.transcript.hash, second.transcript.hash];
  const where =
    before === after
      ? 'what crossed the ports of the NICs was the same'
      : isCutShort(second)
        ? 'up to there something else crossed the ports of the NICs'
        : `${first.transcript.events} and ${second.transcript.events} events crossed the ports of the NICs`;
  const parted = events.length === 0 ? '' : `; ${events.map((line) => line.trim()).join(', ')}`;
  return `${what}; ${where}${parted}: the run does not repeat itself, which is a defect of the harness, of a test or of a model`;
}
