/** A bug that can be planted in the blue-rdma NIC: who wants to trust a checker lets it catch one. */
import type { BlueBlocks } from '../model/blueBlocks.ts';

export interface BlueFault {
  /** Value of `+DUT_FAULT=`. */
  readonly name: string;
  /** Block of the NIC that it sits in. */
  readonly block: string;
  readonly description: string;
  /** What it breaks: behaviours of blue-rdma.md section 20. */
  readonly breaks: readonly string[];
  /** Report ids of which at least one is seen in `lists/blue.f` with what it needs; left out where only specs can see it. */
  readonly caughtBy?: readonly string[];
  /** Plusargs without which it does not show, beyond those of `lists/blue.f`. */
  readonly needs?: readonly string[];
  /** Classes in place of the usual ones. */
  readonly blocks: Partial<BlueBlocks>;
}
