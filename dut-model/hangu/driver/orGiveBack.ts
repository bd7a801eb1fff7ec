/** What a queue that cannot be made has taken before its NIC had no room for the rest. */

import { HostApiError } from '../../../env/verbs/hostErrors.ts';
import type { Proc } from '../../../uvm/kernel/process.ts';

/** Does `work`; where that is refused, gives back what was taken for it before. @throws what `work` throws */
export function* orGiveBack<T>(work: Proc<T>, giveBack: () => Proc<void>): Proc<T> {
  try {
    return yield* work;
  } catch (error) {
    if (error instanceof HostApiError) yield* giveBack();
    throw error;
  }
}
