/** Tables, as text with aligned columns and as Markdown. */

import Table from 'cli-table3';

export interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

/** Rows of as many cells as there are columns. */
export interface TableData {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

const NO_BORDERS = Object.fromEntries(
  ['top', 'bottom', 'left', 'right']
    .flatMap((side) => [side, `${side}-mid`, `${side}-left`, `${side}-right`])
    .map((part) => [part, '']),
);

export function textTable({ columns, rows }: TableData): string {
  const table = new Table({
    head: columns.map(({ title }) => title),
    colAligns: columns.map(({ align }) => align),
    style: { head: [], border: [], compact: true },
    chars: { ...NO_BORDERS, mid: '', 'mid-mid': '', 'left-mid': '', 'right-mid': '', middle: '  ' },
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

export function markdownTable({ columns, rows }: TableData): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = columns.map(({ align }) => (align === 'left' ? '---' : '---:'));
  return [line(columns.map(({ title }) => title)), line(rule), ...rows.map((row) => line(row.map(escaped)))].join('\n');
}

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
