/**
 * Writes docs/detection.md: `npm run detection -- [--failing 20]`. A quarter of an hour with 20 runs that find each bug, a few
 * minutes with one.
 */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DescriptorOutput } from '../cli/syncOutput.ts';
import { NIC_CATALOG } from '../../dut-model/nicCatalog.ts';
import { loadRegistry } from '../registry.ts';
import { EXIT } from '../run/runSpec.ts';
import { projectRoot } from '../versions.ts';
import { BugHunt } from './bugHunt.ts';
import { BugMatrix } from './bugMatrix.ts';
import { type DetectionRow, detectionPage, mistakesOf } from './detectionTable.ts';
import { ownStimulus } from './ownStimulus.ts';

const PAGE = new URL('docs/detection.md', projectRoot());
const PROGRESS_EVERY = 20;
/** A fault rule that no packet matches. */
const NEVER_FIRES = '+NET_FAULT=drop service=rc qpn=16777215 optional';

const { values: options } = parseArgs({ options: { failing: { type: 'string', default: '20' } } });

/** @returns the exit code: 1 when a bug is not found on a clean link under an id that its entry names */
async function main(out: DescriptorOutput): Promise<number> {
  const registry = await loadRegistry();
  // Runs with a bug of which all findings are looked at.
  const failing = Math.max(1, Number(options.failing) || 1);
  const rows: DetectionRow[] = [];
  for (const nic of NIC_CATALOG) {
    const clean = new BugHunt(nic, { registry, until: 'named' });
    const permitted = new BugHunt(nic, { registry, more: [NEVER_FIRES], until: 'named' });
    const whole = new BugHunt(nic, { registry, until: 'end' });
    for (const bug of nic.faults) {
      const alarm = clean.playClean(bug);
      if (alarm.first !== '' || alarm.failure !== '')
        throw new Error(`${bug.name}: its stimulus finds ${alarm.first}${alarm.failure} without the bug`);
      const matrix = new BugMatrix(whole, [ownStimulus(nic, bug, failing)], { failing, further: true });
      rows.push({ clean: clean.play(bug), permitted: permitted.play(bug), row: matrix.play(bug) });
      if (rows.length % PROGRESS_EVERY === 0) out.line(`${rows.length} of ${nic.faults.length} bugs of ${nic.name}`);
    }
  }
  writeFileSync(PAGE, detectionPage(rows, failing));
  const mistakes = mistakesOf(rows);
  for (const mistake of mistakes) out.line(mistake);
  out.line(`docs/detection.md: ${rows.length} bugs`);
  return mistakes.length === 0 ? EXIT.passed : EXIT.failed;
}

process.exitCode = await main(new DescriptorOutput(1, 0));
