/** Translation by domain: an entry says whether its page lies in host memory or on the card. */
import { Translation } from '../../hangu/model/index.ts';
import { DOMAIN_BIT_HI } from '../layout/addressMap.ts';

/** Places in the list of targets. */
export const TARGET = { host: 0, card: 1 } as const;

export class CardTranslation extends Translation {
  /** Entries of HanGu have the field, log2 of the bytes of a page over 4 KiB; the card has pages of 2 MiB as well. */
  override pageLogOf(pageSize: number): number {
    return pageSize;
  }

  /** Overridable for planting. */
  protected override targetOf(_lo: number, hi: number): number {
    return (hi & DOMAIN_BIT_HI) === 0 ? TARGET.host : TARGET.card;
  }
}
