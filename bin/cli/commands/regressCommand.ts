/** Turns the command line of `hca_regress` into what is asked for, collecting every mistake. */

import { type FlagValues, readFlags } from '../readFlags.ts';
import { availableParallelism } from 'node:os';
import { existsSync } from 'node:fs';
import { parseShard, type Shard } from '../../../regress/shard.ts';
import { knownFilesOf, withDefaults } from '../../project/projectDefaults.ts';
import { NO_DEFAULTS, type ProjectDefaults } from '../../project/projectValues.ts';
import { didYouMean } from '../../../uvm/cmdline/nearest.ts';
import { listPath } from '../../many/shippedLists.ts';
import { type FarmCommand, farmCommandOf } from './farmCommand.ts';
import { wholeOf } from '../flagValues.ts';
import { REGRESS_COMMANDS } from './regressCommands.ts';
import { BUCKET_SECONDS, REGRESS_FLAGS } from '../regressFlags.ts';
import { DEFAULT_TIMEOUT_SECONDS, parseSeconds, parseSpan } from '../seconds.ts';
import { DEFAULT_SEED, drawSeed, parseSeed } from '../seed.ts';
import { testFoldersIn } from '../testFolders.ts';
import { commandLineTokens, emptyWord, type Token } from '../token.ts';

/** What is asked for; it may be carried out if there are no problems. */
export interface RegressCommand {
  readonly action: 'run' | 'help' | 'version' | 'show-config';
  /** The words that it was made of. */
  readonly argv: readonly string[];
  /** Lists and scripts; none when none was given behind `run`. */
  readonly sources: readonly string[];
  /** Folder of a regression of which the failures are played once more. */
  readonly failed: string | undefined;
  /** Folder of a regression that goes on. */
  readonly resume: string | undefined;
  /** Runs that an earlier regression has stored, and the folders of tests that the command line permits them; undefined = none. */
  readonly stored: { readonly testFolders: readonly string[] } | undefined;
  /** Patterns of runs that are meant; none = all. */
  readonly filters: readonly string[];
  /** Patterns of runs that are left out. */
  readonly exclusions: readonly string[];
  /** Ids of behaviours; none: all. */
  readonly only: readonly string[];
  /** Only runs that a change of these files touches; none: all. */
  readonly touchedBy: readonly string[];
  /** Of these runs, the part that is meant; undefined = all. */
  readonly shard: Shard | undefined;
  readonly seed: number;
  /** On the command line. */
  readonly seedGiven: boolean;
  readonly reseed: number | undefined;
  /** Times the number of seeds that a list or line asks for. */
  readonly reseedMultiplier: number | undefined;
  /** The seed of every run. */
  readonly fixedSeed: number | undefined;
  readonly jobs: number;
  /** Runs are played elsewhere; undefined = on this machine. */
  readonly farm: FarmCommand | undefined;
  readonly timeoutSeconds: number;
  /** On the command line: it counts in place of what runs say. */
  readonly timeoutGiven: boolean;
  /** As typed, for `+SIM_TIMEOUT=`; checked with the other plusargs. */
  readonly simTimeout: string | undefined;
  /** Plusargs of the command line: every run gets them in place of its own of the same name. */
  readonly plusargs: readonly string[];
  /** What the project has decided; its plusargs are for runs that do not name them. */
  readonly defaults: ProjectDefaults;
  readonly heapMb: number;
  readonly maxTimeSeconds: number | undefined;
  readonly maxFailures: number | undefined;
  /** Its summary goes into the history. */
  readonly history: boolean;
  /** Files of known issues. */
  readonly known: readonly string[];
  /** An argument without effect is an error. */
  readonly strict: boolean;
  /** How buckets of failures are shrunk afterwards; undefined: they are not. */
  readonly shrink: { readonly seconds: number; readonly allSeconds: number } | undefined;
  /** Measure coverage. */
  readonly coverage: boolean;
  /** Closure: percent of bins; undefined = the runs of the list are played once. */
  readonly untilCoverage: number | undefined;
  /** Runs of a generation of closure. */
  readonly generation: number;
  readonly out: string | undefined;
  readonly keep: 'failures' | 'all' | 'none';
  readonly quiet: boolean;
  readonly dryRun: boolean;
  /** The user's shell may run the script. */
  readonly shell: boolean;
  readonly problems: readonly string[];
}

const COMMAND_NAMES = REGRESS_COMMANDS.map(({ name }) => name);
const ACTIONS = ['help', 'version', 'show-config'] as const;
const KEEP = ['failures', 'all', 'none'] as const;
const MAX_JOBS = 512;
/** Runs of a generation of closure. */
const GENERATION = 200;
/** Time after which no further bucket of failures is shrunk. */
const ALL_BUCKETS_SECONDS = 600;

/**
 * @param argv words after the program's name
 * @param defaults count where the command line says nothing; default: there are none
 */
export function parseRegressCommand(argv: readonly string[], defaults: ProjectDefaults = NO_DEFAULTS): RegressCommand {
  const checked = readFlags(commandLineTokens(argv), REGRESS_FLAGS);
  const { flags: typed } = checked;
  const flags = withDefaults(typed, defaults);
  const problems = [...checked.problems];
  const action = ACTIONS.find((name) => typed[name] === true) ?? 'run';
  const isPlusarg = (word: Token): boolean => word.text.startsWith('+');
  const plusargs = checked.positionals.filter(isPlusarg).map((word) => word.text);
  const words = checked.positionals.filter((word) => !isPlusarg(word));
  const [failed, resume] = [text(flags, 'failed'), text(flags, 'resume')];
  const sources = action === 'run' ? sourcesOf(words, failed !== undefined || resume !== undefined, problems) : [];
  problems.push(...contradictions(typed, checked.positionals.filter(isPlusarg)));
  const reader = new NumberReader(flags, problems);
  const farm = farmCommandOf(flags, problems);
  if (flags['shell'] === true && flags['dry-run'] === true)
    problems.push(
      '--shell and --dry-run (command line): --shell has the script run, a dry run runs nothing; leave one out',
    );
  return {
    action,
    argv,
    sources,
    failed,
    resume,
    stored:
      failed === undefined && resume === undefined
        ? undefined
        : { testFolders: testFoldersIn([...plusargs, ...defaults.plusargs.map((token) => token.text)]) },
    filters: checked.all('filter'),
    exclusions: checked.all('exclude'),
    only: idsOf(checked.all('only')),
    touchedBy: checked.all('touched-by'),
    shard: shardGiven(text(flags, 'shard'), problems),
    seed: seedOf('seed', text(flags, 'seed'), problems) ?? DEFAULT_SEED,
    seedGiven: text(typed, 'seed') !== undefined,
    reseed: text(flags, 'reseed') === undefined ? undefined : reader.integer('reseed', 1, 1_000_000, 1),
    reseedMultiplier: reader.factor('reseed-multiplier'),
    fixedSeed: seedOf('fixed-seed', text(flags, 'fixed-seed'), problems),
    jobs: reader.integer('jobs', 1, MAX_JOBS, farm === undefined ? availableParallelism() : 1),
    farm,
    timeoutSeconds: parseSeconds(text(flags, 'timeout'), problems) ?? DEFAULT_TIMEOUT_SECONDS,
    timeoutGiven: text(typed, 'timeout') !== undefined,
    simTimeout: text(flags, 'sim-timeout'),
    // What goes on has its plusargs: a folder is named to permit it.
    plusargs: resume === undefined ? plusargs : [],
    defaults,
    heapMb: reader.integer('heap-mb', 64, 1_000_000, 2048),
    maxTimeSeconds: parseSpan('max-time', text(flags, 'max-time'), problems),
    maxFailures:
      text(flags, 'max-failures') === undefined ? undefined : reader.integer('max-failures', 1, 1_000_000, 1),
    shrink: shrinkOf(flags, reader, problems),
    history: flags['no-history'] !== true,
    known: [...checked.all('known'), ...knownFilesOf(defaults)],
    strict: flags['strict'] === true,
    coverage: flags['cov'] === true || flags['until-coverage'] !== undefined,
    untilCoverage: reader.factor('until-coverage', 100),
    generation: reader.integer('generation', 1, 1_000_000, GENERATION),
    // The project names the folder in which regressions have folders of their own.
    out: text(typed, 'out'),
    keep: keepOf(text(flags, 'keep'), problems),
    quiet: flags['quiet'] === true,
    dryRun: flags['dry-run'] === true,
    shell: flags['shell'] === true,
    problems,
  };
}

/** Ids that stand in one word with commas between them, or in several. */
export function idsOf(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => word.split(',')).map((id) => id.trim());
}

function text(flags: FlagValues, name: keyof typeof REGRESS_FLAGS): string | undefined {
  return flags[name] as string | undefined;
}

/** Flags that say which runs a list or script has, or how they are played: those of an earlier regression are there. */
const OF_A_PLAN = ['seed', 'reseed', 'reseed-multiplier', 'fixed-seed', 'shell'] as const;
/** What a regression that goes on has decided when it began. */
const OF_A_BEGINNING = [
  'filter',
  'exclude',
  'only',
  'touched-by',
  'shard',
  'timeout',
  'sim-timeout',
  'heap-mb',
  'cov',
  'out',
  'keep',
  'strict',
] as const;
const NOT_IN_CLOSURE = ['failed', 'resume', 'shell', 'fixed-seed', 'shrink', 'shard'] as const;
const OF_SHRINKING = ['shrink-seconds', 'shrink-time'] as const;
const OF_SEEDS = ['seed', 'reseed', 'reseed-multiplier'] as const;

/** Flags that exclude each other. */
function contradictions(flags: FlagValues, plusargs: readonly Token[]): string[] {
  const given = (names: readonly (keyof typeof REGRESS_FLAGS)[]): string[] =>
    names.filter((name) => flags[name] !== undefined).map((name) => `--${name}`);
  const found: string[] = [];
  if (flags['failed'] !== undefined && flags['resume'] !== undefined)
    found.push('--failed and --resume (command line): one earlier regression at a time; keep one of them');
  for (const flag of ['failed', 'resume'] as const) {
    if (flags[flag] === undefined) continue;
    for (const name of given(OF_A_PLAN))
      found.push(`${name} (command line): the runs of --${flag} have their seeds and lines; leave it out`);
  }
  if (flags['resume'] !== undefined) {
    const others = plusargs.map(({ text }) => text).filter((word) => testFoldersIn([word]).length === 0);
    const words = [...given(OF_A_BEGINNING), ...others];
    for (const word of words)
      found.push(`${word} (command line): --resume goes on with what was begun, as it was begun; leave it out`);
  }
  if (flags['until-coverage'] !== undefined) {
    for (const name of given(NOT_IN_CLOSURE))
      found.push(`${name} (command line): --until-coverage plays runs of a list in seeds of its own; leave it out`);
  } else if (flags['generation'] !== undefined)
    found.push('--generation (command line): is a part of --until-coverage; give that too, or leave it out');
  if (flags['shrink'] !== true) {
    for (const name of given(OF_SHRINKING))
      found.push(`${name} (command line): is a part of --shrink; give that too, or leave it out`);
  } else if (flags['keep'] === 'none')
    found.push('--shrink and --keep none (command line): records are what is shrunk; leave one out');
  if (flags['fixed-seed'] !== undefined) {
    for (const name of given(OF_SEEDS))
      found.push(`${name} (command line): --fixed-seed gives every run one seed; keep one of them`);
  }
  return found;
}

/** @param earlier an earlier regression says what is to be run */
function sourcesOf(given: readonly Token[], earlier: boolean, problems: string[]): readonly string[] {
  problems.push(...given.filter(({ text }) => text === '').map(emptyWord));
  const [verb, ...words] = given.filter(({ text }) => text !== '');
  const sources = words.map(({ text }) => text);
  if (verb?.text !== 'run') {
    problems.push(noCommand(verb?.text, words.length === 0));
    return [];
  }
  if (words.length === 0 && !earlier) problems.push('run: needs a list or a script, such as smoke');
  if (earlier)
    for (const source of sources)
      problems.push(`${source} (command line): --failed and --resume take the place of a list; keep one of them`);
  const twice = new Set(sources.filter((source, i) => sources.indexOf(source) < i));
  for (const source of twice) problems.push(`${source} (command line): is named twice; leave it out once`);
  return sources;
}

/** @param alone nothing follows: a list without its command is what is forgotten most */
function noCommand(verb: string | undefined, alone: boolean): string {
  if (verb === undefined) return 'no command is given; write: hca_regress run <list.yaml | script.sh>';
  const meant = didYouMean(verb, COMMAND_NAMES);
  const isList = alone && (/\.\w+$/.test(verb) || existsSync(verb) || existsSync(listPath(verb)));
  if (isList) return `${verb}: unknown command; write: hca_regress run ${verb}`;
  return `${verb}: unknown command${meant === '' ? `; there are ${COMMAND_NAMES.join(', ')}` : meant}`;
}

/** Limits of what is done about failures when all runs have ended. */
function shrinkOf(flags: FlagValues, reader: NumberReader, problems: string[]): RegressCommand['shrink'] {
  if (flags['shrink'] !== true) return undefined;
  return {
    seconds: reader.integer('shrink-seconds', 1, 1_000_000, BUCKET_SECONDS),
    allSeconds: parseSpan('shrink-time', text(flags, 'shrink-time'), problems) ?? ALL_BUCKETS_SECONDS,
  };
}

function seedOf(flag: string, value: string | undefined, problems: string[]): number | undefined {
  if (value === undefined) return undefined;
  const seed = parseSeed(value);
  if (typeof seed === 'number') return seed;
  if (seed === 'random') return drawSeed();
  problems.push(`--${flag} ${value} (command line): ${seed}`);
  return undefined;
}

function shardGiven(given: string | undefined, problems: string[]): Shard | undefined {
  const shard = given === undefined ? undefined : parseShard(given);
  if (given !== undefined && shard === undefined)
    problems.push(`--shard ${given} (command line): allowed: a part of so many, such as 2/8`);
  return shard;
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
    return wholeOf(name, text(this.#flags, name), { least: min, most: max }, fallback, this.#problems);
  }

  /** A number above 0; undefined when none was given. */
  factor(name: keyof typeof REGRESS_FLAGS, most = 1_000_000): number | undefined {
    const given = text(this.#flags, name);
    if (given === undefined) return undefined;
    const value = Number(given);
    if (/^\d+(\.\d+)?$/.test(given) && value > 0 && value <= most) return value;
    this.#problems.push(`--${name} ${given} (command line): allowed: a number above 0, to ${most}`);
    return undefined;
  }
}
