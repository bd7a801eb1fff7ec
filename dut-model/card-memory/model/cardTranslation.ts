/** Translation by domain: an entry says whether its page lies in host memory or on the card. */
import { Translation } from '../../hangu/model/index.ts';
import { DOMAIN_BIT_HI } from '../layout/addressMap.ts';

/** Places in the list of targets. */
export const TARGET = { host: 0, card: 1 } as const;

export class CardTranslation extends Translation {
  /** Overridable for planting. */
  protected override targetOf(_lo: number, hi: number): number {
    return (hi & DOMAIN_BIT_HI) === 0 ? TARGET.host : TARGET.card;
  }
}
