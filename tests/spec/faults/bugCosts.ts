/**
 * Measures what each planted bug costs a spec, clean run and run with the bug together, and writes the list of those
 * that are too dear for `npm test`: `npm run bug-costs`, a minute or two.
 */

import { writeFileSync } from 'node:fs';
import { BugHunt } from '../../../bin/bugs/bugHunt.ts';
import { NIC_CATALOG } from '../../../dut-model/nicCatalog.ts';
import { loadRegistry } from '../../../bin/registry.ts';

/** Processor time that a bug may take in `npm test` (ms). */
const LIMIT_MS = 300;

const registry = await loadRegistry();
const dear: Record<string, Record<string, number>> = {};
for (const nic of NIC_CATALOG) {
  const hunt = new BugHunt(nic, { registry, until: 'named' });
  const found: [string, number][] = [];
  for (const bug of nic.faults) {
    const before = process.cpuUsage();
    if ((bug.caughtBy ?? []).length > 0) hunt.playClean(bug);
    hunt.play(bug);
    const { user, system } = process.cpuUsage(before);
    const ms = Math.round((user + system) / 1000);
    if (ms > LIMIT_MS) found.push([bug.name, ms]);
  }
  dear[nic.name] = Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}
writeFileSync(new URL('./nightlyBugs.json', import.meta.url), `${JSON.stringify(dear, null, 2)}\n`);
