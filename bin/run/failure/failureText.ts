/** `failure.md`: the cause of a failure for people. */

import type { RunFailure, RunRecord } from '../../../regress/runRecord.ts';
import { counted } from '../../../uvm/report/counted.ts';
import { logTime } from '../../../uvm/report/reportMessage.ts';

/** The whole page. */
export function failureText(record: RunRecord, failure: RunFailure): string {
  const { id, meaning, text, time, component, next } = failure;
  return [
    `# ${id}: ${record.test}, seed ${record.seed}`,
    '',
    ...(meaning === '' ? [] : [`${meaning} (docs/checks.md)`, '']),
    '## First divergence',
    '',
    `At ${logTime(time)}, by ${component}:`,
    '',
    '```text',
    text,
    '```',
    '',
    ...errorLines(failure),
    ...secondPlayLines(record),
    ...requestLines(failure),
    ...eventLines(failure),
    ...section('Commands', 'The latest ones of the hosts concerned, as they begin and end.', failure.commands),
    '## Next steps',
    '',
    '```sh',
    ...next,
    '```',
    '',
  ].join('\n');
}

function errorLines({ errors }: RunFailure): string[] {
  const [, ...others] = errors;
  if (others.length === 0) return [];
  const list = errors.map(({ id, count }) => `${id} (${count})`).join(', ');
  return [`Errors in the order in which they came first: ${list}.`, ''];
}

function secondPlayLines({ secondPlay }: RunRecord): string[] {
  if (secondPlay === null) return [];
  return [`${secondPlay.text[0]?.toUpperCase()}${secondPlay.text.slice(1)}.`, ''];
}

function requestLines({ request }: RunFailure): string[] {
  if (request === null) return [];
  const { name, life, leftOut } = request;
  const gap = leftOut === 0 ? '' : ` ${counted(leftOut, 'line')} in the middle left out.`;
  return section('The request', `The life of ${name}.${gap}`, life);
}

function eventLines({ queuePairs, events, source }: RunFailure): string[] {
  const whose =
    queuePairs.length === 0
      ? ['Of the whole run: the error names no queue pair.']
      : queuePairs.map((pair) => `- ${pair}`);
  const from = source === 'run' ? ['Of events that every run keeps, the latest: nobody has looked closely.', ''] : [];
  const title = queuePairs.length === 0 ? 'Last events' : 'Last events of the queue pairs concerned';
  return [`## ${title}`, '', ...from, ...whose, '', ...block(events)];
}

function section(title: string, intro: string, moments: RunFailure['events']): string[] {
  return moments.length === 0 ? [] : [`## ${title}`, '', intro, '', ...block(moments)];
}

function block(moments: RunFailure['events']): string[] {
  const stamps = moments.map(({ time }) => logTime(time));
  const width = Math.max(0, ...stamps.map(({ length }) => length));
  const lines = moments.map(({ text }, i) => `${(stamps[i] as string).padStart(width)}  ${text}`);
  return ['```text', ...(lines.length === 0 ? ['none'] : lines), '```', ''];
}
