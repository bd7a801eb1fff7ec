/** Repeats a recorded run and compares what crossed the ports of the DUT. */

import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { readRunRecord } from '../../../regress/readRunRecord.ts';
import type { RunRecord } from '../../../regress/runRecord.ts';
import { RunRecordError } from '../../../regress/runRecordError.ts';
import { NIC_KNOB_PREFIX, PARAMETERS, type Parameter } from '../../../config/table/parameterTable.ts';
import { type FaultFile, readFaultFile } from '../../../agents/link/faults/file/faultFile.ts';
import { readScenario, type ScenarioFile } from '../../../config/scenario/file/scenarioFile.ts';
import { PLUSARG } from '../../cli/splitArgv.ts';
import { commandLine } from '../../../uvm/cmdline/shellQuote.ts';
import { isFlagPlusarg, type TestCommand } from '../../cli/commands/testCommand.ts';
import type { LoadedCommand } from '../loadedCommand.ts';

const TEST_NAME = '+UVM_TESTNAME=';
/** Arguments of the standard of which one value counts. */
const STANDARD: ReadonlySet<string> = new Set(['UVM_VERBOSITY', 'UVM_TIMEOUT', 'UVM_MAX_QUIT_COUNT']);

/**
 * The command that repeats a record: test, seed, plusargs and scenario from the record, outputs and additional
 * plusargs (more verbosity, a capture) from the command line. A parameter given now takes the place of the
 * recorded one; other plusargs given now come first.
 * @throws RunRecordError when the record cannot be used, or when the command line asks for another run
 */
export function replayCommand(path: string, command: TestCommand): { command: LoadedCommand; record: RunRecord } {
  const record = readRunRecord(path);
  requireConsistent(path, record);
  requireSameRun(path, record, command);
  const now = new Set(command.plusargs.map(({ text }) => singleName(text)));
  const kept = record.plusargs.filter((text) => !now.has(singleName(text)) || singleName(text) === undefined);
  const recorded = kept.map((text) => ({ text, where: path }));
  const scenarioFile = record.scenario.kind === 'file' ? scenarioOf(path, record) : undefined;
  const plusargs = [...command.plusargs, ...recorded];
  const faultFile = record.faultFile.path === '' ? undefined : faultFileOf(path, record);
  const files = { scenario: scenarioFile?.path, scenarioFile, faults: faultFile?.path, faultFile };
  const faultSchedules = record.faults?.rules.map(({ schedule }) => schedule);
  const pcieSchedules = record.faults?.pcie.map(({ schedule }) => schedule);
  const testPath = command.testPath ?? withoutTests(path, record);
  const replayed = {
    ...command,
    testName: record.test,
    seed: record.seed,
    plusargs,
    ...files,
    faultSchedules,
    pcieSchedules,
    testPath,
  };
  return { command: replayed, record };
}

/** Of which parameter, by its first name, a plusarg gives the value; undefined for those that may be repeated. */
function singleName(plusarg: string): string | undefined {
  const name = plusarg.slice(1).split('=')[0] as string;
  if (STANDARD.has(name) || name.startsWith(NIC_KNOB_PREFIX)) return name;
  return (PARAMETERS as readonly Parameter[]).find((row) => row.name === name || row.aliases?.includes(name))?.name;
}

/** A record is data: it neither writes files nor runs code of somebody's choice. */
const FILES_ADVICE = 'take it out, and name the files and folders of this run on the command line';

/** A record may have been edited. */
function requireConsistent(path: string, record: RunRecord): void {
  for (const text of record.plusargs) {
    if (!PLUSARG.test(text))
      throw new RunRecordError(`${path}: "${text}" among its plusargs is none; write +NAME or +NAME=value`);
    if (isFlagPlusarg(text))
      throw new RunRecordError(`${path}: ${text} among its plusargs: no record has it there; ${FILES_ADVICE}`);
    if (text.startsWith(TEST_NAME) && text !== TEST_NAME + record.test)
      throw new RunRecordError(`${path}: its test is ${record.test}, its plusargs say ${text}; make them equal`);
  }
  const { replay, seed } = record;
  // A line that goes to another folder first is in parentheses.
  const endsInSeed = new RegExp(`--seed ${seed}\\)?$`).test(replay);
  if (endsInSeed && replay.includes(commandLine(record.plusargs))) return;
  const said = `its plusargs and its seed ${seed} are not those of the line that repeats it`;
  throw new RunRecordError(`${path}: ${said}; undo what was changed, or run ${replay} as you want it`);
}

/** What makes another run of it is no replay. */
function requireSameRun(path: string, record: RunRecord, command: TestCommand): void {
  const advice = `leave it out, or run ${record.replay} changed as you want it`;
  if (command.seedGiven && command.seed !== record.seed)
    throw new RunRecordError(`--seed ${command.seed}: the seed of ${path} is ${record.seed}; ${advice}`);
  if (command.testName !== '' && command.testName !== record.test)
    throw new RunRecordError(`${TEST_NAME}${command.testName}: the test of ${path} is ${record.test}; ${advice}`);
}

/** The scenario where the run was typed, or here, if the whole folder has moved; the one that was played. */
function scenarioOf(record: string, { cwd, scenario }: RunRecord): ScenarioFile {
  const there = resolve(cwd, scenario.path);
  const name = existsSync(there) ? there : scenario.path;
  const file = readScenario(name);
  if (file.sha256 === '')
    throw new RunRecordError(`${record}: the recorded run played the scenario ${name}, which cannot be read now`);
  if (file.sha256 === scenario.sha256) return file;
  throw new RunRecordError(`${record}: the scenario ${name} has changed since; play it with --scenario ${name}`);
}

/** The fault rules, as the scenario. */
function faultFileOf(record: string, { cwd, faultFile }: RunRecord): FaultFile {
  const there = resolve(cwd, faultFile.path);
  const name = existsSync(there) ? there : faultFile.path;
  const file = readFaultFile(name);
  if (file.sha256 === '')
    throw new RunRecordError(`${record}: the recorded run played the fault rules ${name}, which cannot be read now`);
  if (file.sha256 === faultFile.sha256) return file;
  throw new RunRecordError(`${record}: the fault rules ${name} have changed since; play them with --faults ${name}`);
}

/**
 * Code of a folder is loaded when the user names it, not a record. That the tests have changed is for the comparison to
 * say, as of the harness itself.
 */
function withoutTests(record: string, { cwd, testPath }: RunRecord): undefined {
  const { path } = testPath;
  if (path === '') return undefined;
  const folder = [relative(process.cwd(), resolve(cwd, path)) || '.', path].find((name) => existsSync(name));
  const said = `${record}: the recorded run had tests of the folder ${resolve(cwd, path)}`;
  if (folder === undefined) throw new RunRecordError(`${said}, which is not there; name it by +TEST_PATH`);
  throw new RunRecordError(`${said}; their code is loaded if you name it: add +TEST_PATH=${folder}`);
}
