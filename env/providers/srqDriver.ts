/** Shared receive queues of a driver. The host has checked what holds for every NIC. */
import type { RecvWr } from '../../agents/verbs/verbsItems.ts';
import type { Proc } from '../../uvm/kernel/process.ts';
import type { SrqAttributes, SrqRequest } from '../verbs/srq/srqRequests.ts';
import type { Pd, Srq } from '../verbs/verbsObjects.ts';

export interface SrqDriver {
  create(pd: Pd, request: SrqRequest): Proc<Srq>;
  /** Asks for the event, or with 0 for none. */
  setLimit(srq: Srq, limit: number): Proc<void>;
  query(srq: Srq): Proc<SrqAttributes>;
  destroy(srq: Srq): Proc<void>;
  /** Posts `wrs[0 .. count-1]`, and counts them in `srq.posted`. */
  post(srq: Srq, wrs: readonly RecvWr[], count: number): Proc<void>;
}
