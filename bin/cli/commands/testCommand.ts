/** Turns the command line of `hca_test` into what is asked for, collecting every mistake instead of stopping at one. */

import { type FlagValues, readFlags } from '../readFlags.ts';
import { valuedFlags } from '../flagTable.ts';
import { plusargsBeside, withDefaults } from '../../project/projectDefaults.ts';
import { NO_DEFAULTS, type ProjectDefaults } from '../../project/projectValues.ts';
import { parseSeconds } from '../seconds.ts';
import {
  conflictOf,
  DEFAULT_SEED,
  drawSeed,
  type SeedRequest,
  seedOfEnvironment,
  seedOfFlag,
  seedOfPlusarg,
} from '../seed.ts';
import { IGNORED_FLAGS, SEED_FLAGS } from '../simulatorFlags.ts';
import { splitArgv } from '../splitArgv.ts';
import { STRICT } from '../strict.ts';
import { TEST_FLAGS } from '../testFlags.ts';
import { commandLineTokens, emptyWord, type Token } from '../token.ts';

export type Action =
  | 'run'
  | 'help'
  | 'version'
  | 'show-config'
  | 'list-tests'
  | 'list-sequences'
  | 'list-faults'
  | 'list-knobs'
  | 'list-covergroups'
  | 'explain-faults';

/** A command line, resolved: every field set, defaults filled in. */
export interface TestCommand {
  readonly action: Action;
  /** Topic or word that help is asked for; '' = the first page, undefined = no help. */
  readonly help: string | undefined;
  /** `+UVM_TESTNAME=`, or '' when none was given. */
  readonly testName: string;
  readonly seed: number;
  /** On the command line, not only by the environment. */
  readonly seedGiven: boolean;
  /** Plusargs in order, option files expanded; seeds and those with a flag of their own (`+PCAP`) taken out. */
  readonly plusargs: readonly Token[];
  readonly log: string | undefined;
  readonly out: string;
  /** Capture file; '' = `wire.pcap` in the run's folder; undefined = no capture. */
  readonly pcap: string | undefined;
  /** Trace file; '' = `trace.json` in the run's folder; undefined = no trace. */
  readonly trace: string | undefined;
  readonly dumpScenario: string | undefined;
  readonly scenario: string | undefined;
  /** File of fault rules for the link; undefined = none. */
  readonly faults: string | undefined;
  /** Folder of further tests, `+TEST_PATH=`; undefined = none. */
  readonly testPath: string | undefined;
  readonly replay: string | undefined;
  /** Record of a run that is to be shrunk, and how long at most. */
  readonly shrink: string | undefined;
  /** Record of a run that this one is held against. */
  readonly against: string | undefined;
  readonly shrinkRuns: number | undefined;
  readonly shrinkSeconds: number | undefined;
  /** Processes that play candidates; undefined: one per processor. */
  readonly shrinkJobs: number | undefined;
  /** Paths of `-f` files, those that others name included. */
  readonly optionFiles: readonly string[];
  readonly quiet: boolean;
  /** Wall-clock limit; undefined = none was given. */
  readonly timeoutSeconds: number | undefined;
  /** An option file could not be read, so that what is missing may stand there. */
  readonly isPartial: boolean;
  /** One message per mistake; empty = can be run. */
  readonly problems: readonly string[];
}

const ACTIONS: readonly Action[] = [
  'help',
  'version',
  'show-config',
  'list-tests',
  'list-sequences',
  'list-faults',
  'list-knobs',
  'list-covergroups',
  'explain-faults',
];
/** Plusargs that have a field of their own: forms of flags, and paths. */
const FLAG_PLUSARGS = ['PCAP', 'TRACE', 'SCENARIO', 'DUMP_SCENARIO', 'TEST_PATH'];

/**
 * @param argv words after the program's name
 * @param env for `COCOTB_RANDOM_SEED`
 * @param cwd folder for relative `-f` paths
 * @param defaults count where the command line says nothing; default: there are none
 */
export function parseTestCommand(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  cwd = process.cwd(),
  defaults: ProjectDefaults = NO_DEFAULTS,
): TestCommand {
  const valued = new Set([...valuedFlags(TEST_FLAGS), ...SEED_FLAGS]);
  const split = splitArgv(commandLineTokens(argv), valued, cwd);
  const problems = [...split.problems];
  const seeds: SeedRequest[] = [];
  const flagTokens = takeSeedFlags(split.flags, seeds, problems).filter((t) => !IGNORED_FLAGS.has(t.text));
  const named = takeSeedPlusargs(split.plusargs, seeds, problems);
  const checked = readFlags(flagTokens, TEST_FLAGS, SEED_FLAGS);
  problems.push(...checked.problems, ...checked.positionals.map(stray));
  const flags = withDefaults(checked.flags, defaults);
  const seed = chooseSeed(seeds, env, flags['seed'], problems);
  // What is repeated has all its arguments in its record.
  const isRecorded = flags['replay'] !== undefined || flags['shrink'] !== undefined;
  const typed = isRecorded ? named : [...named, ...plusargsBeside(textsOf(named), defaults)];
  const strict = flags['strict'] === true ? commandLineTokens([STRICT]) : [];
  const plusargs = [...typed.filter(({ text }) => !isFlagPlusarg(text)), ...strict];
  return {
    ...fromFlags(flags, typed, problems),
    ...seed,
    plusargs,
    isPartial: split.isPartial,
    optionFiles: split.files,
    testName: plusargValue(typed, 'UVM_TESTNAME') ?? '',
    problems,
  };
}

function textsOf(tokens: readonly Token[]): readonly string[] {
  return tokens.map(({ text }) => text);
}

type FromFlags = Omit<
  TestCommand,
  'seed' | 'seedGiven' | 'plusargs' | 'isPartial' | 'optionFiles' | 'testName' | 'problems'
>;

function fromFlags(flags: FlagValues, plusargs: readonly Token[], problems: string[]): FromFlags {
  const text = (name: keyof typeof TEST_FLAGS): string | undefined => flags[name] as string | undefined;
  const flagOrPlusarg = (
    flag: 'pcap' | 'trace' | 'dump-scenario' | 'scenario',
    plusarg: string,
  ): string | undefined => {
    const [inFlag, inPlusarg] = [text(flag), plusargValue(plusargs, plusarg)];
    if (inFlag !== undefined && inPlusarg !== undefined && inFlag !== inPlusarg)
      problems.push(`--${flag}=${inFlag} and +${plusarg}=${inPlusarg}: two names for one thing; keep one of them`);
    return inFlag ?? inPlusarg;
  };
  problems.push(...emptyPlusargs(plusargs));
  const shown = ACTIONS.filter((name) => flags[name] !== undefined);
  if (shown.length > 1 && shown.every((name) => name.startsWith('list-')))
    problems.push(`${shown.map((name) => `--${name}`).join(' and ')}: one table at a time; keep one of them`);
  for (const name of ['replay', 'scenario', 'faults', 'dump-scenario', 'against'] as const) {
    if (text('shrink') !== undefined && text(name) !== undefined)
      problems.push(`--shrink and --${name}: the record already says what is shrunk; keep one of them`);
  }
  if (text('replay') !== undefined && text('scenario') !== undefined) {
    problems.push('--replay and --scenario: the record already says which scenario is played; keep one of them');
  }
  return {
    action: ACTIONS.find((name) => flags[name] !== undefined) ?? 'run',
    help: text('help'),
    log: text('log'),
    out: text('out') ?? 'out',
    pcap: flagOrPlusarg('pcap', 'PCAP'),
    trace: flagOrPlusarg('trace', 'TRACE'),
    dumpScenario: flagOrPlusarg('dump-scenario', 'DUMP_SCENARIO'),
    scenario: flagOrPlusarg('scenario', 'SCENARIO'),
    faults: text('faults'),
    testPath: plusargValue(plusargs, 'TEST_PATH'),
    replay: text('replay'),
    shrink: text('shrink'),
    against: text('against'),
    shrinkRuns: limitOf('shrink-runs', text('shrink-runs'), problems),
    shrinkJobs: limitOf('shrink-jobs', text('shrink-jobs'), problems),
    shrinkSeconds: limitOf('shrink-seconds', text('shrink-seconds'), problems),
    quiet: flags['quiet'] === true,
    timeoutSeconds: parseSeconds(text('timeout'), problems),
  };
}

/** A whole number above 0. */
function limitOf(flag: string, text: string | undefined, problems: string[]): number | undefined {
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  problems.push(`--${flag} ${text} (command line): allowed: a whole number above 0`);
  return undefined;
}

/** Without a name, `+PCAP` alone means the run's own folder; a scenario has no such place. */
function emptyPlusargs(plusargs: readonly Token[]): string[] {
  return plusargs
    .filter(({ text }) => /^\+(DUMP_)?SCENARIO=?$/.test(text))
    .map(
      ({ text, where }) =>
        `${text} (${where}): names no file; write ${text.replace(/=?$/, '=<file.json>')} or leave it out`,
    );
}

/** One that names a file or folder and has a field of its own. */
export function isFlagPlusarg(text: string): boolean {
  return FLAG_PLUSARGS.some((name) => isNamed(text, name));
}

function isNamed(text: string, name: string): boolean {
  return text === `+${name}` || text.startsWith(`+${name}=`);
}

/** First value of a plusarg (UVM: the first one wins); '' without value, undefined when it was not given. */
export function plusargValue(plusargs: readonly Token[], name: string): string | undefined {
  return plusargs.find(({ text }) => isNamed(text, name))?.text.slice(name.length + 2);
}

function takeSeedFlags(tokens: readonly Token[], seeds: SeedRequest[], problems: string[]): Token[] {
  const rest: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    const [flag, inline] = splitInline(token.text);
    if (SEED_FLAGS.has(flag) && inline !== undefined)
      keep(seedOfFlag(flag, { text: inline, where: token.where }), seeds, problems);
    else if (!SEED_FLAGS.has(token.text)) rest.push(token);
    else {
      const value = tokens[++i];
      if (value === undefined)
        problems.push(`${token.text} (${token.where}): needs a seed; write ${token.text} <seed>`);
      else keep(seedOfFlag(token.text, value), seeds, problems);
    }
  }
  return rest;
}

/** `--seed=7` in two parts; the value is undefined when there is none in the word. */
function splitInline(text: string): [string, string | undefined] {
  const at = text.indexOf('=');
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function takeSeedPlusargs(tokens: readonly Token[], seeds: SeedRequest[], problems: string[]): Token[] {
  return tokens.filter((token) => {
    const found = seedOfPlusarg(token);
    if (found === undefined) return true;
    keep(found, seeds, problems);
    return false;
  });
}

function keep(found: SeedRequest | string, seeds: SeedRequest[], problems: string[]): void {
  if (typeof found === 'string') problems.push(found);
  else seeds.push(found);
}

function chooseSeed(
  seeds: SeedRequest[],
  env: Readonly<Record<string, string | undefined>>,
  ofProject: FlagValues[string],
  problems: string[],
): { seed: number; seedGiven: boolean } {
  const conflict = conflictOf(seeds);
  if (conflict !== undefined) problems.push(conflict);
  const seedGiven = seeds.length > 0;
  if (seeds.length === 0) {
    const inherited = seedOfEnvironment(env);
    if (inherited !== undefined) keep(inherited, seeds, problems);
    else if (typeof ofProject === 'string')
      keep(seedOfFlag('--seed', { text: ofProject, where: 'project' }), seeds, problems);
  }
  const value = seeds[0]?.value ?? DEFAULT_SEED;
  return { seed: value === 'random' ? drawSeed() : value, seedGiven };
}

/** A word that is neither. */
function stray(token: Token): string {
  if (token.text === '') return emptyWord(token);
  return `${token.text} (${token.where}): stands alone; plusargs begin with + and flags with -`;
}
