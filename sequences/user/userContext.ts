import type { PlayEnv } from '../host/playEnv.ts';
import type { Connection } from './connection.ts';

/** What a user sequence is given. */
export interface UserContext {
  readonly env: PlayEnv;
  readonly connections: readonly Connection[];
  /** `+SEQ_COUNT`. */
  readonly count: number;
  /** Path MTU in bytes. */
  readonly mtu: number;
  /** `+SETTLE`, ps. */
  readonly settleTime: number;
}
