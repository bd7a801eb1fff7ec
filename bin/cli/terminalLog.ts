/**
 * Lines of a log on a terminal: folded to its width, with the severity in colour, and what was drawn in columns. Files and pipes
 * get each line whole, as `grep` wants it.
 */

import type pc from 'picocolors';
import { visibleText } from '../../uvm/report/visibleText.ts';

type Colors = ReturnType<typeof pc.createColors>;

/** Folds one line at blanks, and inside a word only where the word is longer than a line. */
export type Fold = (text: string, columns: number) => string;

/** `UVM_ERROR @ 10ns: `, the component and the id in brackets, and the text. */
const LOG_LINE = /^(UVM_(?:INFO|WARNING|ERROR|FATAL)) (@ \S+: )(\S+ )?(\[[A-Z]\w*\] )(.*)$/s;
/** What a run was given or has drawn: `PARAM_DRAWN: +HOST_NUM=3 ...`. */
const PARAMETERS = /^(PARAM_(?:DRAWN|DEFAULTED)): (?:(not given, default used): )?(.*)$/s;
/** A word of a command line, with blanks where it is quoted. */
const ARGUMENT = /(?:'[^']*'|\\'|[^\s'\\])+/g;
const INDENT = '    ';
/** Cells that are wider get lines of their own below the others. */
const WIDEST_CELL = 32;
const NARROWEST = 40;

/** @param columns of the terminal @returns lines to be written as they are */
export function terminalLines(text: string, columns: number, colours: Colors, fold: Fold): readonly string[] {
  const shown = visibleText(text);
  if (columns < NARROWEST) return [shown];
  const [, severity, time = '', component = '', id = '', rest = ''] = LOG_LINE.exec(shown) ?? [];
  if (severity === undefined) return folded(shown, columns, fold);
  const paint = severityColour(severity, colours);
  const head = `${paint(severity)} ${colours.dim(`${time}${component}`)}${colours.bold(id)}`;
  const [, name, note, list] = PARAMETERS.exec(rest) ?? [];
  if (name === undefined || list === undefined) return folded(`${head}${rest}`, columns, fold);
  return [`${head}${name}${note === undefined ? '' : ` (${note})`}`, ...inColumns(list.match(ARGUMENT) ?? [], columns)];
}

/** Continuation lines are indented, so that the beginning of a message is seen. */
export function folded(text: string, columns: number, fold: Fold): readonly string[] {
  const [first = '', ...rest] = fold(text, columns - INDENT.length).split('\n');
  return [first, ...rest.map((line) => `${INDENT}${line.trimStart()}`)].map((line) => line.trimEnd());
}

function severityColour(severity: string, colours: Colors): (text: string) => string {
  switch (severity) {
    case 'UVM_WARNING':
      return colours.yellow;
    case 'UVM_ERROR':
      return colours.red;
    case 'UVM_FATAL':
      return (text) => colours.bold(colours.red(text));
    default:
      return colours.green;
  }
}

/** Column by column as a shell lists files: what stands together is read together. */
function inColumns(words: readonly string[], columns: number): readonly string[] {
  const cells = words.filter(({ length }) => length <= WIDEST_CELL);
  const wide = words.filter(({ length }) => length > WIDEST_CELL);
  const width = Math.max(0, ...cells.map(({ length }) => length)) + 2;
  const across = Math.max(1, Math.floor((columns - INDENT.length) / width));
  const rows = Math.ceil(cells.length / across);
  const lines = Array.from({ length: rows }, (_, row) => {
    const line = cells.filter((_, i) => i % rows === row).map((cell) => cell.padEnd(width));
    return `${INDENT}${line.join('').trimEnd()}`;
  });
  return [...lines, ...wide.map((word) => `${INDENT}${word}`)];
}
