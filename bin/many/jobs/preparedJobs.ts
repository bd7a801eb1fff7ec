/** Runs with what the command line of a regression makes of them: some are left out, all get its plusargs and limits. */

import { resolve } from 'node:path';
import type { Job } from '../../../regress/job.ts';
import { chosenJobs, vainPatterns } from '../../../regress/jobFilter.ts';
import type { RegressCommand } from '../../cli/commands/regressCommand.ts';
import { DEFAULT_TIMEOUT_SECONDS } from '../../cli/seconds.ts';
import { leavesSeedToChance, withSeed } from '../../cli/seed.ts';
import { STRICT } from '../../cli/strict.ts';
import { parseTestCommand } from '../../cli/commands/testCommand.ts';
import { plusargsBeside } from '../../project/projectDefaults.ts';

/** The runs that are meant, each with what the command line gives to all. */
export function prepare(jobs: readonly Job[], command: RegressCommand): Job[] {
  return chosenJobs(jobs, command).map((job) => prepared(job, command));
}

/** Patterns of the command line that no run matches, and that nothing is left. */
export function choiceProblems(jobs: readonly Job[], left: number, command: RegressCommand, of: string): string[] {
  const { filters, exclusions } = command;
  const vain = vainPatterns(jobs, filters).map(
    ({ text, hint }) => `--filter ${text}: no run of ${of} has this in its id or title${hint}`,
  );
  if (left > 0 || jobs.length === 0 || vain.length > 0) return vain;
  return [`--exclude ${exclusions.join(', ')}: leaves no run of ${of}`];
}

/** Exclusions that exclude nothing: harmless, and perhaps a letter was wrong. */
export function vainExclusions(jobs: readonly Job[], { exclusions }: RegressCommand, of: string): string[] {
  const vain = vainPatterns(jobs, exclusions);
  return vain.map(({ text, hint }) => `--exclude ${text}: no run of ${of} has this in its id or title${hint}`);
}

/** With what the command line gives to every run. */
export function prepared(job: Job, command: RegressCommand): Job {
  const limit = command.simTimeout === undefined ? [] : [`+SIM_TIMEOUT=${command.simTimeout}`];
  const strict = command.strict ? [STRICT] : [];
  const added = [...limit, ...strict, ...command.plusargs];
  const argv = withPlusargs(added, fixedSeed(job));
  return withLimit({ ...job, argv: [...argv, ...ofProject({ ...job, argv }, command)] }, command);
}

/** Plusargs of the project that a run does not name, also not in a file of arguments. */
function ofProject({ argv, cwd }: Job, { defaults }: RegressCommand): readonly string[] {
  if (defaults.plusargs.length === 0) return [];
  const { plusargs, testPath, scenario } = parseTestCommand(argv, {}, cwd);
  const own = [testPath === undefined ? [] : ['+TEST_PATH'], scenario === undefined ? [] : ['+SCENARIO']].flat();
  const beside = plusargsBeside([...plusargs.map(({ text }) => text), ...own], defaults);
  return beside.map(({ text }) => (cwd === process.cwd() ? text : fromThere(text)));
}

/** Paths of the project are as from the working directory; a run may have another. */
function fromThere(word: string): string {
  return word.replace(/^(\+(?:TEST_PATH|SCENARIO)=)(.+)$/s, (_, begin: string, path: string) => begin + resolve(path));
}

/** A limit on the command line counts in place of all that a run names. */
function withLimit(job: Job, { timeoutGiven, timeoutSeconds }: RegressCommand): Job {
  if (!timeoutGiven) return job;
  const isOwn = (word: string, i: number): boolean =>
    word === '--timeout' || word.startsWith('--timeout=') || job.argv[i - 1] === '--timeout';
  return { ...job, argv: job.argv.filter((word, i) => !isOwn(word, i)), timeoutSeconds };
}

/** Arguments of a run as they are shown: also the limit that its list or the command line sets. */
export function shownArgv({ argv, timeoutSeconds }: Job): readonly string[] {
  const isDefault = timeoutSeconds === 0 || timeoutSeconds === DEFAULT_TIMEOUT_SECONDS;
  return isDefault ? argv : [...argv, '--timeout', String(timeoutSeconds)];
}

/** Arguments of a run with those of the regression in place of its own of the same name. */
function withPlusargs(added: readonly string[], argv: readonly string[]): string[] {
  const names = new Set(added.map(plusargName).filter((name) => !MANY.has(name)));
  return [...added, ...argv.filter((word) => !names.has(plusargName(word)))];
}

/** Plusargs of which all count, not only the first. */
const MANY: ReadonlySet<string> = new Set(['+uvm_set_severity']);

function plusargName(word: string): string {
  return word.replace(/=.*$/s, '');
}

/** A seed that is left to chance is drawn here, once, so that a run can be repeated even if its process dies. */
function fixedSeed(job: Job): string[] {
  if (!leavesSeedToChance(job.argv)) return [...job.argv];
  return withSeed(job.argv, parseTestCommand(job.argv, {}, job.cwd).seed);
}
