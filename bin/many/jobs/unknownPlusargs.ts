/** Finds plusargs of runs that nothing reads, without running anything: most of them are typing mistakes. */

import type { Job } from '../../../regress/job.ts';
import type { ListPlaces } from '../../../regress/lists/listPlaces.ts';
import { resolveParameters } from '../../../config/parameters.ts';
import { Plusargs, type UnusedArgument } from '../../../uvm/cmdline/plusargs.ts';
import { readUvmArguments } from '../../../uvm/cmdline/uvmArguments.ts';
import { isIgnoredPlusarg } from '../../cli/simulatorFlags.ts';
import { parseTestCommand } from '../../cli/commands/testCommand.ts';
import type { OpenRegistry, Registries } from '../../registries.ts';
import { TYPED, namesWord } from './jobMistakes.ts';

interface Use {
  /** Where it stands. */
  readonly place: string;
  /** `+NAME=value: no such argument is known`, with near names. */
  readonly text: string;
  /** The first run that has it. */
  readonly id: string;
  /** It may be read by a class of a folder that was not loaded. */
  readonly isUnsure: boolean;
  runs: number;
}

/** One sentence for each name that is unknown. */
export interface UnknownPlusargs {
  /** No test, sequence, component or NIC of the regression reads them. */
  readonly problems: readonly string[];
  /** Runs with a folder that was left alone may read them. */
  readonly warnings: readonly string[];
}

/**
 * Plusargs that are no parameter, no knob, no argument of the standard, and declared by no class that the runs could play.
 * @param added plusargs that the regression gives to all runs
 * @param places where the values of the list stand
 */
export function unknownPlusargs(
  jobs: readonly Job[],
  registries: Registries,
  added: readonly string[],
  places: ListPlaces,
): UnknownPlusargs {
  const uses = new Map<string, Use>();
  const isKnown = new Set<string>();
  for (const job of jobs) {
    if (job.argv.every((word) => isSettled(word, isKnown))) continue;
    const { plusargs, testPath } = parseTestCommand(job.argv, {}, job.cwd);
    const open = registries.of(testPath, job.cwd);
    const words = plusargs.map(({ text }) => text);
    for (const { arg, reason } of unknownOf(words, open)) {
      const name = nameOf(arg);
      const text = `${arg}: ${reason}`;
      const place = added.some((word) => namesWord(text, word)) ? TYPED : places.of(job, text);
      const use = uses.get(name) ?? { place, text, id: job.id, isUnsure: open.isUnread === true, runs: 0 };
      use.runs++;
      uses.set(name, use);
    }
    // What a class of another folder declares is known there alone.
    if (testPath !== undefined) continue;
    for (const word of job.argv) if (!uses.has(nameOf(word))) isKnown.add(nameOf(word));
  }
  const all = [...uses];
  return {
    problems: all.filter(([, use]) => !use.isUnsure).map(([name, use]) => `${sentence(use)}; ${adviceOn(name)}`),
    warnings: all.filter(([, use]) => use.isUnsure).map(([, use]) => sentence(use)),
  };
}

/** Words without which a run needs no closer look: most runs of a list have the same names. */
function isSettled(word: string, isKnown: ReadonlySet<string>): boolean {
  if (/^(-f|-F|-file)(=|$)/.test(word) || word.startsWith('+TEST_PATH=')) return false;
  return !word.startsWith('+') || isKnown.has(nameOf(word));
}

function unknownOf(words: readonly string[], { registry }: OpenRegistry): UnusedArgument[] {
  const known = new Plusargs(words.filter((arg) => !isIgnoredPlusarg(arg)));
  readUvmArguments(known);
  resolveParameters(known, '', 0);
  known.declare(registry.plusargs?.keys() ?? []);
  return known.unknown();
}

function nameOf(arg: string): string {
  return arg.replace(/=.*$/s, '');
}

function sentence({ place, text, id, runs }: Use): string {
  return `${place}: ${text} (in ${runs === 1 ? id : `${id} and ${runs - 1} more`})`;
}

function adviceOn(name: string): string {
  const entry = /^\+[A-Za-z_]\w*$/.test(name) ? name.slice(1) : 'NAME';
  return `leave it out, or declare it in the class that reads it: static readonly plusargs = { ${entry}: '...' }`;
}
