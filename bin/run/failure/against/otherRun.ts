/** The run that another is held against: the same without its planted bug, or one of which there is a record. */

import type { CloseLook, LoggedEvent } from '../../../../env/trace/eventLog.ts';
import { RunRecorder } from '../../../../env/trace/runRecorder.ts';
import { logTime } from '../../../../uvm/report/reportMessage.ts';
import type { RunDifference, RunFailure } from '../../../../regress/runRecord.ts';
import { BEHIND } from '../deciding.ts';
import type { OpenRun, RunHooks, RunResult, RunSpec } from '../../runSpec.ts';
import { partingOfKinds } from './otherKind.ts';
import { partingOf } from './parting.ts';

/** A run to be held against. */
export interface OtherRun {
  /** `the run without +DUT_FAULT=x`, or the path of a record. */
  readonly name: string;
  readonly spec: RunSpec;
  /** Its NICs are of another kind: verbs and messages alone can be compared. */
  readonly isOfOtherKind: boolean;
}

/** The run that is explained. */
export interface ExplainedRun {
  readonly events: readonly LoggedEvent[];
  readonly source: RunFailure['source'];
  /** Of its first error, or its end; ps. */
  readonly time: number;
  /** Events that decide its first error. */
  readonly deciding: ReadonlySet<LoggedEvent>;
}

/** How the other run is played. */
export interface OtherPlay {
  readonly play: (spec: RunSpec, hooks: RunHooks) => OpenRun;
  readonly settle: (begin: () => OpenRun) => Promise<RunResult>;
  /** Ends the other run when somebody interrupts it, and after the time that the run itself may take. */
  readonly hooks: Pick<RunHooks, 'breakOff' | 'interrupt'>;
}

/** Plusargs that make a run write files, or measure what has been measured. */
const OUTPUTS = /^\+(PCAP|TRACE|DUMP_SCENARIO|COV)(=|$)/i;
/** A run is compared up to here: id of the end of the other one. */
const FAR_ENOUGH = 'COMPARED';

/** How closely the other run is looked at: as the first, and somewhat further. */
const LOOKS: Readonly<Record<RunFailure['source'], CloseLook | undefined>> = {
  'first play': { events: Number.POSITIVE_INFINITY, until: 1 << 18 },
  'second play': { events: 1 << 17 },
  run: undefined,
};

/** Plays the other run up to the error of the first one. */
export async function differenceFrom(
  other: OtherRun,
  run: ExplainedRun,
  { play, settle, hooks }: OtherPlay,
): Promise<RunDifference> {
  const look = LOOKS[run.source];
  const recorder = new RunRecorder(look === undefined ? {} : { look });
  const until = run.time + BEHIND;
  const plusargs = other.spec.plusargs.filter((arg) => !OUTPUTS.test(arg));
  const result = await settle(() =>
    play(
      { ...other.spec, plusargs },
      {
        ...hooks,
        sink: () => {},
        recorder,
        heartbeat: ({ simulatedTimePs }) =>
          // Another kind takes its own time.
          !other.isOfOtherKind && simulatedTimePs > until
            ? { id: FAR_ENOUGH, text: 'it has been compared so far' }
            : undefined,
      },
    ),
  );
  const nothing = { from: other.name, here: null, there: null, followed: [], leftOut: 0 };
  if (isCutShort(result)) return { ...nothing, why: `it did not come that far: ${result.message}` };
  const isCommon = run.source === 'run' ? ({ number }: LoggedEvent) => number >= 0 : () => true;
  const [ours, theirs] = [run.events.filter(isCommon), recorder.events().filter(isCommon)];
  const parting = other.isOfOtherKind
    ? partingOfKinds(ours, theirs, until)
    : partingOf(ours, theirs, until, run.deciding);
  return parting === undefined ? { ...nothing, why: NOTHING_DIFFERS } : { ...nothing, why: '', ...parting };
}

const NOTHING_DIFFERS = 'no event differs: what differs, if anything does, is in bytes that no event tells';

/** Ended by something else than having been compared, or than an error of its own. */
function isCutShort({ verdict, endedBy, signature }: RunResult): boolean {
  const end = endedBy ?? signature;
  return verdict === 'error' && end?.id !== FAR_ENOUGH;
}

/** In lines of text: the first event that differs, in both runs. */
export function differenceLines({ from, why, here, there }: RunDifference): string[] {
  if (why !== '') return [`against ${from}: ${why}`];
  return [`against ${from}, the first event that differs:`, `  here:  ${textOf(here)}`, `  there: ${textOf(there)}`];
}

function textOf(moment: RunDifference['here']): string {
  return moment === null ? 'nothing that differs' : `${logTime(moment.time)} ${moment.text}`;
}
