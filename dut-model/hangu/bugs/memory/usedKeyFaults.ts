/** Bugs of what is kept of a region that has been used: a later access under the same key is not checked in full. */
import { Translation, XLATE } from '../../model/memory/translation.ts';
import { planted } from '../fault.ts';
import type { Fault } from '../fault.ts';

type Access = Parameters<Translation['translate']>;

/** Stimulus with wrong requests under keys that were just used rightfully. */
const USED_KEYS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=used_keys',
  '+RC_QP_NUM=13',
  '+UC_QP_NUM=0',
  '+UD_QP_NUM=0',
];

/** Stimulus with keys that queue pairs of other domains try while their owners use them. */
const FOREIGN_DOMAINS: readonly string[] = [
  '+UVM_TESTNAME=test_sequence',
  '+UVM_TEST_SEQ=foreign_domains',
  '+RC_QP_NUM=20',
  '+PROC_NUM=2',
];

/** Asks for less under a key that was successful before; `less` is given both accesses. */
function trusting(less: (access: Access, before: Access) => Access): typeof Translation {
  return class extends Translation {
    readonly #used = new Map<number, Access>();
    override translate(...access: Access): number {
      const [key, , , , , , relative] = access;
      const before = relative ? undefined : this.#used.get(key);
      const result = super.translate(...(before === undefined ? access : less(access, before)));
      if (result === XLATE.ok && !relative) this.#used.set(key, before ?? access);
      return result;
    }
  };
}

export const USED_KEY_FAULTS: readonly Fault[] = [
  {
    name: 'rights_checked_once',
    block: 'translation',
    description: 'the rights of a region are looked at by the first access only',
    caughtBy: ['SCB_STATUS'],
    needs: USED_KEYS,
    create: planted({
      translation: trusting(([key, pd, hi, lo, length, , relative, asker], [, , , , , need]) => {
        return [key, pd, hi, lo, length, need, relative, asker];
      }),
    }),
  },
  {
    name: 'upper_half_kept',
    block: 'translation',
    description: 'the upper half of an address is taken from the first access to its region',
    caughtBy: ['SCB_STATUS'],
    needs: USED_KEYS,
    create: planted({
      translation: trusting(([key, pd, , lo, length, need, relative, asker], [, , hi]) => {
        return [key, pd, hi, lo, length, need, relative, asker];
      }),
    }),
  },
  {
    name: 'end_checked_once',
    block: 'translation',
    description: 'the end of a region is looked at by the first access only',
    caughtBy: ['SCB_STATUS'],
    needs: USED_KEYS,
    create: planted({
      translation: trusting(([key, pd, hi, lo, , need, relative, asker]) => {
        return [key, pd, hi, lo, 1, need, relative, asker];
      }),
    }),
  },
  {
    name: 'domain_checked_once',
    block: 'translation',
    description: 'the protection domain of a region is compared with that of the first access only',
    caughtBy: ['SCB_STATUS'],
    needs: FOREIGN_DOMAINS,
    create: planted({
      translation: trusting(([key, , hi, lo, length, need, relative, asker], [, pd]) => {
        return [key, pd, hi, lo, length, need, relative, asker];
      }),
    }),
  },
];
