/** Where two runs part: the first event that differs, and what followed from it. */

import { EVENT, type LoggedEvent } from '../../../../env/trace/eventLog.ts';
import { eventText } from '../../../../env/trace/eventTexts.ts';
import type { RunDifference } from '../../../../regress/runRecord.ts';

type Parting = Pick<RunDifference, 'here' | 'there' | 'followed' | 'leftOut'>;
/** An event that differs. */
interface Followed extends Pick<RunDifference['followed'][number], 'is' | 'late'> {
  readonly event: LoggedEvent;
}

/** Lines that say what followed. */
const MOST_FOLLOWED = 24;

/**
 * @param here events of the run that is explained, in the order of time, from its beginning or from some number on
 * @param there those of the other run
 * @param until what comes later does not count, ps
 * @param deciding events of `here` that are shown too where they only came at another time
 * @returns undefined where they do not part
 */
export function partingOf(
  here: readonly LoggedEvent[],
  there: readonly LoggedEvent[],
  until: number,
  deciding: ReadonlySet<LoggedEvent>,
): Parting | undefined {
  const [ours, theirs] = fromOneEventOn(compared(here, until), compared(there, until));
  const at = ours.findIndex((event, i) => !isSame(event, theirs[i]));
  const place = at < 0 && theirs.length > ours.length ? ours.length : at;
  if (place < 0) return undefined;
  const first = new Set([ours[place], theirs[place]]);
  const followed = followedBy(ours.slice(place), theirs.slice(place), deciding).filter(
    ({ event }) => !first.has(event),
  );
  return {
    here: ours[place] === undefined ? null : momentOf(ours[place]),
    there: theirs[place] === undefined ? null : momentOf(theirs[place]),
    followed: followed.slice(0, MOST_FOLLOWED).map(({ event, is, late }) => ({ ...momentOf(event), is, late })),
    leftOut: Math.max(0, followed.length - MOST_FOLLOWED),
  };
}

/** What a run says of itself is no event of it. */
function compared(events: readonly LoggedEvent[], until: number): LoggedEvent[] {
  return events.filter(({ kind, time }) => kind !== EVENT.report && time <= until);
}

/** Both from the first event that both have kept. */
function fromOneEventOn(a: LoggedEvent[], b: LoggedEvent[]): [LoggedEvent[], LoggedEvent[]] {
  const firstOf = (events: LoggedEvent[]): number => events.find(({ number }) => number >= 0)?.number ?? 0;
  const first = Math.max(firstOf(a), firstOf(b));
  if (first === 0) return [a, b];
  const from = (events: LoggedEvent[]): LoggedEvent[] => {
    const at = events.findIndex(({ number }) => number >= first);
    return at < 0 ? [] : events.slice(at);
  };
  return [from(a), from(b)];
}

function isSame(a: LoggedEvent, b: LoggedEvent | undefined): boolean {
  if (b === undefined || a.kind !== b.kind || a.host !== b.host || a.time !== b.time || a.wire !== b.wire) return false;
  return a.words.every((word, i) => word === b.words[i]) ? a.text === b.text : eventText(a) === eventText(b);
}

/** Events that only one of them has, and deciding ones that came at another time, in the order of time. */
function followedBy(
  ours: readonly LoggedEvent[],
  theirs: readonly LoggedEvent[],
  deciding: ReadonlySet<LoggedEvent>,
): Followed[] {
  const left = new Map<string, LoggedEvent[]>();
  for (const event of theirs) {
    const text = eventText(event);
    left.set(text, [...(left.get(text) ?? []), event]);
  }
  const lines: Followed[] = [];
  for (const event of ours) {
    const text = eventText(event);
    const other = left.get(text)?.shift();
    if (other === undefined) lines.push({ event, is: 'only here', late: 0 });
    else if (other.time !== event.time && deciding.has(event))
      lines.push({ event, is: 'at another time', late: event.time - other.time });
  }
  for (const events of left.values()) for (const event of events) lines.push({ event, is: 'only there', late: 0 });
  return lines.toSorted((a, b) => a.event.time - b.event.time);
}

function momentOf(event: LoggedEvent): { time: number; text: string } {
  return { time: event.time, text: eventText(event) };
}
