/** The command line of a sweep, whose runs are decided by itself: flags, and plusargs for all of its runs. */

import { readFlags } from '../readFlags.ts';
import { regressProgram } from '../../calledAs.ts';
import type { Outputs } from '../../many/playRegression.ts';
import { EXIT } from '../../run/runSpec.ts';
import type { FlagTable } from '../flagTable.ts';
import { commandUsage, type RegressCommandName } from './regressCommands.ts';
import { helpText } from '../helpText.ts';
import { problemReport } from '../problemReport.ts';
import { commandLineTokens } from '../token.ts';

export interface SweepCommand {
  readonly flags: Readonly<Record<string, string | boolean | undefined>>;
  readonly plusargs: readonly string[];
}

/**
 * Reads the words behind a sweep's name, and answers `--help`.
 * @returns the exit code where nothing is to be played
 */
export async function readSweepCommand(
  {
    name,
    table,
    epilogue,
  }: { readonly name: RegressCommandName; readonly table: FlagTable; readonly epilogue: string },
  argv: readonly string[],
  { out, err }: Outputs,
): Promise<SweepCommand | number> {
  const checked = readFlags(commandLineTokens(argv), table);
  const flags = checked.flags as SweepCommand['flags'];
  const plusargs = checked.positionals.map(({ text }) => text);
  const stray = plusargs.filter((word) => !word.startsWith('+'));
  const problems = [...checked.problems, ...stray.map((word) => `${word} (command line): stands alone; leave it out`)];
  if (flags['help'] === true) {
    out.line(await helpText(commandUsage(name), table, epilogue));
    return EXIT.passed;
  }
  if (problems.length === 0) return { flags, plusargs };
  err.line(problemReport(regressProgram(), problems));
  return EXIT.usage;
}
