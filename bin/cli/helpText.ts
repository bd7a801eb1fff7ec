/** The help text: usage, flags by group, and what follows them. */

import type { FlagTable } from './flagTable.ts';

const WIDTH = 118;

/** Printed by yargs, which is loaded here only: a run has no use for it. */
export async function helpText(usage: string, table: FlagTable, epilogue: string): Promise<string> {
  const { default: yargs } = await import('yargs');
  const printer = yargs([]).help(false).version(false).exitProcess(false);
  for (const [name, flag] of Object.entries(table)) {
    const { group, type, describe, alias } = flag;
    printer.option(name, alias === undefined ? { group, type, describe } : { group, type, describe, alias });
  }
  return printer.usage(usage).epilogue(epilogue).wrap(WIDTH).getHelp();
}
