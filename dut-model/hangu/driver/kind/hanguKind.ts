/** HanGu NICs as the harness knows them: what an entry for one (env/nicKind.ts) consists of, besides the NIC. */

import type { NicKind } from '../../../../env/nicKind.ts';
import { HANGU_LAYOUT } from './addressMap.ts';
import { HANGU_DEVICE_LIMITS } from './deviceLimits.ts';
import { hanguPlaces } from './places.ts';
import { HANGU_PROFILE, hanguProfileOf } from './profile.ts';
import { HanguProvider } from '../hanguProvider.ts';

export const HANGU_KIND: NicKind = {
  provider: () => (host) => new HanguProvider(host),
  limits: HANGU_DEVICE_LIMITS,
  profile: HANGU_PROFILE,
  profileOf: hanguProfileOf,
  ecnKnobs: { ecn: 1 },
  layout: HANGU_LAYOUT,
  places: hanguPlaces,
};
