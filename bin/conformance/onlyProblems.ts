/** Mistakes in the ids of behaviours that a command line asks for. */

import type { BehaviourTable } from '../../regress/conformance/behaviours.ts';
import { didYouMean } from '../../uvm/cmdline/nearest.ts';

/** @param only ids @param of name of the list */
export function onlyProblems(only: readonly string[], tables: readonly BehaviourTable[], of: string): string[] {
  const all = tables.flatMap(({ behaviours }) => behaviours);
  if (only.length > 0 && all.length === 0)
    return [`--only ${only.join(',')}: ${of} names no behaviours; give --filter, or the list conformance`];
  const byId = new Map(all.map((behaviour) => [behaviour.id, behaviour]));
  return only.flatMap((id) => {
    const shown = byId.get(id)?.shown;
    if (shown === undefined) return [`--only ${id}: ${of} has no behaviour of this id${didYouMean(id, byId.keys())}`];
    if (shown.by === 'runs') return [];
    return [
      `--only ${id}: ${shown.by === 'outside' ? 'lies outside of a NIC harness: ' : 'waits for '}${shown.reason}`,
    ];
  });
}
