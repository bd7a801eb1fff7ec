import type { PlayEnv } from '../host/playEnv.ts';
import type { ParameterValues } from '../../config/table/parameterTable.ts';
import type { Connection } from './connection.ts';

/** What a user sequence is given. */
export interface UserContext {
  readonly env: PlayEnv;
  readonly connections: readonly Connection[];
  /** All parameters of the run. */
  readonly values: ParameterValues;
}
