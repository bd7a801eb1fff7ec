/** Hands checked flags to yargs, and has yargs print the grouped help. */

import yargs from 'yargs';
import type { FlagTable } from './flagTable.ts';

export type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

/** Values of checked flags by name; a flag that was not given is undefined. */
export function parseFlags(words: readonly string[], table: FlagTable): FlagValues {
  const parsed = instance(words, table).parseSync();
  const values: Record<string, string | boolean | undefined> = {};
  for (const name of Object.keys(table)) values[name] = parsed[name] as string | boolean | undefined;
  return values;
}

/** The help text: usage, flags by group, then `epilogue`. */
export function helpText(usage: string, table: FlagTable, epilogue: string): Promise<string> {
  return instance([], table).usage(usage).epilogue(epilogue).wrap(118).getHelp();
}

function instance(words: readonly string[], table: FlagTable): ReturnType<typeof yargs> {
  const parser = yargs([...words])
    .help(false)
    .version(false)
    .exitProcess(false)
    .parserConfiguration({ 'camel-case-expansion': false, 'boolean-negation': false, 'dot-notation': false });
  for (const [name, flag] of Object.entries(table)) {
    const { group, type, describe, alias } = flag;
    parser.option(name, alias === undefined ? { group, type, describe } : { group, type, describe, alias });
  }
  return parser;
}
