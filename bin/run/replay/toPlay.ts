/** What `hca_test` is to play: the command line itself, or the recorded run that it names. */

import type { RunRecord } from '../../../regress/runRecord.ts';
import { RunRecordError } from '../../../regress/runRecordError.ts';
import { parseTestCommand, type TestCommand } from '../../cli/commands/testCommand.ts';
import { type LoadedCommand, loadCommand } from '../loadedCommand.ts';

/** The run that a command line asks for. */
export interface ToPlay {
  readonly command: LoadedCommand;
  /** The record that is replayed. */
  readonly recorded: RunRecord | undefined;
  /** What it is held against: the run of the record of `--against`. */
  readonly against?: { readonly name: string; readonly command: LoadedCommand };
}

/** With `--replay`, the run of that record; a string is the reason why it cannot be replayed. */
export async function toPlay(typed: TestCommand): Promise<ToPlay | string> {
  if (typed.replay === undefined && typed.against === undefined)
    return { command: loadCommand(typed), recorded: undefined };
  // Loaded only here: the validator of records takes longer to load than a short run takes.
  const { replayCommand } = await import('./replay.ts');
  try {
    const against = typed.against === undefined ? {} : { against: otherRun(typed.against, typed, replayCommand) };
    if (typed.replay === undefined) return { command: loadCommand(typed), recorded: undefined, ...against };
    const { command, record } = replayCommand(typed.replay, typed);
    return { command, recorded: record, ...against };
  } catch (error) {
    if (error instanceof RunRecordError) return error.message;
    throw error;
  }
}

/** As it was recorded: nothing of the command line but the folder of tests that may be loaded. */
function otherRun(
  path: string,
  { testPath }: TestCommand,
  replay: (path: string, command: TestCommand) => { readonly command: LoadedCommand },
): NonNullable<ToPlay['against']> {
  const own = testPath === undefined ? [] : [`+TEST_PATH=${testPath}`];
  return { name: path, command: replay(path, parseTestCommand(own)).command };
}
