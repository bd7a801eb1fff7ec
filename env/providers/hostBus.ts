/**
 * The way from a provider to its NIC's registers: the PCIe master of the host. Part of the agent's interface, so that
 * a provider can be tried without one.
 */

import type { BarReader } from '../../agents/pcie/barRead.ts';
import type { PciAccess } from '../../agents/pcie/root/pciAccess.ts';
import type { CpuThread } from '../../agents/pcie/root/cpuThread.ts';
import type { Proc } from '../../uvm/kernel/process.ts';

export interface HostBus extends PciAccess {
  /** Posted write of little-endian dwords to a BAR; takes no time for the caller. The array may be reused at once. */
  barWrite(bar: number, offset: number, words: readonly number[]): void;
  /** One posted write for each dword, to ascending registers. */
  barWriteEach(bar: number, offset: number, words: readonly number[]): void;
  /** As `barWrite` for two dwords, without an array. */
  barWrite64(bar: number, offset: number, first: number, second: number): void;
  /** Reads a dword; takes the round trip. */
  barRead32(bar: number, offset: number): Proc<number>;
  /** The same for those who are no process: the answer goes to `reader`, with `arg`. */
  barReadTo(bar: number, offset: number, reader: BarReader, arg: number): void;
  /** Posted write of bytes of the byte store to memory behind a BAR: any bytes within 4 KiB. */
  memoryWrite(bar: number, offset: number, source: number, length: number): void;
  /** Reads them to byte-store offset `dst`; takes the round trip. */
  memoryRead(bar: number, offset: number, dst: number, length: number): Proc<void>;
  /** A hardware thread of the host, whose posted writes the root complex merges with those of others. */
  thread(): CpuThread;
}
