/** A bug that can be planted in the driver of blue-rdma: who wants to trust a checker lets it catch one. */
import type { DriverParts } from '../../driver/driverParts.ts';

/** What is known of a bug without its code. Rows are data, in `rows/`. */
export interface DriverFaultRow {
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
}

/** One bug: its row, and what makes it. */
export interface DriverFault extends DriverFaultRow {
  /** Classes in place of the usual ones. */
  readonly parts: Partial<DriverParts>;
}

/** Rows with the code of each, in the order of the rows. A row without code does not compile, nor code without a row. */
export function driverFaultsOf<const Row extends DriverFaultRow>(
  rows: readonly Row[],
  code: Readonly<Record<Row['name'], DriverFault['parts']>>,
): readonly DriverFault[] {
  return rows.map((row) => ({ ...row, parts: code[row.name as Row['name']] }));
}
