/** What a provider with memory on its card does for device memory: `Provider.deviceMemory`. */
import type { Proc } from '../../uvm/kernel/process.ts';
import type { VirtualAddress } from '../verbs/hostApi.ts';

export interface DeviceMemoryDriver {
  /** @throws HostApiError of kind LIMIT where there is not so much left */
  alloc(process: number, length: number): VirtualAddress;
  /** @param hi, lo as `alloc` has given them */
  free(process: number, hi: number, lo: number): void;
  /** Software writes bytes through the NIC; done when everybody sees them. */
  write(process: number, hi: number, lo: number, data: Uint8Array): Proc<void>;
  /** Software reads bytes through the NIC. */
  read(process: number, hi: number, lo: number, length: number): Proc<Uint8Array>;
}
