/** Failures that have been shrunk, played in front of every regression. */

import { FAILURES_FAMILY, isPass, type Job, type JobResult } from '../../regress/job.ts';
import { FailureDatabase, FAILURES_FOLDER, type StoredFailure } from '../../regress/failures/failureDatabase.ts';
import { fileProblem } from '../../files/fileError.ts';
import type { RegressCommand } from '../cli/regressCommand.ts';

/** The entries that a regression plays, as runs. */
export class KnownFailures {
  readonly jobs: readonly Job[];
  readonly problems: readonly string[];
  readonly #database: FailureDatabase;
  readonly #byId = new Map<string, StoredFailure>();

  /** @param folder of the database */
  constructor(command: RegressCommand, cwd: string, folder = FAILURES_FOLDER) {
    this.#database = new FailureDatabase(folder);
    const { failures, problems } = isForDatabase(command) ? this.#database.read() : { failures: [], problems: [] };
    this.problems = problems;
    this.jobs = failures.filter(({ entry }) => isOfDut(entry.dut, command)).map((stored) => this.#job(stored, cwd));
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

function isOfDut(dut: string, { plusargs }: RegressCommand): boolean {
  const asked = plusargs.find((arg) => arg.startsWith('+DUT='));
  return asked === undefined || asked === `+DUT=${dut}`;
}
