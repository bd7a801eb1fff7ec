/** What software does with the configuration space of its NIC. */
import type { Proc } from '../../../uvm/kernel/process.ts';
import type { FoundBar } from './rootComplex.ts';

export interface PciAccess {
  /** BARs as firmware found them; none of a NIC without configuration space. */
  readonly bars: readonly FoundBar[];
  /** Finds the BARs, sizes them, and gives each its place; nothing of a NIC without configuration space. */
  enumerate(): Proc<void>;
  /** Gives them other places, while all goes on. */
  relocate(): Proc<void>;
  /** Reads a dword of the configuration space; all ones where there is none. */
  configRead(register: number): Proc<number>;
}
