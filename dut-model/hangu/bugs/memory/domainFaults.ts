/** Bugs of how protection domains are compared. */
import { MPT_PERMISSION } from '../../layout/contexts.ts';
import { Translation } from '../../model/memory/translation.ts';
import { faultsOf, planted } from '../fault.ts';
import { DOMAIN_ROWS } from './rows/domainRows.ts';

/** Eight bits of the number of a domain. */
const LOWEST = 0xff;

const HIGHEST = 0xff_0000;

const REMOTE = MPT_PERMISSION.remoteWrite | MPT_PERMISSION.remoteRead;

/** Compares the bits of `mask` alone in some accesses. @param some by the permissions that they need */
function comparing(mask: number, some: (need: number) => boolean): typeof Translation {
  return class extends Translation {
    #inPart = false;

    override translate(...access: Parameters<Translation['translate']>): number {
      this.#inPart = some(access[5]);
      return super.translate(...access);
    }

    protected override sameDomain(region: number, pair: number): boolean {
      return super.sameDomain(region, pair) || (this.#inPart && ((region ^ pair) & mask) === 0);
    }
  };
}

const isRemote = (need: number): boolean => (need & REMOTE) !== 0;

export const DOMAIN_FAULTS = faultsOf(DOMAIN_ROWS, {
  remote_domain_in_part: planted({ translation: comparing(LOWEST, isRemote) }),
  local_domain_in_part: planted({ translation: comparing(LOWEST, (need) => !isRemote(need)) }),
  domain_highest_bits: planted({ translation: comparing(HIGHEST, () => true) }),
});
