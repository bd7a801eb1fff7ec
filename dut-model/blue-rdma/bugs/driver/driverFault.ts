/** A bug that can be planted in the driver of blue-rdma: who wants to trust a checker lets it catch one. */
import type { DriverParts } from '../../driver/driverParts.ts';

export interface DriverFault {
  /** Value of `+DUT_FAULT=`. */
  readonly name: string;
  /** Part of the driver that it sits in. */
  readonly part: string;
  readonly description: string;
  /** What it breaks: behaviours of blue-rdma.md section 20. */
  readonly breaks: readonly string[];
  /** Report ids of which at least one is seen in `lists/blue.f` with what it needs; left out where only specs can see it. */
  readonly caughtBy?: readonly string[];
  /** Plusargs without which it does not show, beyond those of `lists/blue.f`. */
  readonly needs?: readonly string[];
  readonly parts: Partial<DriverParts>;
}
