/** Turns the command line of `hca_regress` into what is asked for, collecting every mistake. */

import { availableParallelism } from 'node:os';
import { nearest } from '../../uvm/cmdline/nearest.ts';
import { checkFlags } from './flagTable.ts';
import { type FlagValues, parseFlags } from './parseFlags.ts';
import { REGRESS_FLAGS } from './regressFlags.ts';
import { parseSeconds, DEFAULT_TIMEOUT_SECONDS } from './seconds.ts';
import { DEFAULT_SEED, drawSeed, parseSeed } from './seed.ts';
import { commandLineTokens, emptyWord, type Token } from './token.ts';

/** What is asked for; it may be carried out if there are no problems. */
export interface RegressCommand {
  readonly action: 'run' | 'help' | 'version';
  /** List or script; '' when none was given behind `run`. */
  readonly source: string;
  readonly filter: string;
  readonly seed: number;
  /** On the command line. */
  readonly seedGiven: boolean;
  readonly reseed: number | undefined;
  readonly jobs: number;
  readonly timeoutSeconds: number;
  /** On the command line: it counts in place of what runs say. */
  readonly timeoutGiven: boolean;
  /** As typed, for `+SIM_TIMEOUT=`; checked with the other plusargs. */
  readonly simTimeout: string | undefined;
  /** Plusargs of the command line: every run gets them in place of its own of the same name. */
  readonly plusargs: readonly string[];
  readonly heapMb: number;
  readonly out: string | undefined;
  readonly keep: 'failures' | 'all' | 'none';
  readonly quiet: boolean;
  readonly dryRun: boolean;
  /** The user's shell may run the script. */
  readonly shell: boolean;
  readonly problems: readonly string[];
}

const KEEP = ['failures', 'all', 'none'] as const;
const MAX_JOBS = 512;

/** @param argv words after the program's name */
export function parseRegressCommand(argv: readonly string[]): RegressCommand {
  const checked = checkFlags(commandLineTokens(argv), REGRESS_FLAGS);
  const flags = parseFlags(checked.words, REGRESS_FLAGS);
  const problems = [...checked.problems];
  const action = flags['help'] === true ? 'help' : flags['version'] === true ? 'version' : 'run';
  const isPlusarg = (word: Token): boolean => word.text.startsWith('+');
  const words = checked.positionals.filter((word) => !isPlusarg(word));
  const source = action === 'run' ? sourceOf(words, problems) : '';
  const reader = new NumberReader(flags, problems);
  if (flags['shell'] === true && flags['dry-run'] === true)
    problems.push(
      '--shell and --dry-run (command line): --shell has the script run, a dry run runs nothing; leave one out',
    );
  return {
    action,
    source,
    filter: text(flags, 'filter') ?? '',
    seed: seedOf(text(flags, 'seed'), problems),
    seedGiven: text(flags, 'seed') !== undefined,
    reseed: text(flags, 'reseed') === undefined ? undefined : reader.integer('reseed', 1, 1_000_000, 1),
    jobs: reader.integer('jobs', 1, MAX_JOBS, availableParallelism()),
    timeoutSeconds: parseSeconds(text(flags, 'timeout'), problems) ?? DEFAULT_TIMEOUT_SECONDS,
    timeoutGiven: text(flags, 'timeout') !== undefined,
    simTimeout: text(flags, 'sim-timeout'),
    plusargs: checked.positionals.filter(isPlusarg).map((word) => word.text),
    heapMb: reader.integer('heap-mb', 64, 1_000_000, 2048),
    out: text(flags, 'out'),
    keep: keepOf(text(flags, 'keep'), problems),
    quiet: flags['quiet'] === true,
    dryRun: flags['dry-run'] === true,
    shell: flags['shell'] === true,
    problems,
  };
}

function text(flags: FlagValues, name: keyof typeof REGRESS_FLAGS): string | undefined {
  return flags[name] as string | undefined;
}

function sourceOf(given: readonly Token[], problems: string[]): string {
  problems.push(...given.filter(({ text }) => text === '').map(emptyWord));
  const [verb, source, ...rest] = given.filter(({ text }) => text !== '');
  if (verb?.text !== 'run') {
    const what = verb === undefined ? 'no command is given' : `${verb.text}: unknown command`;
    // A list without its command is what is forgotten most.
    const isList = verb !== undefined && source === undefined && nearest(verb.text, ['run']).length === 0;
    problems.push(`${what}; write: hca_regress run ${isList ? verb.text : '<list.yaml | script.sh>'}`);
  } else if (source === undefined) problems.push('run: needs a list or a script, such as smoke');
  for (const word of rest) problems.push(`${word.text} (command line): stands alone; one list or script at a time`);
  return verb?.text === 'run' ? (source?.text ?? '') : '';
}

function seedOf(value: string | undefined, problems: string[]): number {
  if (value === undefined) return DEFAULT_SEED;
  const seed = parseSeed(value);
  if (typeof seed === 'number') return seed;
  if (seed === 'random') return drawSeed();
  problems.push(`--seed ${value} (command line): ${seed}`);
  return DEFAULT_SEED;
}

function keepOf(value: string | undefined, problems: string[]): RegressCommand['keep'] {
  const found = KEEP.find((keep) => keep === (value ?? 'failures'));
  if (found === undefined) problems.push(`--keep ${value} (command line): allowed: ${KEEP.join(', ')}`);
  return found ?? 'failures';
}

class NumberReader {
  readonly #flags: FlagValues;
  readonly #problems: string[];

  constructor(flags: FlagValues, problems: string[]) {
    this.#flags = flags;
    this.#problems = problems;
  }

  integer(name: keyof typeof REGRESS_FLAGS, min: number, max: number, fallback: number): number {
    const given = text(this.#flags, name);
    if (given === undefined) return fallback;
    const value = Number(given);
    if (/^\d+$/.test(given) && value >= min && value <= max) return value;
    this.#problems.push(`--${name} ${given} (command line): allowed: a whole number from ${min} to ${max}`);
    return fallback;
  }
}
