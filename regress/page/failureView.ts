/** A failed run as the page shows it: what its record and its time line say, with links to what lies in its folder. */

import { relative, join } from 'node:path';
import { whyUnread } from '../../files/dataError.ts';
import { readStoredJson } from '../../files/json.ts';
import { statOf } from '../../files/statOf.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { counted } from '../../uvm/report/counted.ts';
import { visibleText } from '../../uvm/report/visibleText.ts';
import type { JobResult, ShrunkCase } from '../job.ts';
import type { RunFailure, RunRecord } from '../runRecord.ts';
import { RunRecordError } from '../runRecordError.ts';
import { readRunRecord } from '../readRunRecord.ts';
import { type PartingView, partingView } from './partingView.ts';
import { TIME_LINE_FILE, type TimeLine, timeLineSchema } from './timeLine.ts';
import { timeLineSvg } from './timeLineSvg.ts';

/** Files of a run's folder that a page links to. */
const LINKS = [
  ['failure.md', 'cause (failure.md)'],
  ['run.log', 'log'],
  ['wire.pcap', 'capture'],
  ['trace.json', 'trace'],
  ['run.json', 'record'],
  ['shrunk.yaml', 'shrunk scenario'],
] as const;

export interface Link {
  readonly href: string;
  readonly name: string;
}

/** Names are those of the template `failure.html`. */
export interface FailureView {
  readonly anchor: string;
  readonly status: string;
  readonly id: string;
  readonly run: string;
  readonly message: string;
  readonly meaning: string;
  readonly text: string;
  readonly accused: string;
  readonly against: readonly string[];
  /** What wrong values look like. */
  readonly looksLike: readonly string[];
  /** How the run differs from a healthy one; undefined where none was played. */
  readonly parting: PartingView | undefined;
  /** The smallest case that fails so; undefined where nobody has looked for it. */
  readonly shrunk: ShrunkView | undefined;
  readonly ended: string;
  readonly links: readonly Link[];
  /** '' where there is none. */
  readonly svg: string;
  readonly leftOut: string;
  /** Why there is no time line. */
  readonly noTimeLine: string;
  readonly hasLines: boolean;
  readonly lines: readonly { readonly side: string; readonly time: string; readonly text: string }[];
  readonly queuePairs: readonly string[];
  readonly errors: string;
  readonly replay: string;
  readonly shrink: string;
}

export interface ShrunkView {
  readonly size: string;
  readonly legal: string;
  readonly ended: string;
  readonly replay: string;
}

export interface FailurePlace {
  readonly anchor: string;
  /** Folder of the run, and of the page: links are relative to that. */
  readonly folder: string;
  readonly pageFolder: string;
}

export function failureView(result: JobResult, { anchor, folder, pageFolder }: FailurePlace): FailureView {
  const record = recordIn(folder);
  const failure = typeof record === 'string' ? null : record.failure;
  const timeLine = timeLineIn(folder);
  const [accused = '', ...against] = failure?.accuses ?? result.cause?.accuses ?? [];
  const lines = failure?.lines ?? [];
  return {
    anchor,
    status: result.status,
    id: result.signature?.id ?? result.status,
    run: result.id,
    message: visibleText(result.message),
    meaning: failure?.meaning ?? '',
    text: visibleText(failure?.text ?? result.signature?.message ?? result.message),
    accused: visibleText(accused),
    against: against.map(visibleText),
    looksLike: (failure?.looksLike ?? []).map(visibleText),
    parting: partingView(failure),
    shrunk: shrunkView(result.cause?.shrunk),
    ended: typeof record === 'string' ? '' : endText(record),
    links: linksIn(folder, pageFolder),
    svg: typeof timeLine === 'string' ? '' : timeLineSvg(timeLine),
    leftOut:
      typeof timeLine === 'string' || timeLine.leftOut === 0
        ? ''
        : `${counted(timeLine.leftOut, 'event')} farther from the finding ${timeLine.leftOut === 1 ? 'has' : 'have'} no mark.`,
    noTimeLine: typeof timeLine === 'string' ? timeLine : '',
    hasLines: lines.length > 0,
    lines: lines.map((line) => lineView(line, failure, typeof timeLine === 'string' ? undefined : timeLine)),
    queuePairs: (failure?.queuePairs ?? []).map(visibleText),
    errors: errorsText(failure),
    replay: result.replay,
    shrink: failure?.next.find((line) => line.includes(' --shrink ')) ?? '',
  };
}

function shrunkView(shrunk: ShrunkCase | undefined): ShrunkView | undefined {
  if (shrunk === undefined) return undefined;
  const { calls, requests, legal, ended, replay } = shrunk;
  return {
    size: `${counted(requests, 'request')}, ${counted(calls, 'call')}`,
    legal: visibleText(legal),
    ended: visibleText(ended),
    replay,
  };
}

/** A string is the reason why there is none. */
function recordIn(folder: string): RunRecord | string {
  try {
    return readRunRecord(join(folder, 'run.json'));
  } catch (error) {
    if (error instanceof RunRecordError) return error.message;
    throw error;
  }
}

function timeLineIn(folder: string): TimeLine | string {
  const path = join(folder, TIME_LINE_FILE);
  if (statOf(path)?.isFile() !== true) return 'No time line was kept of this run.';
  try {
    return readStoredJson(path, timeLineSchema);
  } catch (error) {
    const why = whyUnread(error);
    if (why === undefined) throw error;
    return `The time line ${path} cannot be read: ${why}.`;
  }
}

function linksIn(folder: string, pageFolder: string): readonly Link[] {
  return LINKS.flatMap(([file, name]) => {
    const path = join(folder, file);
    return statOf(path)?.isFile() === true ? [{ href: hrefOf(pageFolder, path), name }] : [];
  });
}

/** A path as an address that is relative to the page. */
export function hrefOf(pageFolder: string, path: string): string {
  const parts = relative(pageFolder, path).split('/').map(encodeURIComponent);
  return `./${parts.join('/')}`;
}

function endText({ endedBy }: RunRecord): string {
  if (endedBy === null) return '';
  return `The run ended at ${formatTime(endedBy.time)} by [${endedBy.id}] ${visibleText(endedBy.message)}.`;
}

function lineView(
  { time, text, decides }: RunFailure['lines'][number],
  failure: RunFailure | null,
  timeLine: TimeLine | undefined,
): FailureView['lines'][number] {
  const mark = decides ? timeLine?.marks.find((each) => each.time === time && text.startsWith(each.text)) : undefined;
  const isFinding = decides && time === failure?.time && text.startsWith('UVM_');
  const ofSide = mark?.side === undefined ? 'decides' : mark.side === 0 ? 'accused' : 'against';
  return { side: isFinding ? 'finding' : decides ? ofSide : '', time: formatTime(time), text: visibleText(text) };
}

function errorsText(failure: RunFailure | null): string {
  if (failure === null || failure.errors.length < 2) return '';
  const list = failure.errors.map(({ id, count }) => `${id} (${count})`).join(', ');
  return `Errors in the order in which they came first: ${list}.`;
}
