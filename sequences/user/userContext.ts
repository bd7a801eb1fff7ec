import type { PlayEnv } from '../host/playEnv.ts';
import type { ParameterValues } from '../../config/table/parameterTable.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { Connection } from './connection.ts';
import type { CompletionUser } from './waits/completionRouter.ts';

/** What a user sequence is given. */
export interface UserContext {
  readonly env: PlayEnv;
  readonly connections: readonly Connection[];
  /** Sees to the host whose device is gone; see `UserSequence.reopen`. */
  readonly reopen: (host: number) => Proc<void>;
  /** Has the completions of a queue pair of a host given to whoever has it. */
  readonly giveCompletions: (host: number, user: CompletionUser) => void;
  /** All parameters of the run. */
  readonly values: ParameterValues;
}
