/** A matrix of bugs and tests as tables. */

import { markdownTable, type TableData, textTable } from '../../regress/coverage/show/table.ts';
import { percentText } from '../../regress/coverage/totalLine.ts';
import { formatDuration } from '../../regress/report/formatDuration.ts';
import { percentOf } from '../../uvm/coverage/score.ts';
import { counted } from '../../uvm/report/counted.ts';
import { aloneBy, type BugRow, type CellState, scoreOf } from './bugMatrix.ts';
import { CHECK_FAMILIES } from './checkFamilies.ts';

export interface BugTables {
  readonly rows: readonly BugRow[];
  readonly runs: number;
  readonly wallMs: number;
}

/** @returns everything, the score as last line */
export function bugTables({ rows, runs, wallMs }: BugTables, isMarkdown: boolean): string {
  const table = isMarkdown ? markdownTable : textTable;
  const title = (text: string): string => (isMarkdown ? `## ${text}\n` : text);
  const parts: readonly (readonly [string, TableData])[] = [
    ['Bugs', bugTable(rows)],
    ['Tests', testTable(rows)],
    ['Without a family of checks', familyTable(rows)],
  ];
  const shown = parts.map(([name, data]) => `${title(name)}\n${table(data)}`);
  return [...shown, scoreLine(rows, runs, wallMs)].join('\n\n');
}

/** `bugs: 310 of 321 found, 96.57 %, 6 missed, 5 never acted; …`. */
export function scoreLine(rows: readonly BugRow[], runs: number, wallMs: number): string {
  const { bugs, found, missed, neverActed, notJudged, original } = scoreOf(rows);
  const parts = [
    `${found} of ${bugs} found, ${percentText(percentOf(found, bugs))}`,
    `${missed} missed`,
    `${neverActed} never acted`,
    ...(notJudged === 0 ? [] : [`${notJudged} not judged`]),
    `${original} by the checks of the original harness alone`,
  ];
  return `bugs: ${parts.join(', ')}; ${counted(runs, 'run')}, ${formatDuration(wallMs)}`;
}

function bugTable(rows: readonly BugRow[]): TableData {
  const left = (title: string): TableData['columns'][number] => ({ title, align: 'left' });
  const right = (title: string): TableData['columns'][number] => ({ title, align: 'right' });
  return {
    columns: [
      left('bug'),
      left('state'),
      left('first check'),
      left('found by'),
      right('runs'),
      right('tests'),
      right('missed'),
      right('never acted'),
      left('missed without'),
      left('original'),
    ],
    rows: rows.map((row) => {
      const count = (state: CellState): string => `${row.cells.filter((cell) => cell.state === state).length}`;
      const best = row.cells
        .filter(({ state }) => state === 'found')
        .reduce<BugRow['cells'][number] | undefined>((a, b) => (a === undefined || b.runs < a.runs ? b : a), undefined);
      return [
        row.bug,
        row.state,
        best?.check ?? row.cells.find(({ check }) => check !== '')?.check ?? '',
        best === undefined ? '' : `${best.test} (${best.run})`,
        best === undefined ? '' : `${best.runs}`,
        count('found'),
        count('missed'),
        count('never acted'),
        row.needs.join(', '),
        row.original ? 'found' : '',
      ];
    }),
  };
}

function testTable(rows: readonly BugRow[]): TableData {
  const alone = aloneBy(rows);
  const tests = [...new Set(rows.flatMap(({ cells }) => cells.map(({ test }) => test)))];
  return {
    columns: [
      { title: 'test', align: 'left' },
      { title: 'found', align: 'right' },
      { title: 'missed', align: 'right' },
      { title: 'never acted', align: 'right' },
      { title: 'found by no other', align: 'left' },
    ],
    rows: tests.map((test) => {
      const states = rows.flatMap(({ cells }) => cells.filter((cell) => cell.test === test).map(({ state }) => state));
      const count = (state: CellState): string => `${states.filter((one) => one === state).length}`;
      return [test, count('found'), count('missed'), count('never acted'), (alone.get(test) ?? []).join(', ')];
    }),
  };
}

function familyTable(rows: readonly BugRow[]): TableData {
  const found = rows.filter(({ state }) => state === 'found');
  const lost = (name: string): readonly BugRow[] => found.filter(({ needs }) => needs.includes(name));
  return {
    columns: [
      { title: 'family', align: 'left' },
      { title: 'checks', align: 'left' },
      { title: 'found without it', align: 'right' },
      { title: 'missed without it', align: 'left' },
    ],
    rows: CHECK_FAMILIES.map(({ name, says }) => {
      const bugs = lost(name).map(({ bug }) => bug);
      return [name, says, `${found.length - bugs.length} of ${found.length}`, bugs.join(', ')];
    }),
  };
}
