/** Values of flags that several commands have. */

import { type Format, FORMATS } from '../../regress/coverage/show/render.ts';
import { patternMistake } from '../../uvm/base/glob.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';

/** `--format`: text where it is not given. What is wrong is added to `problems`. */
export function formatOf(given: string | undefined, problems: string[]): Format {
  const found = FORMATS.find((format) => format === (given ?? 'text'));
  if (found === undefined) {
    problems.push(
      `--format ${given} (command line): allowed: ${FORMATS.join(', ')}${didYouMean(given ?? '', FORMATS)}`,
    );
  }
  return found ?? 'text';
}

/** What is wrong with the pattern of a flag, if it is given: a list of one message, or none. */
export function patternProblems(name: string, given: string | undefined): string[] {
  const mistake = given === undefined ? undefined : patternMistake(given);
  return mistake === undefined ? [] : [`--${name} ${given} (command line): ${mistake}`];
}

/** What a whole number may be. */
export interface WholeRange {
  readonly least: number;
  readonly most: number;
}

/** A whole number; `fallback` where it is not given, or wrong. */
export function wholeOf(
  name: string,
  given: string | undefined,
  { least, most }: WholeRange,
  fallback: number,
  problems: string[],
): number {
  if (given === undefined) return fallback;
  const value = Number(given);
  if (/^\d+$/.test(given) && value >= least && value <= most) return value;
  problems.push(`--${name} ${given} (command line): allowed: a whole number from ${least} to ${most}`);
  return fallback;
}

/** A number from `least` to `most`; undefined where it is not given, or wrong. */
export function numberOf(
  name: string,
  given: string | undefined,
  least: number,
  most: number,
  problems: string[],
): number | undefined {
  if (given === undefined) return undefined;
  const value = Number(given);
  if (/^\d+(\.\d+)?$/.test(given) && value >= least && value <= most) return value;
  problems.push(`--${name} ${given} (command line): allowed: a number from ${least} to ${most}`);
  return undefined;
}
