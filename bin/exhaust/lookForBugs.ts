/** `hca_regress exhaust <list> --bugs <pattern>`: which planted bugs single faults find. */

import { didYouMean } from '../../uvm/cmdline/nearest.ts';
import { counted } from '../../uvm/report/counted.ts';
import type { ExhaustCommand } from '../cli/commands/exhaustCommand.ts';
import type { Outputs } from '../many/playRegression.ts';
import type { Registries } from '../registries.ts';
import { EXIT } from '../run/runSpec.ts';
import { BugPlacements, bugRow, bugsNamed, groundsOf } from './bugPlacements.ts';
import { readScenarios } from '../many/jobs/namedScenarios.ts';

/** Plants bugs, and says of each which single fault finds it. */
export async function lookForBugs(
  command: ExhaustCommand,
  patterns: string,
  registries: Registries,
  out: Outputs['out'],
  refuse: (problems: readonly string[]) => number,
): Promise<number> {
  const { scenarios, problems } = await readScenarios(command, registries);
  if (problems.length > 0) return refuse(problems);
  const grounds = await groundsOf(scenarios, registries);
  const faults = grounds[0]?.registry.nics[0]?.faults ?? [];
  const bugs = bugsNamed(faults, patterns);
  if (bugs.length === 0) {
    const names = faults.map(({ name }) => name);
    return refuse([`--bugs ${patterns} (command line): meets no planted bug${didYouMean(patterns, names)}`]);
  }
  const placements = new BugPlacements(grounds, command.kinds);
  let seen = 0;
  for (const bug of bugs) {
    const row = placements.find(bug);
    if (row.scenario !== '') seen++;
    if (!command.quiet) out.line(bugRow(row));
    out.flush();
  }
  out.line(
    `${seen} of ${counted(bugs.length, 'planted bug')} found by single faults in ${counted(grounds.length, 'scenario')}`,
  );
  return EXIT.passed;
}
