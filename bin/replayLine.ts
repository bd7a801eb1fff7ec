/** The line that repeats a run. */

import { commandLine } from '../regress/shellQuote.ts';
import type { TestCommand } from './cli/testCommand.ts';

/**
 * A line for a POSIX shell that repeats a run from its own arguments: the seed spelled out, option files expanded,
 * nothing that only says where output goes.
 * @param program as the user would call it, such as `./hca_test`
 */
export function replayLine(command: TestCommand, program: string): string {
  const scenario = command.scenario === undefined ? [] : ['--scenario', command.scenario];
  return commandLine([program, ...command.plusargs.map((t) => t.text), ...scenario, '--seed', String(command.seed)]);
}
