/** `hca_regress coverage --run-holes`: plays what would hit the bins that are open. */

import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../../regress/atomicFile.ts';
import type { Hole } from '../../../regress/coverage/holes.ts';
import { STORE_NAME } from '../../../regress/coverage/storeFormat.ts';
import { counted } from '../../../uvm/report/counted.ts';
import { regressProgram } from '../../calledAs.ts';
import type { DescriptorOutput } from '../../cli/syncOutput.ts';
import { EXIT } from '../../run/runSpec.ts';

/** What holes are played with. */
export interface HolePlayer {
  /** Folders and stores that were read; what is played goes beside the first. */
  readonly sources: readonly string[];
  /** Plays a command line of `hca_regress`. @returns its exit code */
  readonly run: (argv: readonly string[]) => Promise<number>;
  /** How many holes there are in some sources together. @throws CoverageError where one cannot be read */
  readonly openIn: (sources: readonly string[]) => number;
}

/** @returns the exit code of what was played */
export async function playHoles(
  holes: readonly Hole[],
  { sources, run, openIn }: HolePlayer,
  out: DescriptorOutput,
): Promise<number> {
  if (holes.length === 0) {
    out.line('there are no holes');
    return EXIT.passed;
  }
  const lines = [...new Set(holes.flatMap(({ command }) => (command === '' ? [] : [command])))];
  const left = holes.filter(({ command }) => command === '').length;
  const without = left === 0 ? '' : `; ${counted(left, 'bin')} need a new sequence`;
  if (lines.length === 0) {
    out.line(`no run is known that hits any of ${counted(holes.length, 'hole')}${without}`);
    return EXIT.passed;
  }
  const source = sources[0] as string;
  const folder = statSync(source).isDirectory() ? source : dirname(source);
  const script = join(folder, 'holes.sh');
  const into = join(folder, 'holes');
  writeAtomically(script, `${lines.join('\n')}\n`);
  out.line(`${counted(lines.length, 'run')} for ${counted(holes.length - left, 'hole')}, in ${script}${without}`);
  const code = await run(['run', script, '--cov', '--out', into]);
  // Where nothing was played, it has been said why.
  if (!existsSync(join(into, STORE_NAME))) return code;
  const open = openIn([...sources, into]);
  out.line(`${holes.length - open} of ${counted(holes.length, 'hole')} closed, ${open} left`);
  if (open > 0) out.line(`${regressProgram()} coverage ${[...sources, into].join(' ')} --holes shows them`);
  return code;
}
