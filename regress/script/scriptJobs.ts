/** The runs of a script as jobs with names of their own. */

import { basename } from 'node:path';
import type { Job } from '../job.ts';

/** One call of the program as the script has it. */
export interface ScriptCall {
  readonly argv: readonly string[];
  /** Words before the program, when it is behind `bsub`. */
  readonly submission: readonly string[];
  /** Seed that the script gives through the environment. */
  readonly seed: string | undefined;
  readonly cwd: string;
  readonly where: string;
  readonly timeoutSeconds: number;
}

/** Plusargs that say how to run rather than what. */
const NOT_IN_TITLE = /^\+(UVM_|vpdfile|CASEID|HOST_NUM=|PROC_NUM=)/;
const SEEDS = /^(--seed|-sv_?seed(=|$)|\+ntb_random_seed|\+verilator\+seed|\+(sv_?)?seed=)/i;

export class ScriptJobs {
  readonly list: Job[] = [];
  readonly #family: string;
  readonly #ids = new Set<string>();

  /** @param path of the script */
  constructor(path: string) {
    this.#family = basename(path).replace(/\.[a-z]+$/, '');
  }

  add(call: ScriptCall): void {
    const { cwd, where, timeoutSeconds } = call;
    const argv = completeArgv(call);
    this.list.push({
      id: this.#unique(`${this.#family}/${nameOf(call, argv).replace(/[^\w.-]/g, '_')}`),
      family: this.#family,
      title: titleOf(argv),
      argv,
      cwd,
      where,
      timeoutSeconds,
    });
  }

  #unique(wanted: string): string {
    let id = wanted;
    for (let n = 2; this.#ids.has(id); n++) id = `${wanted}.${n}`;
    this.#ids.add(id);
    return id;
  }
}

/** The arguments with the log of the submission and the seed of the environment, unless they name their own. */
function completeArgv({ argv, submission, seed }: ScriptCall): string[] {
  const log = after(submission, '-o');
  const logged = log === undefined || argv.includes('-l') ? argv : [...argv, '-l', log];
  return seed === undefined || argv.some((word) => SEEDS.test(word)) ? [...logged] : [...logged, '--seed', seed];
}

function nameOf({ submission, where }: ScriptCall, argv: readonly string[]): string {
  const named = after(submission, '-J') ?? argv.find((word) => word.startsWith('+CASEID='))?.slice('+CASEID='.length);
  if (named !== undefined) return named;
  const log = after(argv, '-l');
  return log === undefined ? `line${where.slice(where.lastIndexOf(':') + 1)}` : basename(log).replace(/\.[^.]*$/, '');
}

function titleOf(argv: readonly string[]): string {
  const shown = argv.filter((word) => word.startsWith('+') && !NOT_IN_TITLE.test(word));
  return shown.map((word) => word.slice(1)).join(' ');
}

function after(words: readonly string[], flag: string): string | undefined {
  const at = words.indexOf(flag);
  return at < 0 ? undefined : words[at + 1];
}
