/** Turns the list or script that a user names into jobs, and finds their mistakes before anything is run. */

import { readFileSync } from 'node:fs';
import type { Job } from '../regress/job.ts';
import { expandList } from '../regress/lists/expandList.ts';
import { ListError } from '../regress/lists/listError.ts';
import { ListPlaces } from '../regress/lists/listPlaces.ts';
import type { JobDescription } from '../regress/pool/workerPool.ts';
import { isScript, parseScript } from '../regress/script/parseScript.ts';
import { callOf } from './calledAs.ts';
import type { RegressCommand } from './cli/regressCommand.ts';
import { DEFAULT_TIMEOUT_SECONDS } from './cli/seconds.ts';
import { whyUnreadable } from './cli/similarFile.ts';
import { parseTestCommand } from './cli/testCommand.ts';
import { loadCommand } from './loadedCommand.ts';
import { jobProblems } from './playCommand.ts';
import type { Registry } from './registry.ts';
import { replayLine } from './replayLine.ts';
import { seedScript } from './scriptSeeds.ts';
import { nearestList } from './shippedLists.ts';
import { separateLogs, sharedFileProblems } from './sharedFiles.ts';
import { unknownPlusargs } from './unknownPlusargs.ts';

/** Jobs, and what is to be said of the file that they come from. */
export interface JobSource {
  readonly jobs: readonly Job[];
  /** Lines of a script that were passed over. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  /** Plusargs that nothing is known to read; looked for when nothing is to be run, for runs say it by themselves. */
  readonly unknown: readonly string[];
  /** Lines of a script that would be misused runs; looked for when nothing is to be run. */
  readonly wrongLines: readonly string[];
  /** Folders that a script makes, to be made before its runs. */
  readonly folders: readonly string[];
}

const NO_JOBS: JobSource = { jobs: [], notes: [], problems: [], unknown: [], wrongLines: [], folders: [] };

/** Mistakes shown of one list; the same mistake in many combinations counts once. */
const MAX_PROBLEMS = 50;

/**
 * Reads jobs. The runs of a list are checked at once, all of them, so that a mistake costs no night; a script is run
 * as it is, and a line with a mistake is a run that is not judged.
 */
export function readJobs(command: RegressCommand, registry: Registry, cwd = process.cwd()): JobSource {
  const text = tryRead(command.source);
  if (typeof text !== 'string') return { ...NO_JOBS, problems: [text.problem] };
  if (isScript(command.source, text)) {
    const { jobs, notes, problems, folders } = parseScript(command.source, text, { cwd, env: process.env });
    const empty = jobs.length + problems.length === 0 ? [`${command.source}: no line calls hca_test`] : [];
    const seeded = seedScript(jobs, command);
    const logged = separateLogs(prepare(seeded.jobs, command));
    const wrongLines = command.dryRun ? checkJobs(logged.jobs, registry, command.plusargs, new ListPlaces()) : [];
    const found = { problems: [...empty, ...problems], unknown: unknownIn(logged.jobs, command), wrongLines };
    return { jobs: logged.jobs, notes: [...notes, ...seeded.notes, ...logged.notes], folders, ...found };
  }
  try {
    const reseed = command.reseed === undefined ? {} : { reseed: command.reseed };
    const places = new ListPlaces();
    const jobs = prepare(expandList(command.source, { baseSeed: command.seed, cwd, places, ...reseed }), command);
    return {
      ...NO_JOBS,
      jobs,
      unknown: unknownIn(jobs, command),
      problems: [
        ...emptyProblem(jobs, command),
        ...checkJobs(jobs, registry, command.plusargs, places),
        ...meaninglessFlags(jobs, places),
        ...sharedFileProblems(jobs),
      ],
    };
  } catch (error) {
    if (error instanceof ListError) return { ...NO_JOBS, problems: error.problems };
    throw error;
  }
}

function unknownIn(jobs: readonly Job[], { dryRun }: RegressCommand): string[] {
  return dryRun ? unknownPlusargs(jobs) : [];
}

/** What the arguments of a job say, for a job that ended without a word. */
export function describeJob(job: Job): JobDescription {
  const command = parseTestCommand(job.argv, process.env, job.cwd);
  return { test: command.testName, seed: command.seed, replay: replayLine(command, callOf(job, process.cwd())) };
}

function emptyProblem(jobs: readonly Job[], command: RegressCommand): string[] {
  return jobs.length > 0 ? [] : [`--filter ${command.filter}: no run of ${command.source} has this in its id or title`];
}

function prepare(jobs: readonly Job[], command: RegressCommand): Job[] {
  const limit = command.simTimeout === undefined ? [] : [`+SIM_TIMEOUT=${command.simTimeout}`];
  const added = [...limit, ...command.plusargs];
  return jobs
    .filter((job) => `${job.id} ${job.title}`.includes(command.filter))
    .map((job) => withLimit({ ...job, argv: withPlusargs(added, fixedSeed(job)) }, command));
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
  const names = new Set(added.map(plusargName));
  return [...added, ...argv.filter((word) => !names.has(plusargName(word)))];
}

function plusargName(word: string): string {
  return word.replace(/=.*$/s, '');
}

/** A seed that is left to chance is drawn here, once, so that a run can be repeated even if its process dies. */
function fixedSeed(job: Job): string[] {
  const random = job.argv.some(
    (word) => word === 'random' || word.endsWith('=random') || /seed_automatic$|seed\+0$/.test(word),
  );
  if (!random) return [...job.argv];
  const { seed } = parseTestCommand(job.argv, {}, job.cwd);
  return job.argv.map((word, i) => {
    if (word === 'random' && /seed$/.test(job.argv[i - 1] ?? '')) return String(seed);
    if (word === '+ntb_random_seed_automatic' || word === '+ntb_random_seed=random') return `+ntb_random_seed=${seed}`;
    if (word === '+verilator+seed+0' || word === '+verilator+seed+random') return `+ntb_random_seed=${seed}`;
    return /^(--seed|-sv_?seed|\+(sv_?)?seed)=random$/i.test(word) ? word.replace('random', String(seed)) : word;
  });
}

/**
 * @param added plusargs that the regression gives to all runs
 * @param places where the values of the list stand
 */
function checkJobs(
  jobs: readonly Job[],
  registry: Registry,
  added: readonly string[],
  places: ListPlaces,
): readonly string[] {
  const found = new Map<string, string>();
  const isAdded = (problem: string): boolean => added.some((word) => namesWord(problem, word));
  for (const job of jobs) {
    for (const problem of jobProblems(
      loadCommand(parseTestCommand(job.argv, {}, job.cwd), job.cwd),
      registry,
      job.cwd,
    )) {
      const where = isAdded(problem) ? 'command line' : places.of(job, problem);
      // What a list says is no command line; the place in the list says where it stands.
      const key = `${where}: ${problem.replace(' (command line)', '')}`;
      if (!found.has(key)) found.set(key, `${key} (in ${job.id})`);
    }
    if (found.size > MAX_PROBLEMS) break;
  }
  return [...found.values()];
}

/** Flags of `hca_test` that do nothing to a run of a regression, with what to write in their place. */
const MEANINGLESS: ReadonlyMap<string, string> = new Map([
  ['--out', 'runs leave their records in the folder of the regression; give --out to hca_regress'],
  ['--quiet', 'runs of a regression print nothing; leave it out'],
  ['-q', 'runs of a regression print nothing; leave it out'],
]);

/** A script is run as it is; a list is written for regressions. */
function meaninglessFlags(jobs: readonly Job[], places: ListPlaces): readonly string[] {
  const found = new Map<string, string>();
  for (const job of jobs) {
    for (const [i, word] of job.argv.entries()) {
      const [flag = ''] = word.split('=');
      const advice = MEANINGLESS.get(flag);
      if (advice === undefined || job.argv[i - 1] === '-l') continue;
      const problem = `${word}: has no meaning in a list; ${advice}`;
      const key = `${places.of(job, problem)}: ${problem}`;
      if (!found.has(key)) found.set(key, `${key} (in ${job.id})`);
    }
  }
  return [...found.values()];
}

function namesWord(problem: string, word: string): boolean {
  const at = problem.indexOf(word);
  return at >= 0 && !/\w/.test(problem[at + word.length] ?? '');
}

function tryRead(path: string): string | { problem: string } {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const reason = whyUnreadable(path, error);
    const shipped = reason.includes('?') ? undefined : nearestList(path);
    const meant = shipped === undefined ? '' : `; did you mean the shipped list ${shipped}?`;
    return { problem: `${path}: cannot be read; ${reason}${meant}` };
  }
}
