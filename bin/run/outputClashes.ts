/** Keeps a run from writing over what it reads, and from writing two things to one file. */

import { statOf } from '../../files/statOf.ts';
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestCommand } from '../cli/commands/testCommand.ts';

/** A file of a run, as the user named it. */
interface Named {
  readonly flag: string;
  readonly path: string;
}

/**
 * One message per output that is another output or an input of the same run.
 * @param cwd folder for relative paths
 */
export function clashProblems(command: TestCommand, cwd: string): string[] {
  const outputs = named([
    ['-l', command.log],
    ['--pcap', command.pcap],
    ['--trace', command.trace],
    ['--dump-scenario', command.dumpScenario],
  ]);
  if (outputs.length === 0) return [];
  const inputs = named([
    ['--replay', command.replay],
    ['--scenario', command.scenario],
    ['--faults', command.faults],
    ...command.optionFiles.map((path) => ['-f', path] as const),
  ]);
  const taken = new Map<string, string>();
  for (const { flag, path } of inputs) taken.set(identity(cwd, path), `is read by the same run (${flag})`);
  return outputs.flatMap(({ flag, path }) => {
    const file = identity(cwd, path);
    const use = taken.get(file);
    taken.set(file, `is also written by ${flag}`);
    return use === undefined || isDevice(file) ? [] : [`${flag} ${path}: the file ${use}; name another`];
  });
}

function named(pairs: readonly (readonly [flag: string, path: string | undefined])[]): Named[] {
  return pairs.flatMap(([flag, path]) => (path === undefined || path === '' ? [] : [{ flag, path }]));
}

/** Two names of one file have one identity, also when one is a link. */
function identity(cwd: string, path: string): string {
  const absolute = resolve(cwd, path);
  try {
    return realpathSync(absolute);
  } catch {
    return absolute;
  }
}

/** `/dev/null` takes what everybody writes. */
function isDevice(path: string): boolean {
  const found = statOf(path);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}
