/** What a user sequence needs of a NIC, besides queue pairs of a type that it can use. */
import type { DeviceLimits } from '../../env/deviceLimits.ts';
import type { ProviderCapabilities } from '../../env/verbs/capabilities.ts';

/** @public */
export interface SequenceNeeds {
  readonly capabilities?: readonly (keyof ProviderCapabilities)[];
  /** Entries of a scatter/gather list. */
  readonly entries?: number;
  /** Bytes of a memory region. */
  readonly regionBytes?: number;
  /** Software that can take a reset of its NIC. */
  readonly nicReset?: boolean;
}

/** What of it a NIC does not have, in words; none when the sequence can run. @public */
export function lackOf(needs: SequenceNeeds, limits: DeviceLimits): readonly string[] {
  const { capabilities = [], entries = 1, regionBytes = 0, nicReset = false } = needs;
  const lack: string[] = capabilities.filter((name) => !limits.capabilities[name]);
  if (entries > limits.maxSge) lack.push(`lists of ${entries} entries`);
  if (regionBytes > (limits.maxRegionBytes ?? regionBytes)) lack.push(`regions of ${regionBytes} bytes`);
  if (nicReset && limits.nicReset === false) lack.push('software that can take a reset of its NIC');
  return lack;
}
