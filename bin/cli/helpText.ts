/** The help text: usage, flags by group, and what follows them. */

import type { Flag, FlagTable } from './flagTable.ts';

const WIDTH = 118;

/** Printed by yargs, which is loaded here only: a run has no use for it. */
export async function helpText(usage: string, table: FlagTable, epilogue: string): Promise<string> {
  const { default: yargs } = await import('yargs');
  const printer = yargs([]).help(false).version(false).exitProcess(false);
  for (const [name, flag] of Object.entries(table)) {
    const { group, describe, alias } = flag;
    const shown = shownFlag(name, flag);
    printer.option(shown, alias === undefined ? { group, describe } : { group, describe, alias });
  }
  return printer.usage(usage).epilogue(epilogue).wrap(WIDTH).getHelp();
}

/** A flag with its value: `seed <seed>`, `pcap[=<file>]`. The parser of flags knows names alone. */
export function shownFlag(name: string, { type, value = 'value', optionalValue }: Flag): string {
  if (type === 'boolean') return name;
  return optionalValue === true ? `${name}[=<${value}>]` : `${name} <${value}>`;
}
