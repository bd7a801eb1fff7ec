import type { DeviceLimits } from '../env/deviceLimits.ts';
import { mostEntries } from './derivedChecks.ts';
import type { DraftValues } from './draftValues.ts';
import type { ParameterName, ParameterValues } from './parameterTable.ts';

/**
 * Cuts what the user has not chosen to what the NIC can do: defaults and draws suit the largest NICs, and nobody is to be
 * blamed for what he did not type.
 */
export function keepWithin(draft: DraftValues, isGiven: (name: ParameterName) => boolean, limits: DeviceLimits): void {
  const most = {
    SG_NUM: mostEntries(draft as unknown as ParameterValues, limits),
    MAX_INLINE: limits.maxInline,
  };
  for (const [name, value] of Object.entries(most) as [keyof typeof most, number][]) {
    if (!isGiven(name) && Number(draft[name]) > value) draft[name] = value;
  }
}
