/** The tables of behaviours that ship, as the list `conformance` names them. */

import type { BehaviourTable } from '../../regress/conformance/behaviours.ts';
import { expandList } from '../../regress/lists/expandList.ts';
import { DEFAULT_SEED } from '../cli/seed.ts';
import { listPath } from '../many/shippedLists.ts';

/** The list that plays them. */
export const CONFORMANCE_LIST = 'conformance';

/** @returns the tables, or every mistake in them */
export function shippedBehaviours(cwd = process.cwd()): {
  readonly tables: readonly BehaviourTable[];
  readonly problems: readonly string[];
} {
  const { behaviours, problems } = expandList(listPath(CONFORMANCE_LIST, cwd), { baseSeed: DEFAULT_SEED, cwd });
  return { tables: behaviours, problems };
}
