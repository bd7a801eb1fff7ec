/** The results as a table for people, or as one JSON object a line for programs. */

import Table from 'cli-table3';
import pc from 'picocolors';
import { digits } from './format.ts';
import type { GoalRow } from './goal.ts';

const HEAD = ['goal', 'what', 'ours', 'reference', 'ratio (quartiles)', 'target', 'stretch', 'result'];

/** Borders of a table that can be pasted into a document. */
const CHARACTERS = {
  ...{ top: '', 'top-mid': '', 'top-left': '', 'top-right': '' },
  ...{ bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' },
  ...{ 'left-mid': '', mid: '', 'mid-mid': '', 'right-mid': '' },
  ...{ left: '|', right: '|', middle: '|' },
};

/** The table for people, and the notes of the goals below it. */
export function resultTable(rows: readonly GoalRow[]): string {
  const table = new Table({ head: HEAD, chars: CHARACTERS, style: { head: [], border: [] } });
  for (const row of rows) table.push(cells(row));
  const notes = rows.filter((row) => row.note !== '').map((row) => `${row.id}: ${row.note}`);
  return [table.toString(), ...notes].join('\n');
}

/** `5a: 1.18 (1.15-1.2), target <= 1.2: met`. */
export function resultLine(row: GoalRow): string {
  const [id, , ours, , spread, target, , result] = cells(row);
  return `${id}: ${spread === '' ? ours : spread}, target ${target}: ${result}`;
}

function cells(row: GoalRow): string[] {
  const { ratio, target } = row;
  const sign = target.direction === 'at least' ? '>=' : '<=';
  const spread = ratio === undefined ? '' : `${digits(ratio.median)} (${digits(ratio.low)}-${digits(ratio.high)})`;
  return [
    row.id,
    row.title,
    row.ours,
    row.reference,
    spread,
    `${sign} ${target.target}`,
    target.stretch === undefined ? '' : `${sign} ${target.stretch}`,
    resultWord(row),
  ];
}

function resultWord(row: GoalRow): string {
  if (row.pass === undefined) return '-';
  if (!row.pass) return pc.red('MISSED');
  const { ratio, target } = row;
  const { stretch } = target;
  if (ratio === undefined || stretch === undefined) return pc.green('met');
  const beyond = target.direction === 'at least' ? ratio.median >= stretch : ratio.median <= stretch;
  return pc.green(beyond ? 'met, stretch too' : 'met');
}

/** `ratio` and `pass` are null where nothing was measured. */
export function resultJson(row: GoalRow): string {
  const { id, title, ours, reference, ratio, rounds, target, pass, note } = row;
  return JSON.stringify({
    id,
    title,
    ratio: ratio?.median ?? null,
    quartiles: ratio === undefined ? null : [ratio.low, ratio.high],
    direction: target.direction,
    target: target.target,
    stretch: target.stretch ?? null,
    pass: pass ?? null,
    ours,
    reference,
    rounds,
    note,
  });
}
