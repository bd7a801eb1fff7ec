/** Turns the list or script that a user names into jobs, and finds their mistakes before anything is run. */

import type { Job } from '../../regress/job.ts';
import { expandList } from '../../regress/lists/expandList.ts';
import { inFileOrder } from '../../regress/lists/fileOrder.ts';
import { ListPlaces } from '../../regress/lists/listPlaces.ts';
import type { JobDescription } from '../../regress/pool/workerPool.ts';
import { isScript, parseScript } from '../../regress/script/parseScript.ts';
import { recordScript } from '../../regress/shell/recordScript.ts';
import { callOf } from '../calledAs.ts';
import type { RegressCommand } from '../cli/regressCommand.ts';
import { leavesSeedToChance, withSeed } from '../cli/seed.ts';
import { DEFAULT_TIMEOUT_SECONDS } from '../cli/seconds.ts';
import { whyUnreadable } from '../cli/similarFile.ts';
import { parseTestCommand } from '../cli/testCommand.ts';
import { readInputText } from '../../uvm/cmdline/inputFile.ts';
import { loadCommand } from '../run/loadedCommand.ts';
import { argumentProblems, jobProblems, problemsWith } from '../run/playCommand.ts';
import type { CompiledFolders, Registries } from '../registries.ts';
import { replayLine } from '../run/replay/replayLine.ts';
import { seedScript } from './scriptSeeds.ts';
import { nearestList } from './shippedLists.ts';
import { separateLogs, sharedFileProblems } from './sharedFiles.ts';
import { unknownPlusargs } from './unknownPlusargs.ts';

/** Jobs, and what is to be said of the file that they come from. */
export interface JobSource {
  readonly jobs: readonly Job[];
  /** What is to be known of the runs, but keeps none from being played; folders of tests that a dry run leaves alone. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  /** Plusargs that nothing is known to read; looked for when nothing is to be run, for runs say it by themselves. */
  readonly unknown: readonly string[];
  /** Lines of a script that would be misused runs; looked for when nothing is to be run. */
  readonly wrongLines: readonly string[];
  /** Folders that a script makes, to be made before its runs. */
  readonly folders: readonly string[];
  /** Folders of tests that runs name, compiled. */
  readonly testFolders: CompiledFolders;
}

const NO_JOBS: JobSource = {
  jobs: [],
  notes: [],
  problems: [],
  unknown: [],
  wrongLines: [],
  folders: [],
  testFolders: {},
};

/** Mistakes shown of one list; the same mistake in many combinations counts once. */
const MAX_PROBLEMS = 50;

/**
 * Reads jobs. The runs of a list are checked at once, all of them, so that a mistake costs no night; a script is run
 * as it is, and a line with a mistake is a run that is not judged.
 */
export async function readJobs(
  command: RegressCommand,
  registries: Registries,
  cwd = process.cwd(),
): Promise<JobSource> {
  const text = tryRead(command.source);
  if (typeof text !== 'string') return { ...NO_JOBS, problems: [text.problem] };
  if (isScript(command.source, text)) return fromScript(command, text, registries, cwd);
  if (command.shell)
    return { ...NO_JOBS, problems: [`--shell: ${command.source} is a list, which no shell runs; leave it out`] };
  return fromList(command, registries, cwd);
}

async function fromScript(
  command: RegressCommand,
  text: string,
  registries: Registries,
  cwd: string,
): Promise<JobSource> {
  const script = await readScript(command, text, cwd);
  const isEmpty = script.jobs.length + script.problems.length + command.problems.length === 0;
  const empty = isEmpty ? [`${command.source}: no line calls hca_test`] : [];
  const seeded = seedScript(script.jobs, command);
  const { jobs, notes } = separateLogs(prepare(seeded.jobs, command));
  const unread = await openAll(jobs, registries, command);
  const mistakes = new JobMistakes(registries, command.plusargs, new ListPlaces());
  if (command.dryRun) mistakes.look(jobs, jobProblems);
  return {
    jobs,
    notes: [...script.notes, ...seeded.notes, ...notes, ...unread],
    problems: [...empty, ...script.problems],
    unknown: unknownIn(jobs, command),
    wrongLines: mistakes.lines,
    folders: script.folders,
    testFolders: registries.compiled,
  };
}

/** Nothing is executed unless it is asked for, and the rest of the command has no mistakes. */
async function readScript(
  command: RegressCommand,
  text: string,
  cwd: string,
): Promise<Pick<JobSource, 'jobs' | 'notes' | 'problems' | 'folders'>> {
  if (!command.shell) return { ...parseScript(command.source, text, { cwd }), notes: [] };
  // Who is told of other mistakes must not find that the script has run all the same.
  if (command.problems.length > 0) return { ...NO_JOBS };
  return { ...(await recordScript(command.source, { cwd, env: process.env })), folders: [] };
}

async function fromList(command: RegressCommand, registries: Registries, cwd: string): Promise<JobSource> {
  const reseed = command.reseed === undefined ? {} : { reseed: command.reseed };
  const places = new ListPlaces();
  const list = expandList(command.source, { baseSeed: command.seed, cwd, places, ...reseed });
  const jobs = prepare(list.jobs, command);
  const loose = list.loose.map((job) => prepared(job, command));
  const notes = await openAll([...jobs, ...loose], registries, command);
  const mistakes = new JobMistakes(registries, command.plusargs, places);
  mistakes.look(jobs, jobProblems);
  mistakes.look(loose, argumentProblems);
  const problems = [
    ...list.problems,
    ...(list.problems.length > 0 ? [] : emptyProblem(jobs, command)),
    ...mistakes.lines,
    ...meaninglessFlags([...jobs, ...loose], places),
    ...sharedFileProblems(jobs),
  ];
  const { compiled: testFolders } = registries;
  return { ...NO_JOBS, jobs, notes, testFolders, unknown: unknownIn(jobs, command), problems: inFileOrder(problems) };
}

/** Words without which a run names no folder of tests: most runs of a regression need no closer look. */
const NAMES_FOLDER = /^(-f|-F|-file|\+TEST_PATH)(=|$)/;

/** To load a module is to run it: a dry run loads the folder that its own command line names. @returns what it leaves alone */
async function openAll(jobs: readonly Job[], registries: Registries, command: RegressCommand): Promise<string[]> {
  const loads = !command.dryRun || command.plusargs.some((word) => word.startsWith('+TEST_PATH='));
  const left = new Set<string>();
  for (const { argv, cwd } of jobs) {
    if (!argv.some((word) => NAMES_FOLDER.test(word))) continue;
    const { testPath = '' } = parseTestCommand(argv, {}, cwd);
    if (loads || testPath === '') await registries.open(testPath, cwd);
    else {
      left.add(`+TEST_PATH=${testPath}`);
      registries.leave(testPath, cwd);
    }
  }
  return [...left].map((word) => `${word}: ${UNREAD}`);
}

const UNREAD =
  'a dry run loads no code, so that tests, sequences and NIC models are not looked for; ' +
  'name the folder on the command line to have it loaded';

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
  return jobs.filter((job) => `${job.id} ${job.title}`.includes(command.filter)).map((job) => prepared(job, command));
}

/** With what the command line gives to every run. */
function prepared(job: Job, command: RegressCommand): Job {
  const limit = command.simTimeout === undefined ? [] : [`+SIM_TIMEOUT=${command.simTimeout}`];
  const added = [...limit, ...command.plusargs];
  return withLimit({ ...job, argv: withPlusargs(added, fixedSeed(job)) }, command);
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
  if (!leavesSeedToChance(job.argv)) return [...job.argv];
  return withSeed(job.argv, parseTestCommand(job.argv, {}, job.cwd).seed);
}

/** Mistakes in the arguments of runs, each once: a value of a list may go to thousands of them. */
class JobMistakes {
  readonly #found = new Map<string, string>();
  readonly #registries: Registries;
  readonly #added: readonly string[];
  readonly #places: ListPlaces;

  /**
   * @param added plusargs that the regression gives to all runs
   * @param places where the values of the list stand
   */
  constructor(registries: Registries, added: readonly string[], places: ListPlaces) {
    this.#registries = registries;
    this.#added = added;
    this.#places = places;
  }

  get lines(): readonly string[] {
    return [...this.#found.values()];
  }

  look(jobs: readonly Job[], problemsOf: typeof jobProblems): void {
    for (const job of jobs) {
      const command = loadCommand(parseTestCommand(job.argv, {}, job.cwd), job.cwd);
      const open = this.#registries.of(command.testPath, job.cwd);
      const problems = problemsWith(open, command, (registry) => problemsOf(command, registry, job.cwd));
      for (const problem of problems) this.#add(job, problem);
      if (this.#found.size > MAX_PROBLEMS) break;
    }
  }

  #add(job: Job, problem: string): void {
    const isAdded = this.#added.some((word) => namesWord(problem, word));
    const where = isAdded ? 'command line' : this.#places.of(job, problem);
    // What a list says is no command line; the place in the list says where it stands.
    const key = `${where}: ${problem.replace(' (command line)', '')}`;
    if (!this.#found.has(key)) this.#found.set(key, `${key} (in ${job.id})`);
  }
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
    return readInputText(path);
  } catch (error) {
    const reason = whyUnreadable(path, error);
    const shipped = reason.includes('?') ? undefined : nearestList(path);
    const meant = shipped === undefined ? '' : `; did you mean the shipped list ${shipped}?`;
    return { problem: `${path}: cannot be read; ${reason}${meant}` };
  }
}
