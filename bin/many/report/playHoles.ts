/** `hca_regress coverage --run-holes`: plays what would hit the bins that are open. */

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeAtomically } from '../../../regress/atomicFile.ts';
import type { Hole } from '../../../regress/coverage/holes.ts';
import { counted } from '../../../uvm/report/counted.ts';
import { regressProgram } from '../../calledAs.ts';
import type { DescriptorOutput } from '../../cli/syncOutput.ts';
import { EXIT } from '../../run/runSpec.ts';

/** @param source the first folder or store that was read @param run plays a command line of `hca_regress` */
export async function playHoles(
  holes: readonly Hole[],
  source: string,
  run: (argv: readonly string[]) => Promise<number>,
  out: DescriptorOutput,
): Promise<number> {
  const lines = [...new Set(holes.flatMap(({ command }) => (command === '' ? [] : [command])))];
  const left = holes.filter(({ command }) => command === '').length;
  const without = left === 0 ? '' : `; ${counted(left, 'bin')} need a new sequence`;
  if (lines.length === 0) {
    out.line(`no run is known that hits any of ${counted(holes.length, 'hole')}${without}`);
    return EXIT.passed;
  }
  const folder = statSync(source).isDirectory() ? source : dirname(source);
  const script = join(folder, 'holes.sh');
  const into = join(folder, 'holes');
  writeAtomically(script, `${lines.join('\n')}\n`);
  out.line(`${counted(lines.length, 'run')} for ${counted(holes.length - left, 'hole')}, in ${script}${without}`);
  const code = await run(['run', script, '--cov', '--out', into]);
  out.line(`${regressProgram()} coverage ${source} ${into} --holes shows what is left`);
  return code;
}
