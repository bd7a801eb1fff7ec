/** Mistakes in the arguments of runs, found before any of them is played. */

import type { Job } from '../../../regress/job.ts';
import type { ListPlaces } from '../../../regress/lists/listPlaces.ts';
import { parseTestCommand } from '../../cli/commands/testCommand.ts';
import type { Registries } from '../../registries.ts';
import { loadCommand } from '../../run/loadedCommand.ts';
import { type jobProblems, problemsWith } from '../../run/playCommand.ts';

/** Mistakes shown of one list; the same mistake in many combinations counts once. */
const MAX_PROBLEMS = 50;

/** Where plusargs of the regression itself stand. */
export const TYPED = 'command line';

/** Mistakes in the arguments of runs, each once: a value of a list may go to thousands of them. */
export class JobMistakes {
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

  /** Those of the command line first: who gives it to all runs of a list made at most these. */
  get lines(): readonly string[] {
    const isTyped = (line: string): boolean => line.startsWith(TYPED);
    const lines = [...this.#found.values()];
    return [...lines.filter(isTyped), ...lines.filter((line) => !isTyped(line))];
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
    const where = isAdded ? TYPED : this.#places.of(job, problem);
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
export function meaninglessFlags(jobs: readonly Job[], places: ListPlaces): readonly string[] {
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

/** Whether a problem is about an argument, as it is typed. */
export function namesWord(problem: string, word: string): boolean {
  const at = problem.indexOf(word);
  return at >= 0 && !/\w/.test(problem[at + word.length] ?? '');
}
