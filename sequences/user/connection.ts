import type { QpType } from '../../rdma/verbs.ts';
import type { QpSide } from './qpSide.ts';

/** Two connected queue pairs. `left` is the one on the lower host. @public */
export interface Connection {
  /** Number among the connections of the run, from 0. */
  readonly index: number;
  readonly type: QpType;
  readonly left: QpSide;
  readonly right: QpSide;
}
