/** Failures that have been shrunk, played in front of every regression. */

import { resolve } from 'node:path';
import { counted } from '../../uvm/report/counted.ts';
import { PLUSARG } from '../cli/splitArgv.ts';
import { isFlagPlusarg } from '../cli/commands/testCommand.ts';
import type { CompiledFolders } from '../registries.ts';
import { FAILURES_FAMILY, isPass, type Job, type JobResult } from '../../regress/job.ts';
import { FailureDatabase, FAILURES_FOLDER, type StoredFailure } from '../../regress/failures/failureDatabase.ts';
import { fileProblem } from '../../files/fileError.ts';
import type { RegressCommand } from '../cli/commands/regressCommand.ts';

/** The entries that a regression plays, as runs. */
export class KnownFailures {
  readonly jobs: readonly Job[];
  readonly problems: readonly string[];
  /** Entries that are not played, and why. */
  readonly notes: readonly string[];
  readonly #database: FailureDatabase;
  readonly #byId = new Map<string, StoredFailure>();

  /**
   * @param compiled folders of tests that the regression loads: an entry does not decide which code there is
   * @param folder of the database
   */
  constructor(command: RegressCommand, cwd: string, compiled: CompiledFolders = {}, folder = FAILURES_FOLDER) {
    this.#database = new FailureDatabase(folder);
    const { failures, problems } = isForDatabase(command) ? this.#database.read() : { failures: [], problems: [] };
    const asked = failures.filter(({ entry }) => isOfDut(entry.dut, command));
    const folderOf = ({ entry }: StoredFailure): string => (entry.testPath === '' ? '' : resolve(cwd, entry.testPath));
    const strange = asked.filter((stored) => folderOf(stored) !== '' && !Object.hasOwn(compiled, folderOf(stored)));
    this.problems = [...problems, ...asked.flatMap(argumentMistakes)];
    this.jobs = asked.filter((stored) => !strange.includes(stored)).map((stored) => this.#job(stored, cwd));
    this.notes = [...new Set(strange.map(folderOf))].map((path) =>
      leftOut(
        path,
        strange.filter((s) => folderOf(s) === path),
      ),
    );
  }

  /** A run has ended: an open failure that passes is fixed. @returns why that could not be written down */
  ended(result: JobResult): string | undefined {
    const stored = this.#byId.get(result.id);
    if (stored === undefined || !isPass(result) || stored.entry.status !== 'open') return undefined;
    return fileProblem(`failure ${stored.path}`, () => this.#database.fixed(stored));
  }

  #job(stored: StoredFailure, cwd: string): Job {
    const { name, path, scenarioPath, entry } = stored;
    const id = `${FAILURES_FAMILY}/${name}`;
    this.#byId.set(id, stored);
    const { test, seed, signature, testPath, args, status } = entry;
    const folder = testPath === '' ? [] : [`+TEST_PATH=${testPath}`];
    const argv = [`+UVM_TESTNAME=${test}`, ...folder, ...args, '--scenario', scenarioPath, '--seed', String(seed)];
    return { id, family: FAILURES_FAMILY, title: `${status}: ${signature}`, argv, cwd, where: path, timeoutSeconds: 0 };
  }
}

/** A regression of a planted bug says nothing about what has been fixed; earlier runs are played as they were. */
function isForDatabase({ plusargs, failed, resume }: RegressCommand): boolean {
  return failed === undefined && resume === undefined && !plusargs.some((arg) => arg.startsWith('+DUT_FAULT='));
}

/** An entry holds plusargs of a run as a record does, and none that name a file, a folder or a test. */
function argumentMistakes({ path, entry }: StoredFailure): string[] {
  const advice = 'an entry neither writes files nor loads code of its choice; take it out';
  return entry.args
    .filter((text) => !PLUSARG.test(text) || isFlagPlusarg(text) || text.startsWith('+UVM_TESTNAME'))
    .map((text) => `${path}: ${text} among its args: ${advice}`);
}

function leftOut(folder: string, entries: readonly StoredFailure[]): string {
  const what = counted(entries.length, 'known failure');
  return `${what} not played: the tests are in ${folder}, whose code is loaded if you name it: add +TEST_PATH=${folder}`;
}

function isOfDut(dut: string, { plusargs, defaults }: RegressCommand): boolean {
  const asked = [...plusargs, ...defaults.plusargs.map(({ text }) => text)].find((arg) => arg.startsWith('+DUT='));
  return asked === undefined || asked === `+DUT=${dut}`;
}
