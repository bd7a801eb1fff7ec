/** A request of a NIC that a fault rule keeps from ending as it should, for who judges what comes of it. */

import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import type { AccessArea, HeldEntries } from './place/accessPlace.ts';
import type { RequestKind } from './rule/pcieRule.ts';

export interface FailedAccess {
  readonly host: number;
  readonly kind: RequestKind;
  /** How a read is answered, or a write fails. */
  readonly how: 'unsupported' | 'aborted' | 'poisoned' | 'lost';
  /** When the NIC sent it, ps. */
  readonly time: SimTime;
  /** Physical address, in two signed halves, and bytes. */
  readonly hi: number;
  readonly lo: number;
  readonly length: number;
  /** See `AccessPlace`. */
  readonly area: AccessArea;
  readonly firstQpn: number;
  readonly lastQpn: number;
  readonly firstCqn: number;
  readonly lastCqn: number;
  readonly receives: boolean;
  /** Of translation entries; undefined where the software of the NIC does not say. */
  readonly held?: HeldEntries | undefined;
  readonly tag: number;
}
