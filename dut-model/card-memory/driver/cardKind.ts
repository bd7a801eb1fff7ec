/** The card as the harness knows it: what its entry consists of, besides the NIC. */
import { HANGU_KIND } from '../../hangu/driver/index.ts';
import type { NicKind } from '../../../env/nicKind.ts';
import { burstTimeOf, cardLayoutOf, inboundHiOf } from '../layout/knobs.ts';
import { ON_CHIP, PORTS } from '../layout/limits.ts';
import { CARD_LAYOUT } from './cardAddressMap.ts';
import { CARD_CAPABILITIES, CardProvider } from './cardProvider.ts';

const { limits } = HANGU_KIND;

export const CARD_KIND: NicKind = {
  ...HANGU_KIND,
  provider: () => (host, knobs) => new CardProvider(host, knobs),
  profileOf: (knobs) => ({ ...HANGU_KIND.profileOf?.(knobs), burstTime: burstTimeOf(knobs) }),
  layout: CARD_LAYOUT,
  cardMemory: cardLayoutOf,
  inboundHi: inboundHiOf,
  limits: {
    ...limits,
    capabilities: CARD_CAPABILITIES,
    ports: PORTS,
    maxRegions: ON_CHIP.mpt - 1,
    maxPages: ON_CHIP.mtt - 1,
    lastFirstNumbers: {
      qpn: 0,
      cqn: 0,
      cqIndex: 0,
      ...limits.lastFirstNumbers,
      key: ON_CHIP.mpt - 1,
      mtt: ON_CHIP.mtt / 2,
    },
  },
};
