/** All that is asked for of the PCIe faults of a run. */

import type { SimTime } from '../../../uvm/kernel/scheduler.ts';
import type { SourcedPcieRule } from './rule/pcieRule.ts';

/** Plain data: decided before the run. */
export interface PcieFaultPlan {
  /** In the order in which they act. */
  readonly rules: readonly SourcedPcieRule[];
  /** No fault begins at or after this time, ps; Infinity = never ends. */
  readonly until: SimTime;
  /** Say which requests the rules would hit, and hit none. */
  readonly explain: boolean;
  /** Say of each request that a rule hits which of its kind it was. Default false. */
  readonly census?: boolean | undefined;
  /** Of a replay: what each rule did in the run that is repeated, as texts of `request=` rules; null for one without chance. */
  readonly schedules?: readonly (readonly string[] | null)[] | undefined;
}

/** A run without PCIe faults. */
export const NO_PCIE_FAULTS: PcieFaultPlan = { rules: [], until: Number.POSITIVE_INFINITY, explain: false };
