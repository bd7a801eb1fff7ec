/** The runs of a script as jobs with names of their own. */

import { basename } from 'node:path';
import type { Job } from '../job.ts';
import { PROGRAM } from './programName.ts';
import { ScriptError, scriptWords } from './scriptWords.ts';

/** One command of a script that plays a run. */
export interface ScriptCall {
  /** `hca_test` or `bsub`, with or without folder, and what stands behind it. */
  readonly words: readonly string[];
  readonly cwd: string;
  readonly where: string;
  /** Name of a run that names neither job nor log. */
  readonly name: string;
  /** Seed that the environment of the command gives, where it is not that of the regression. */
  readonly seed?: string;
}

/** Characters of each half of an id. */
const LONGEST_PART = 80;

/** Plusargs that say how to run rather than what. */
const NOT_IN_TITLE = /^\+(UVM_|vpdfile|CASEID|HOST_NUM=|PROC_NUM=)/;
const SEEDS = /^(--seed|-(sv_?)?seed(=|$)|\+ntb_random_seed|\+verilator\+seed|\+(sv_?)?seed=)/i;

export class ScriptJobs {
  readonly list: Job[] = [];
  readonly #family: string;
  readonly #ids = new Map<string, number>();

  /** @param path of the script */
  constructor(path: string) {
    this.#family = basename(path).replace(/\.[a-z]+$/, '');
  }

  /** @throws ScriptError when it cannot be said what `bsub` would run */
  add(call: ScriptCall): void {
    const { submission, argv } = partsOf(call.words);
    const { cwd, where } = call;
    const complete = completeArgv(argv, submission, call.seed);
    const name = nameOf(submission, complete) ?? call.name;
    this.list.push({
      id: this.#unique(`${idPart(this.#family)}/${idPart(name)}`),
      family: this.#family,
      title: titleOf(argv),
      argv: complete,
      cwd,
      where,
      timeoutSeconds: 0,
    });
  }

  #unique(wanted: string): string {
    const count = (this.#ids.get(wanted) ?? 0) + 1;
    this.#ids.set(wanted, count);
    return count === 1 ? wanted : this.#unique(`${wanted}.${count}`);
  }
}

/** A part of an id, which is the name of a folder: the log or the job of a line may be longer, and have any signs. */
function idPart(name: string): string {
  return name
    .replace(/[^\w.-]/g, '_')
    .replace(/^\W/, '_')
    .slice(0, LONGEST_PART);
}

/** `[bsub and its options] hca_test argv`; behind bsub the command may be one quoted word. */
function partsOf(words: readonly string[]): { submission: readonly string[]; argv: readonly string[] } {
  const isProgram = (word: string): boolean => basename(word.trimStart().split(/\s/)[0] as string) === PROGRAM;
  const at = words.findIndex(isProgram);
  if (at < 0)
    throw new ScriptError(
      `${words[0]} without a command ${PROGRAM}`,
      `write ${words[0]} before a run, or run the script that it submits by itself`,
    );
  const submission = words.slice(0, at);
  const job = after(submission, '-J') ?? '';
  if (/[[\]]/.test(job))
    throw new ScriptError(
      `-J ${job}: job arrays are not unrolled`,
      'submit each run by itself, in a loop with --shell',
    );
  const command = words.slice(at);
  const [only = ''] = command;
  return { submission, argv: (command.length === 1 && /\s/.test(only) ? scriptWords(only) : command).slice(1) };
}

/** The arguments with the log of the submission and the seed of the environment, unless they name their own. */
function completeArgv(argv: readonly string[], submission: readonly string[], seed: string | undefined): string[] {
  const log = after(submission, '-o') ?? after(submission, '-oo');
  const logged = log === undefined || argv.includes('-l') ? argv : [...argv, '-l', log];
  return seed === undefined || argv.some((word) => SEEDS.test(word)) ? [...logged] : [...logged, '--seed', seed];
}

function nameOf(submission: readonly string[], argv: readonly string[]): string | undefined {
  const named = after(submission, '-J') ?? argv.find((word) => word.startsWith('+CASEID='))?.slice('+CASEID='.length);
  const log = after(argv, '-l');
  return named ?? (log === undefined ? undefined : basename(log).replace(/\.[^.]*$/, ''));
}

function titleOf(argv: readonly string[]): string {
  const shown = argv.filter((word) => word.startsWith('+') && !NOT_IN_TITLE.test(word));
  return shown.map((word) => word.slice(1)).join(' ');
}

function after(words: readonly string[], flag: string): string | undefined {
  const at = words.indexOf(flag);
  return at < 0 ? undefined : words[at + 1];
}
