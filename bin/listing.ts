/** What `--list-tests` and its kin print. */

import { regressProgram } from './calledAs.ts';
import { allCovergroups, listCovergroups } from './cli/help/showCovergroups.ts';
import { listFaults, listKnobs, listTypes } from './cli/help/showTables.ts';
import type { TestCommand } from './cli/commands/testCommand.ts';
import { misplacedFiles } from './run/misplacedFiles.ts';
import type { Registry } from './registry.ts';
import { nicsNamed } from './nicEntry.ts';
import { projectRoot } from './versions.ts';

/** The listing that a command line asks for, without a newline at its end. */
export function listing({ action, plusargs }: TestCommand, registry: Registry): string {
  const conflict = (name: string): string => registry.factory.conflict(name);
  if (action === 'list-tests') return [listTypes(registry.tests, conflict), ...skipped('tests/')].join('\n');
  if (action === 'list-sequences')
    return [listTypes(registry.sequences, conflict), ...skipped('sequences/')].join('\n');
  if (action === 'list-covergroups') return listCovergroups(allCovergroups(registry));
  const dut = plusargs.map(({ text }) => /^\+DUT=(.*)$/.exec(text)?.[1]).find((name) => name !== undefined);
  const named = dut === undefined ? [] : nicsNamed(registry.nics, dut);
  const nics = named.length > 0 ? named : registry.nics;
  if (action === 'list-knobs') return listKnobs(nics);
  return [
    listFaults(nics),
    '',
    `${regressProgram()} list faults --only <pattern> shows with which command a bug is found.`,
  ].join('\n');
}

/** Files of a folder in which one might look in vain for what is listed. */
function skipped(folder: string): string[] {
  return misplacedFiles(projectRoot()).filter((text) => text.startsWith(folder));
}
