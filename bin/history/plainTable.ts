/** Tables of histories on a terminal. */

import Table from 'cli-table3';
import type { Cell } from '../../regress/page/trendView.ts';

const NO_BORDERS = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
  ].map((name) => [name, '']),
);
/** Characters of a cell. */
const LONGEST = 80;

export function plainTable(columns: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const table = new Table({
    head: [...columns],
    colAligns: columns.map((_, i) => (rows[0]?.[i]?.isNumber === true ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
    chars: { ...NO_BORDERS, middle: ' ' },
  });
  for (const row of rows)
    table.push(row.map(({ text }) => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}...`)));
  return table.toString();
}
