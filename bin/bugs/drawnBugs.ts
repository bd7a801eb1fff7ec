/** Planted bugs that are drawn at random for a table, the same for the same seed. */

import { NIC_CATALOG } from '../../dut-model/nicCatalog.ts';
import type { FaultEntry, NicEntry } from '../../env/nicKind.ts';
import { RandomStreams } from '../../uvm/random/randomStreams.ts';

/** A bug and the kind of NIC that it is planted in. */
export interface DrawnBug {
  readonly nic: NicEntry;
  readonly bug: FaultEntry;
}

/** Those that a check finds, of all kinds of NIC, in the order in which they are drawn. @param table of its own draw */
export function drawnBugs(seed: number, table: string): DrawnBug[] {
  const all = allBugs();
  new RandomStreams(seed, table).stream('bugs', 'draw').shuffle(all);
  return all.filter(({ bug }) => (bug.caughtBy ?? []).length > 0);
}

/** The one of that name; none where there is no such bug. */
export function bugsNamed(name: string): DrawnBug[] {
  return allBugs().filter(({ bug }) => bug.name === name);
}

function allBugs(): DrawnBug[] {
  return NIC_CATALOG.flatMap((nic) => nic.faults.map((bug) => ({ nic, bug })));
}
