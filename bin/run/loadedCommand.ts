/** A command with the files that it plays, as they were when they were read. */

import { readScenario, type ScenarioFile } from '../../sequences/scenario/scenarioFile.ts';
import type { TestCommand } from '../cli/testCommand.ts';

/** Checked, played and recorded as it is: nothing of the run is read from a file again. */
export interface LoadedCommand extends TestCommand {
  /** What `--scenario` names; undefined when the scenario is made. */
  readonly scenarioFile: ScenarioFile | undefined;
}

/**
 * Reads what a command plays. What is wrong with it is found by `problemsOf` and `jobProblems`.
 * @param cwd folder for relative paths
 */
export function loadCommand(command: TestCommand, cwd = process.cwd()): LoadedCommand {
  const { scenario } = command;
  const isNamed = scenario !== undefined && scenario !== '';
  return { ...command, scenarioFile: isNamed ? readScenario(scenario, cwd) : undefined };
}
