/** Coverage on its way from the process that measured it to the store. */

import type { GroupModel } from '../../uvm/coverage/model.ts';
import { type CoverageRun, groupRef } from './database.ts';

/** The coverage of one run, with the groups that whoever takes it does not know yet. */
export interface MeasuredRun {
  readonly groups: readonly GroupModel[];
  readonly run: CoverageRun;
}

/** Leaves groups out that have been sent before: they are hundreds of kilobytes, and the same in every run. */
export class GroupSender {
  readonly #sent = new Set<string>();

  fresh({ groups, run }: MeasuredRun): MeasuredRun {
    const unknown = groups.filter((group) => !this.#sent.has(groupRef(group)));
    for (const group of unknown) this.#sent.add(groupRef(group));
    return { groups: unknown, run };
  }
}
