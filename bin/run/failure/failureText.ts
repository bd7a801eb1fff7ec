/**
 * `failure.md`: the cause of a failure for people. The finding, what it accuses, and the lines that decide it come first;
 * everything else is folded below.
 */

import type { RunFailure, RunRecord } from '../../../regress/runRecord.ts';
import { counted } from '../../../uvm/report/counted.ts';
import { formatTime } from '../../../uvm/kernel/time.ts';
import { logTime } from '../../../uvm/report/reportMessage.ts';

/** The whole page. */
export function failureText(record: RunRecord, failure: RunFailure): string {
  const { id, meaning, text, time, component, next } = failure;
  return [
    `# ${id}: ${record.test}, seed ${record.seed}`,
    '',
    ...(meaning === '' ? [] : [`${meaning} (docs/checks.md)`, '']),
    `At ${logTime(time)}, by ${component}:`,
    '',
    '```text',
    text,
    '```',
    '',
    ...accusedLines(failure),
    ...endLines(record),
    '## What decides it',
    '',
    ...decidingLines(failure),
    ...againstLines(failure),
    '## Next steps',
    '',
    '```sh',
    ...next,
    '```',
    '',
    ...errorLines(failure),
    ...secondPlayLines(record),
    ...requestLines(failure),
    ...eventLines(failure),
    ...folded('Commands', 'The latest ones of the hosts concerned, as they begin and end.', failure.commands),
  ].join('\n');
}

/** Both sides: what the finding accuses, and what contradicts that. */
function accusedLines({ accuses, looksLike }: RunFailure): string[] {
  const [first, ...others] = accuses;
  if (first === undefined) return ['The error does not say what it accuses.', ''];
  return [
    `- accused: ${first}`,
    ...others.map((other) => `- against it: ${other}`),
    ...looksLike.map((line) => `- looks like: ${line}`),
    '',
  ];
}

/** A run that was cut short, or that went on to another end. */
function endLines({ endedBy }: RunRecord): string[] {
  if (endedBy === null) return [];
  return [`The run ended at ${logTime(endedBy.time)} by [${endedBy.id}] ${endedBy.message}.`, ''];
}

function decidingLines({ lines, source, time }: RunFailure): string[] {
  const from = source === 'run' ? ['Of events that every run keeps, the latest: nobody has looked closely.', ''] : [];
  const decide = lines.filter(({ decides }) => decides).length;
  const marked = decide === 0 ? 'None is marked: the error names nothing.' : 'Those marked with `>` decide.';
  const behind = lines.filter((line) => line.time > time).length;
  const after =
    behind === 0 ? '' : ` The last ${counted(behind, 'line')} ${behind === 1 ? 'is' : 'are'} behind the error.`;
  return [...from, `${marked}${after}`, '', ...block(lines, (i) => (lines[i]?.decides === true ? '> ' : '  '))];
}

/** The first event that differs from another run, and what followed from it. */
function againstLines({ against, time }: RunFailure): string[] {
  if (against === null) return [];
  const { from, why, here, there, followed, leftOut } = against;
  if (why !== '') return [`## Against ${from}`, '', `${why[0]?.toUpperCase()}${why.slice(1)}.`, ''];
  const began = Math.min(here?.time ?? Number.POSITIVE_INFINITY, there?.time ?? Number.POSITIVE_INFINITY);
  const when =
    began === time
      ? 'at the time of the error'
      : `${formatTime(Math.abs(time - began))} ${began < time ? 'before the error' : 'behind it'}`;
  const none = { time: began, text: 'nothing that differs' };
  const first = [here ?? none, there ?? none];
  const rest = leftOut === 0 ? '' : ` ${counted(leftOut, 'line')} behind them left out.`;
  return [
    `## Against ${from}`,
    '',
    `The first event that differs, ${when}, here (\`+\`) and there (\`-\`):`,
    '',
    ...block(first, (i) => (i === 0 ? '+ ' : '- ')),
    ...(followed.length === 0
      ? []
      : [
          `What followed from it: only here (\`+\`), only there (\`-\`), at another time (\`~\`).${rest}`,
          '',
          ...block(
            followed.map((line) => ({ ...line, text: `${line.text}${lateText(line)}` })),
            (i) => MARKS[(followed[i] as Followed).is],
          ),
        ]),
  ];
}

type Followed = NonNullable<RunFailure['against']>['followed'][number];

const MARKS = { 'only here': '+ ', 'only there': '- ', 'at another time': '~ ' } as const;

function lateText({ late }: Followed): string {
  if (late === 0) return '';
  return late > 0 ? `, ${formatTime(late)} later than there` : `, ${formatTime(-late)} earlier than there`;
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
  return folded('The request', `The life of ${name}.${gap}`, life);
}

function eventLines({ queuePairs, events }: RunFailure): string[] {
  const title = queuePairs.length === 0 ? 'Last events' : 'Last events of the queue pairs concerned';
  const whose =
    queuePairs.length === 0
      ? 'Of the whole run: the error accuses no queue pair.'
      : queuePairs.map((pair) => `- ${pair}`).join('\n');
  return folded(title, whose, events);
}

/** A section that readers open. */
function folded(title: string, intro: string, moments: RunFailure['events']): string[] {
  if (moments.length === 0) return [];
  return [
    '<details>',
    `<summary>${title} (${counted(moments.length, 'line')})</summary>`,
    '',
    intro,
    '',
    ...block(moments),
    '</details>',
    '',
  ];
}

function block(moments: RunFailure['events'], markOf: (i: number) => string = () => ''): string[] {
  const stamps = moments.map(({ time }) => logTime(time));
  const width = Math.max(0, ...stamps.map(({ length }) => length));
  const lines = moments.map(({ text }, i) => `${markOf(i)}${(stamps[i] as string).padStart(width)}  ${text}`);
  return ['```text', ...(lines.length === 0 ? ['none'] : lines), '```', ''];
}
