/** A command with the files that it plays, as they were when they were read. */

import { type FaultFile, readFaultFile } from '../../agents/link/faults/file/faultFile.ts';
import type { PcieFaultPlan } from '../../agents/pcie/faults/pcieFaultPlan.ts';
import type { FaultPlan } from '../../agents/link/faults/faultPlan.ts';
import { readScenario, type ScenarioFile } from '../../config/scenario/file/scenarioFile.ts';
import type { TestCommand } from '../cli/commands/testCommand.ts';

/** Checked, played and recorded as it is: nothing of the run is read from a file again. */
export interface LoadedCommand extends TestCommand {
  /** What `--scenario` names; undefined when the scenario is made. */
  readonly scenarioFile: ScenarioFile | undefined;
  /** What `--faults` names; undefined when it is not given. */
  readonly faultFile: FaultFile | undefined;
  /** Of a replay: what fault rules that draw did in the run that is repeated; undefined = they draw. */
  readonly faultSchedules?: FaultPlan['schedules'];
  readonly pcieSchedules?: PcieFaultPlan['schedules'];
}

/**
 * Reads what a command plays. What is wrong with it is found by `problemsOf` and `jobProblems`.
 * @param cwd folder for relative paths
 */
export function loadCommand(command: TestCommand, cwd = process.cwd()): LoadedCommand {
  const { scenario, faults } = command;
  const isNamed = scenario !== undefined && scenario !== '';
  const scenarioFile = isNamed ? readScenario(scenario, cwd) : undefined;
  return {
    ...command,
    ...namedBy(scenarioFile, command),
    scenarioFile,
    faultFile: faults === undefined ? undefined : readFaultFile(faults, cwd),
  };
}

/** Plays requests of a file where nobody names a test. */
const REQUEST_TEST = 'test_direct_param';

/**
 * A scenario of calls says which test it belongs to, and which seed, where the command line does not. One of requests is the
 * whole work of the run, whichever test has made it.
 */
function namedBy(
  file: ScenarioFile | undefined,
  { testName, seed, seedGiven }: TestCommand,
): Pick<TestCommand, 'testName' | 'seed'> {
  const calls = file?.calls ?? null;
  const isRequests = (file?.scenario ?? null) !== null;
  if (calls === null) return { testName: testName === '' && isRequests ? REQUEST_TEST : testName, seed };
  return { testName: testName === '' ? calls.test : testName, seed: seedGiven ? seed : calls.seed };
}
