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
/** The same of those that may also be written in capitals. */
const VALUED_IN_BOTH: Readonly<Record<string, string>> = {
  uvm_set_type_override: '<type>,<override type>[,<replace>]',
  uvm_set_inst_override: '<type>,<override type>,<path>',
  uvm_set_config_int: '<component>,<field>,<value>',
  uvm_set_config_bitstream: '<component>,<field>,<value>',
  uvm_set_config_string: '<component>,<field>,<value>',
  uvm_set_default_sequence: '<sequencer>,<phase>,<sequence type>',
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
  const name = word.slice(1);
  const example =
    ownValue(VALUED, name) ?? ownValue(VALUED_IN_BOTH, name === name.toUpperCase() ? name.toLowerCase() : name);
  return example === undefined ? [] : [`${word}: needs a value; write ${word}=${example}`];
}

function ownValue(table: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function wrongVerbosity(plusargs: Plusargs): string[] {
  return plusargs.values('UVM_VERBOSITY').flatMap((text) => {
    if (parseVerbosity(text) !== undefined) return [];
    const [meant] = nearestVerbosity(text);
    const hint = meant === undefined ? VERBOSITIES : `did you mean ${meant}?`;
    return [`+UVM_VERBOSITY=${text}: there is no such verbosity; ${hint}`];
  });
}
