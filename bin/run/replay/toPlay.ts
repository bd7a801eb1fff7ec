/** What `hca_test` is to play: the command line itself, or the recorded run that it names. */

import type { RunRecord } from '../../../regress/runRecord.ts';
import { RunRecordError } from '../../../regress/runRecordError.ts';
import type { TestCommand } from '../../cli/commands/testCommand.ts';
import { type LoadedCommand, loadCommand } from '../loadedCommand.ts';

/** The run that a command line asks for. */
export interface ToPlay {
  readonly command: LoadedCommand;
  /** The record that is replayed. */
  readonly recorded: RunRecord | undefined;
}

/** With `--replay`, the run of that record; a string is the reason why it cannot be replayed. */
export async function toPlay(typed: TestCommand): Promise<ToPlay | string> {
  if (typed.replay === undefined) return { command: loadCommand(typed), recorded: undefined };
  // Loaded only here: the validator of records takes longer to load than a short run takes.
  const { replayCommand } = await import('./replay.ts');
  try {
    const { command, record } = replayCommand(typed.replay, typed);
    return { command, recorded: record };
  } catch (error) {
    if (error instanceof RunRecordError) return error.message;
    throw error;
  }
}
