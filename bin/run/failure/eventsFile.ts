/**
 * `events.txt` beside the record of a failed run: the latest events that every run keeps, one a line, `number time text`. A
 * replay that goes otherwise finds there what the recorded run did.
 */

import { readStoredText } from '../../../files/inputFile.ts';
import type { LoggedEvent } from '../../../env/trace/eventLog.ts';
import { commonText } from '../../../env/trace/eventTexts.ts';
import { logTime } from '../../../uvm/report/reportMessage.ts';

export const EVENTS_FILE = 'events.txt';

/** An event as the file has it. */
export interface WrittenEvent {
  readonly number: number;
  /** Time and text. */
  readonly text: string;
}

/** Of the events that every recorder sees. */
export function writtenEvents(events: readonly LoggedEvent[]): WrittenEvent[] {
  return events
    .filter(({ number }) => number >= 0)
    .map((event) => ({ number: event.number, text: `${logTime(event.time)} ${lineOf(commonText(event))}` }));
}

export function eventsText(events: readonly LoggedEvent[]): string {
  return writtenEvents(events)
    .map(({ number, text }) => `${number} ${text}\n`)
    .join('');
}

/** Undefined where the file cannot be read. */
export function readEvents(path: string): WrittenEvent[] | undefined {
  try {
    const lines = readStoredText(path).split('\n').slice(0, -1);
    return lines.map((line) => {
      const at = line.indexOf(' ');
      return { number: Number(line.slice(0, at)), text: line.slice(at + 1) };
    });
  } catch {
    return undefined;
  }
}

/** Where two runs part, with what happened there in both; no lines where they do not, or have no events in common. */
export function firstDifference(before: readonly WrittenEvent[], after: readonly WrittenEvent[]): string[] {
  const [first] = before;
  if (first === undefined) return [];
  const now = new Map(after.map(({ number, text }) => [number, text]));
  const shared = before.filter(({ number }) => now.has(number));
  const different = shared.find(({ number, text }) => now.get(number) !== text);
  const last = shared.at(-1);
  if (different === undefined) return last === undefined ? [] : endOf(before, after, last.number);
  const { number, text } = different;
  const isFirst = number === shared[0]?.number && number > 0;
  const head = isFirst
    ? `they part before event ${number}, the first one that the record keeps`
    : `the first event that differs is number ${number}`;
  return [head, `  then: ${text}`, `  now:  ${now.get(number)}`];
}

/** One has come to its end where the other goes on. */
function endOf(before: readonly WrittenEvent[], after: readonly WrittenEvent[], last: number): string[] {
  const next = (events: readonly WrittenEvent[]): string | undefined =>
    events.find(({ number }) => number === last + 1)?.text;
  const [then, now] = [next(before), next(after)];
  if (then === undefined && now === undefined) return [];
  return [
    `the first event that differs is number ${last + 1}`,
    `  then: ${then ?? 'none'}`,
    `  now:  ${now ?? 'none'}`,
  ];
}

function lineOf(text: string): string {
  return text.replaceAll('\n', ' ');
}
