/** Bugs of how protection domains are compared. */
import { MPT_PERMISSION } from '../../layout/contexts.ts';
import { Translation } from '../../model/memory/translation.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

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

const NEAR_DOMAINS: readonly string[] = ['+UVM_TESTNAME=test_sequence', '+UVM_TEST_SEQ=near_domains', '+RC_QP_NUM=10'];

export const DOMAIN_FAULTS: readonly Fault[] = [
  {
    name: 'remote_domain_in_part',
    block: 'translation',
    description: 'the lowest 8 bits of a protection domain alone are compared when a peer asks for memory',
    caughtBy: ['SCB_STATUS', 'SCB_ANSWERED'],
    needs: NEAR_DOMAINS,
    create: planted({ translation: comparing(LOWEST, isRemote) }),
  },
  {
    name: 'local_domain_in_part',
    block: 'translation',
    description: 'the lowest 8 bits of a protection domain alone are compared for what a queue pair sends or receives',
    caughtBy: ['SCB_STATUS'],
    needs: NEAR_DOMAINS,
    create: planted({ translation: comparing(LOWEST, (need) => !isRemote(need)) }),
  },
  {
    name: 'domain_highest_bits',
    block: 'translation',
    description: 'the highest 8 bits of a protection domain alone are compared',
    caughtBy: ['SCB_STATUS', 'SCB_ANSWERED'],
    needs: NEAR_DOMAINS,
    create: planted({ translation: comparing(HIGHEST, () => true) }),
  },
];
