/** A bug that can be planted in the blue-rdma NIC: who wants to trust a checker lets it catch one. */
import type { BlueBlocks } from '../model/blueBlocks.ts';

/** What is known of a bug without its code. Rows are data, in `rows/`. */
export interface BlueFaultRow {
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
}

/** One bug: its row, and what makes it. */
export interface BlueFault extends BlueFaultRow {
  /** Classes in place of the usual ones. */
  readonly blocks: Partial<BlueBlocks>;
}

/** Rows with the code of each, in the order of the rows. A row without code does not compile, nor code without a row. */
export function blueFaultsOf<const Row extends BlueFaultRow>(
  rows: readonly Row[],
  code: Readonly<Record<Row['name'], BlueFault['blocks']>>,
): readonly BlueFault[] {
  return rows.map((row) => ({ ...row, blocks: code[row.name as Row['name']] }));
}
