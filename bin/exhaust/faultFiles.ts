/** Placements that fail, as files of fault rules which `hca_test --faults` plays. */

import { join } from 'node:path';
import { ruleText } from '../../agents/link/faults/rule/ruleText.ts';
import { writeAtomically } from '../../regress/atomicFile.ts';
import { testProgram } from '../calledAs.ts';
import { parseTestCommand } from '../cli/commands/testCommand.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import { replayLine } from '../run/replay/replayLine.ts';
import type { PlacedRun } from './placedRun.ts';
import { ruleOf } from './placement.ts';
import type { NamedScenario } from '../many/jobs/namedScenarios.ts';

/** A file that was written, and the line that plays it. */
export interface WrittenPlacement {
  readonly path: string;
  readonly replay: string;
}

/** @param number of the file among those of the scenario, from 1 */
export function writeFaultFile(
  folder: string,
  { name, argv, cwd }: NamedScenario,
  run: PlacedRun,
  number: number,
): WrittenPlacement {
  const path = join(folder, `${name.replaceAll('/', '.')}-${number}.yaml`);
  const command = loadCommand(parseTestCommand(argv, {}, cwd), cwd);
  const rules = [...(command.faultFile?.rules ?? []), ...run.placement.map(ruleOf)].map(({ rule }) =>
    ruleText({ ...rule, optional: false }),
  );
  writeAtomically(path, textOf(`${name}: ${run.id} ${run.message}`, rules));
  const program = testProgram();
  const replay = replayLine({ ...command, faults: path }, cwd === process.cwd() ? { program } : { program, from: cwd });
  return { path, replay };
}

/** JSON is YAML: a text in quotes needs no care for what is in it. */
function textOf(description: string, rules: readonly string[]): string {
  const lines = rules.map((rule) => `  - ${JSON.stringify(rule)}`);
  return [`description: ${JSON.stringify(description)}`, 'faults:', ...lines, ''].join('\n');
}
