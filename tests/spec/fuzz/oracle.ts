/** What holds for every input, however hostile. */

/** What came of one input. */
export interface Outcome {
  /** Undefined when the program ended without one: an exception, or its process died. */
  readonly code: number | undefined;
  readonly text: string;
  /** Processor time; of a real command wall-clock time. */
  readonly ms: number;
  /** Files that were not there before, `<folder>/<name>`; those beside the folder begin with `..`. */
  readonly made: readonly string[];
}

const MOST_CHARACTERS = 1_000_000;
const CODES: ReadonlySet<number | undefined> = new Set([0, 1, 2, 3, 4]);
const NOT_RUN = 2;

/**
 * What an outcome breaks, in words; empty = nothing.
 * @param named whether the command line, or an option file, names something outside of the folder: that may be written
 */
export function violations({ code, text, ms, made }: Outcome, limitMs: number, named: boolean): string[] {
  const broken: string[] = [];
  if (!CODES.has(code)) broken.push(`no exit code of a program: ${code}`);
  if (/^\s+at .*:\d+:\d+\)?$/m.test(text)) broken.push('a stack trace');
  if (/[^\P{Cc}\n\t]|\p{Bidi_Control}/u.test(text)) broken.push('control characters in the output');
  if (text.length > MOST_CHARACTERS) broken.push(`${text.length} characters of output`);
  if (ms > limitMs) broken.push(`${Math.round(ms)} ms`);
  if (code === NOT_RUN && text.trim() === '') broken.push('exit code 2 without a word');
  if (code === NOT_RUN && made.length > 0) broken.push(`refused, and yet made ${made.join(', ')}`);
  const beside = made.filter((file) => file.startsWith('..'));
  if (beside.length > 0 && !named) broken.push(`made ${beside.join(', ')}`);
  return broken;
}
