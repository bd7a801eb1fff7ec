/**
 * Runs that an earlier regression has stored are data, as records are: they write into their own folders alone, and code of a
 * folder of tests is loaded only where the command line names that folder. Whoever has sent the folder of a regression decides
 * neither what is overwritten nor what is executed.
 */

import { lstatSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folderOf } from '../player.ts';
import type { Job } from '../../regress/job.ts';
import { statOf } from '../../files/statOf.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';

/**
 * What keeps stored runs from being played, each thing once.
 * @param flag that names where they are stored: `--resume out/x`
 * @param named folders of tests that the command line names
 */
export function storedProblems(
  flag: string,
  runs: readonly Pick<Job, 'argv' | 'cwd'>[],
  named: readonly string[],
  here = process.cwd(),
): string[] {
  const permitted = new Set(named.map((path) => resolve(here, path)));
  const problems = new Set<string>();
  for (const cwd of new Set(runs.map((run) => run.cwd)))
    if (statOf(cwd)?.isDirectory() !== true)
      problems.add(`${flag}: its runs were begun in ${cwd}, which is no folder here; go to where it is`);
  for (const { argv, cwd } of runs) {
    const { testPath = '' } = parseTestCommand(argv, {}, cwd);
    const folder = resolve(cwd, testPath);
    if (testPath !== '' && !permitted.has(folder))
      problems.add(
        `${flag}: its runs have tests of the folder ${folder}; their code is loaded if you name it: add +TEST_PATH=${folder}`,
      );
  }
  return [...problems];
}

/** What those runs that name files to be written are told; none where they name none. */
export function ownFolderNotes(flag: string, runs: readonly Pick<Job, 'argv' | 'cwd'>[]): string[] {
  const names = runs.flatMap(({ argv, cwd }) => {
    const { log, pcap, trace, dumpScenario } = parseTestCommand(argv, {}, cwd);
    return [log, pcap, trace, dumpScenario].filter((name) => name !== undefined && name !== '');
  });
  const [first, ...more] = new Set(names);
  if (first === undefined) return [];
  const all = more.length === 0 ? first : `${first} and ${more.length} more`;
  return [`${flag}: stored runs write into their own folders alone, not into ${all}`];
}

/**
 * Links in the folder of a regression, or among the folders of its runs: what is written through one lands elsewhere.
 * @param ids of runs in whose folders something is written
 */
export function linkProblems(flag: string, folder: string, ids: readonly string[] = []): string[] {
  const own = statOf(folder)?.isDirectory() === true ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [...own, ...ids.map((id) => folderOf({ id }, folder))]
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    .map((path) => `${flag}: ${path} is a link; put in its place what it leads to, or take it away`);
}
