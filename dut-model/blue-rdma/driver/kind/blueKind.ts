/** blue-rdma NICs as the harness knows them: what an entry for one (env/nicKind.ts) consists of, besides the NIC. */
import type { NicKind } from '../../../../env/nicKind.ts';
import type { ProviderBuilder } from '../../../../env/providers/provider.ts';
import { BlueProvider } from '../blueProvider.ts';
import type { DriverParts } from '../driverParts.ts';
import { OutOfBandChannel } from '../outOfBand.ts';
import { BLUE_LAYOUT } from './addressMap.ts';
import { BLUE_DEVICE_LIMITS } from './deviceLimits.ts';
import { driverSettings } from './driverKnobs.ts';
import { BLUE_PROFILE } from './profile.ts';

/** Drivers that share the channel of their environment. @param parts classes in place of the usual ones */
export function blueProvider(parts: Partial<DriverParts> = {}): ProviderBuilder {
  return (host, knobs) => {
    const name = 'blue-rdma out-of-band channel';
    const made = (): OutOfBandChannel => new OutOfBandChannel(host.scheduler, host.random('out-of-band channel'));
    return new BlueProvider(host, { ...driverSettings(knobs), parts, channel: host.shared(name, made) });
  };
}

export const BLUE_KIND: NicKind = {
  provider: () => blueProvider(),
  limits: BLUE_DEVICE_LIMITS,
  profile: BLUE_PROFILE,
  layout: BLUE_LAYOUT,
};
