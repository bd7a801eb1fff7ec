/** Finds standard plusargs whose values cannot be read, for callers that refuse them before anything runs. */

import { nearestVerbosity, parseVerbosity } from '../report/verbosity.ts';
import { Plusargs } from './plusargs.ts';
import { INVALID_ARGUMENT, readUvmArguments } from './uvmArguments.ts';

/** Plusargs that mean nothing without a value, with an example of one. */
const VALUED: Readonly<Record<string, string>> = {
  UVM_VERBOSITY: 'UVM_HIGH',
  UVM_TIMEOUT: '500us',
  UVM_MAX_QUIT_COUNT: '10',
  uvm_set_verbosity: '<component>,<id>,<verbosity>,<phase>',
  uvm_set_action: '<component>,<id>,<severity>,<action[|action]>',
  uvm_set_severity: '<component>,<id>,<current severity>,<new severity>',
};
const VERBOSITIES = 'allowed: UVM_NONE, UVM_LOW, UVM_MEDIUM, UVM_HIGH, UVM_FULL, UVM_DEBUG or a number';
const STANDARD = /^\+uvm_/i;

/**
 * One message for each standard plusarg with a value that is none.
 * @param words of a command line
 */
export function malformedArguments(words: readonly string[]): string[] {
  const standard = words.filter((word) => STANDARD.test(word));
  if (standard.length === 0) return [];
  const plusargs = new Plusargs(standard);
  const { notes } = readUvmArguments(plusargs);
  const invalid = notes.filter((note) => note.id === INVALID_ARGUMENT).map((note) => note.text);
  return [...standard.flatMap(withoutValue), ...wrongVerbosity(plusargs), ...invalid];
}

function withoutValue(word: string): string[] {
  const example = Object.hasOwn(VALUED, word.slice(1)) ? VALUED[word.slice(1)] : undefined;
  return example === undefined ? [] : [`${word}: needs a value; write ${word}=${example}`];
}

function wrongVerbosity(plusargs: Plusargs): string[] {
  return plusargs.values('UVM_VERBOSITY').flatMap((text) => {
    if (parseVerbosity(text) !== undefined) return [];
    const [meant] = nearestVerbosity(text);
    const hint = meant === undefined ? VERBOSITIES : `did you mean ${meant}?`;
    return [`+UVM_VERBOSITY=${text}: there is no such verbosity; ${hint}`];
  });
}
