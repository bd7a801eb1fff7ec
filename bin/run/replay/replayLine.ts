/** The line that repeats a run. */

import { commandLine, shellQuote } from '../../../uvm/cmdline/shellQuote.ts';
import type { TestCall } from '../../calledAs.ts';
import type { TestCommand } from '../../cli/commands/testCommand.ts';

/**
 * A line for a POSIX shell that repeats a run from its own arguments: the seed spelled out, option files expanded,
 * nothing that only says where output goes.
 * @param call how the user calls `hca_test`
 */
export function replayLine(command: TestCommand, call: TestCall): string {
  const scenario = command.scenario === undefined ? [] : ['--scenario', command.scenario];
  const faults = command.faults === undefined ? [] : ['--faults', command.faults];
  const testPath = command.testPath === undefined ? [] : [`+TEST_PATH=${command.testPath}`];
  return callLine(call, [
    ...command.plusargs.map((t) => t.text),
    ...testPath,
    ...scenario,
    ...faults,
    '--seed',
    String(command.seed),
  ]);
}

/** A call with its arguments, from where it works. */
export function callLine({ program, from }: TestCall, argv: readonly string[]): string {
  const line = commandLine([program, ...argv]);
  return from === undefined ? line : `(cd ${shellQuote(from)} && ${line})`;
}
