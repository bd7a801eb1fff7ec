import type { PlayEnv } from '../host/playEnv.ts';
import type { ParameterValues } from '../../config/table/parameterTable.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { Connection } from './connection.ts';

/** What a user sequence is given. */
export interface UserContext {
  readonly env: PlayEnv;
  readonly connections: readonly Connection[];
  /** Sees to the host whose device is gone; see `UserSequence.reopen`. */
  readonly reopen: (host: number) => Proc<void>;
  /** All parameters of the run. */
  readonly values: ParameterValues;
}
