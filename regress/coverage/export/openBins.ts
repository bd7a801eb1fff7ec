/** The page of open bins of some regressions, with the stimulus that would hit each. Markdown. */

import type { Hole } from '../holes.ts';
import { visibleText } from '../../../uvm/report/visibleText.ts';
import { type Total, totalLine } from '../totalLine.ts';

/** Arguments of a run that do not help to hit a bin. */
const LEFT_OUT = /^(?:--seed|\+COV)(?:[= ]|$)/;

/** @param sources what was measured @param holes those that count */
export function openBinsPage(sources: readonly string[], total: Total, holes: readonly Hole[]): string {
  const groups = new Map<string, Hole[]>();
  for (const hole of holes) {
    const group = hole.path.split('.')[0] as string;
    groups.set(group, [...(groups.get(group) ?? []), hole]);
  }
  return [
    '# Open bins',
    '',
    `Bins that ${plain(sources.join(', '))} together leave open: ${totalLine(total).replace('coverage: ', '')}.`,
    'Unreachable bins are not listed: `coverage/plan/unreachable.yaml` has them, each with its reason.',
    'Made by `hca_regress coverage <out>... --open-bins <file>`.',
    '',
    ...summary(holes),
    ...[...groups].flatMap(([group, its]) => section(group, its)),
  ].join('\n');
}

function summary(holes: readonly Hole[]): string[] {
  const count = (why: Hole['why']): number => holes.filter((hole) => hole.why === why).length;
  return [
    '| to hit them | bins |',
    '|---|---:|',
    `| a shipped sequence or test | ${count('shipped')} |`,
    `| arguments that the coverpoint declares | ${count('arguments')} |`,
    `| further seeds of a run that came near | ${count('nearest run')} |`,
    `| a new sequence, or a fault: nothing comes near | ${count('not known')} |`,
    '',
  ];
}

function section(group: string, holes: readonly Hole[]): string[] {
  const comment = holes.find((hole) => hole.comment !== '')?.comment.split(';')[0] ?? '';
  return [
    `## ${plain(group)}`,
    '',
    ...(comment === '' ? [] : [`${plain(comment)}.`, '']),
    '| bin | to hit it |',
    '|---|---|',
    ...holes.map((hole) => `| ${code(hole.path.slice(group.length + 1))}${hitsText(hole)} | ${takes(hole)} |`),
    '',
  ];
}

function hitsText({ hits, atLeast }: Hole): string {
  return hits === 0 ? '' : `, hit ${hits} of ${atLeast} times`;
}

function takes({ why, command }: Hole): string {
  if (why === 'not known') return 'a new sequence';
  return why === 'arguments' || why === 'shipped' ? code(shortened(command)) : `seeds of ${code(shortened(command))}`;
}

/** Without what every line has. */
function shortened(command: string): string {
  const words = command.replace(/--seed[= ]\S+/, '').split(' ');
  return words.filter((word) => word !== '' && !LEFT_OUT.test(word) && !word.endsWith('hca_test')).join(' ');
}

/** A text of others in a line of Markdown, as nothing but text. */
function plain(text: string): string {
  return visibleText(text.replaceAll('\n', ' ')).replaceAll(/[<>[\]`*|\\]/g, '\\$&');
}

function code(text: string): string {
  const line = visibleText(text.replaceAll('\n', '\\n')).replaceAll('|', '\\|');
  // A name with backticks needs more of them around it than it has in a row.
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const blank = longest === 0 ? '' : ' ';
  return `${fence}${blank}${line}${blank}${fence}`;
}
