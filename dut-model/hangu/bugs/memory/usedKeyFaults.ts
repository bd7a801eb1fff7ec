/** Bugs of what is kept of a region that has been used: a later access under the same key is not checked in full. */
import { Translation, XLATE } from '../../model/memory/translation.ts';
import { faultsOf, planted } from '../fault.ts';
import { USED_KEY_ROWS } from './rows/usedKeyRows.ts';

type Access = Parameters<Translation['translate']>;

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

export const USED_KEY_FAULTS = faultsOf(USED_KEY_ROWS, {
  rights_checked_once: planted({
    translation: trusting(([key, pd, hi, lo, length, , relative, asker], [, , , , , need]) => {
      return [key, pd, hi, lo, length, need, relative, asker];
    }),
  }),
  upper_half_kept: planted({
    translation: trusting(([key, pd, , lo, length, need, relative, asker], [, , hi]) => {
      return [key, pd, hi, lo, length, need, relative, asker];
    }),
  }),
  end_checked_once: planted({
    translation: trusting(([key, pd, hi, lo, , need, relative, asker]) => {
      return [key, pd, hi, lo, 1, need, relative, asker];
    }),
  }),
  domain_checked_once: planted({
    translation: trusting(([key, , hi, lo, length, need, relative, asker], [, pd]) => {
      return [key, pd, hi, lo, length, need, relative, asker];
    }),
  }),
});
