/** Folders of tests that runs of a regression name. */

import { resolve } from 'node:path';
import type { Job } from '../../../regress/job.ts';
import type { RegressCommand } from '../../cli/commands/regressCommand.ts';
import { parseTestCommand } from '../../cli/commands/testCommand.ts';
import type { Registries } from '../../registries.ts';

/** Words without which a run names no folder of tests: most runs of a regression need no closer look. */
const NAMES_FOLDER = /^(-f|-F|-file|\+TEST_PATH)(=|$)/;

/** To load a module is to run it: a dry run loads the folder that its own command line names. @returns what it leaves alone */
export async function openAll(
  jobs: readonly Job[],
  registries: Registries,
  command: Pick<RegressCommand, 'dryRun' | 'plusargs' | 'stored'>,
): Promise<string[]> {
  const loads = !command.dryRun || command.plusargs.some((word) => word.startsWith('+TEST_PATH='));
  const permitted = command.stored && new Set(command.stored.testFolders.map((path) => resolve(path)));
  const left = new Set<string>();
  for (const { argv, cwd } of jobs) {
    if (!argv.some((word) => NAMES_FOLDER.test(word))) continue;
    const { testPath = '' } = parseTestCommand(argv, {}, cwd);
    const isPermitted = permitted === undefined || permitted.has(resolve(cwd, testPath));
    if ((loads && isPermitted) || testPath === '') await registries.open(testPath, cwd);
    else {
      left.add(`+TEST_PATH=${testPath}`);
      registries.leave(testPath, cwd);
    }
  }
  return [...left].map((word) => `${word}: ${UNREAD}`);
}

const UNREAD =
  'a dry run loads no code, so that tests, sequences and NIC models are not looked for; ' +
  'name the folder on the command line to have it loaded';
