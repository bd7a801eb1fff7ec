/** Bugs of where payload goes: domain, width of addresses, and what is said before it is there. */
import { DmaEngine } from '../../roce/dmaEngine.ts';
import { DOMAIN_BIT_HI } from '../layout/addressMap.ts';
import { CardTranslation, TARGET } from '../model/cardTranslation.ts';
import { DdrFabric } from '../model/ddrFabric.ts';
import { Every, faultsOf, planted } from './cardFault.ts';
import { TARGET_ROWS } from './rows/targetRows.ts';

/** Card addresses of 32 bits. */
class NarrowAddresses extends DdrFabric {
  override read(_hi: number, ...others: Tail<DdrFabric['read']>): void {
    super.read(0, ...others);
  }

  override write(_hi: number, ...others: Tail<DdrFabric['write']>): void {
    super.write(0, ...others);
  }
}

/** Says of writes that everybody sees them, when they have been handed over. */
class HastyFabric extends DdrFabric {
  override readonly isPosted = true;
}

/** Counts a write as done with the first of its bursts. */
class FirstBurst extends DdrFabric {
  protected override burstsToWaitFor(isWrite: boolean, bursts: number): number {
    return isWrite ? Math.min(1, bursts) : bursts;
  }
}

/** Every so many pages of the card are taken for pages of host memory with the same number. */
class LostDomain extends CardTranslation {
  readonly #lost = new Every(5);

  protected override targetOf(lo: number, hi: number): number {
    const target = super.targetOf(lo, hi);
    return target === TARGET.card && this.#lost.hit() ? TARGET.host : target;
  }
}

/** Bus addresses without the bit of the domain. */
class PlainAddresses extends DmaEngine {
  override read(hi: number, ...others: Tail<DmaEngine['read']>): void {
    super.read(hi & ~DOMAIN_BIT_HI, ...others);
  }

  override write(hi: number, ...others: Tail<DmaEngine['write']>): void {
    super.write(hi & ~DOMAIN_BIT_HI, ...others);
  }
}

/** Every so many pages of host memory are taken for pages of the card. */
class InventedDomain extends CardTranslation {
  readonly #invented = new Every(5);

  protected override targetOf(lo: number, hi: number): number {
    const target = super.targetOf(lo, hi);
    return target === TARGET.host && this.#invented.hit() ? TARGET.card : target;
  }
}

type Tail<F> = F extends (first: never, ...others: infer T) => unknown ? T : never;

export const TARGET_FAULTS = faultsOf(TARGET_ROWS, {
  card_address_32: planted({ fabric: NarrowAddresses }),
  ddr_write_posted: planted({ fabric: HastyFabric }),
  ddr_first_burst_ends: planted({ fabric: FirstBurst }),
  domain_lost: planted({}, { translation: LostDomain, dma: PlainAddresses }),
  domain_invented: planted({}, { translation: InventedDomain }),
});
