/** RoCE over memory on the card, as the programs know it. */
import { HANGU_KNOBS, resolveHanguConfig } from '../hangu/model/index.ts';
import type { NicEntry } from '../../env/nicKind.ts';
import { CARD_FAULTS } from './bugs/cardFaults.ts';
import { CARD_KIND } from './driver/cardKind.ts';
import { CardProvider } from './driver/cardProvider.ts';
import { CARD_KNOBS, partKnobs } from './layout/knobs.ts';
import { CardNic } from './model/cardNic.ts';

export const ENTRY: NicEntry = {
  ...CARD_KIND,
  name: 'card',
  base: 'hangu',
  description: 'RoCE over memory on the card: HanGu transport, four DDR banks',
  faults: CARD_FAULTS,
  stimulus: 'lists/mixed.f',
  knobs: [...HANGU_KNOBS, ...CARD_KNOBS],
  provider: (fault) => {
    const software = CARD_FAULTS.find(({ name }) => name === fault)?.software;
    return (host, knobs) => new CardProvider(host, knobs, software);
  },
  nic: (fault) => {
    const bug = CARD_FAULTS.find(({ name }) => name === fault);
    return (context, knobs) => {
      const { card, others } = partKnobs(knobs);
      const config = resolveHanguConfig(others);
      return bug === undefined ? new CardNic(context, config, card) : bug.create(context, config, card);
    };
  },
};
