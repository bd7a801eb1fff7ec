/** Turns a list file, with all that it includes, into jobs. */

import { dirname, join, normalize } from 'node:path';
import { InputError, readInputText } from '../../files/inputFile.ts';
import { fileReason, isFileError } from '../../files/fileError.ts';
import type { Job } from '../job.ts';
import { derivedSeed, reseedCount } from '../seeds.ts';
import { behaviourJobs } from '../conformance/behaviourJobs.ts';
import { BehaviourError, type BehaviourTable, readBehaviours } from '../conformance/behaviours.ts';
import { type Combination, combinationsOf, type RuleError, RuleErrors, unreadableRules } from './combinations.ts';
import { conflictsOf } from './entryConflicts.ts';
import { filesWithin, within } from './fileWords.ts';
import { ListDocument } from './listDocument.ts';
import { ListError } from './listError.ts';
import { expressionPlace, type ListPlaces } from './listPlaces.ts';
import { pairCount } from './pairwise.ts';
import { withSequences } from './sequencePatterns.ts';
import type { ListDefaults, ListEntry, PlusargValue, SweepStep } from './listSchema.ts';

/** What decides, besides the list, which runs there are. */
export interface ExpandOptions {
  /** Seed from which the seeds of `reseed:` entries, and of entries that name none, are derived. */
  readonly baseSeed: number;
  /** Replaces every `reseed:`; entries with `seeds:` keep them. */
  readonly reseed?: number | undefined;
  /** Times the number of seeds of `reseed:`; rounded, at least one. Default 1. */
  readonly reseedMultiplier?: number | undefined;
  /** The seed of every run, in place of all others. */
  readonly fixedSeed?: number | undefined;
  /** Folder for relative paths in the arguments of runs. */
  readonly cwd: string;
  /** Names of all sequences, for patterns of a sweep; default: there are none. */
  readonly sequences?: readonly string[];
  /** Learns where each value of the list stands. */
  readonly places?: ListPlaces;
  /** Reads a list; default: the file system. */
  readonly read?: (path: string) => string;
}

const MAX_DEPTH = 8;
/** Runs of a list, all its entries together, and combinations of a sweep before any is skipped. */
const MOST_RUNS = 1_000_000;
/** The plusarg for folders with tests and sequences of the user's own. */
const TEST_PATH = 'TEST_PATH';
const SEQUENCE = '+UVM_TEST_SEQ=';
/** Plusargs that name one, or a folder. */
const INPUT_PLUSARGS: ReadonlySet<string> = new Set(['SCENARIO', TEST_PATH]);

/** What a list asks for, as far as it can be read. */
export interface ExpandedList {
  /** Runs of all entries of which it is known which runs they have. */
  readonly jobs: readonly Job[];
  /** Ids of those whose sequence was found by a pattern. */
  readonly found: ReadonlySet<string>;
  /** What the other entries give to their runs, one plusarg in each, or the flags; to be checked, not to be played. */
  readonly loose: readonly Job[];
  /** Every mistake found, each with file, line and column; empty = the list can be run. */
  readonly problems: readonly string[];
  /** Tables of behaviours that it plays. */
  readonly behaviours: readonly BehaviourTable[];
}

/** @param path of the list */
export function expandList(path: string, options: ExpandOptions): ExpandedList {
  const state: State = {
    jobs: [],
    found: new Set(),
    loose: [],
    problems: new Set(),
    skipped: [],
    names: new Map(),
    trail: [],
    behaviours: [],
  };
  const { jobs, found, loose, problems, skipped, behaviours } = state;
  collect(path, options, state, `${path}:1:1`);
  if (problems.size === 0 && jobs.length === 0) {
    const empty = `${path}:1:1: the list has no runs; add tests:, include: or behaviours:`;
    return { jobs, found, loose, problems: skipped.length > 0 ? skipped : [empty], behaviours };
  }
  return { jobs, found, loose, problems: [...problems], behaviours };
}

interface State {
  readonly jobs: Job[];
  readonly found: Set<string>;
  readonly loose: Job[];
  /** Mistakes of what entries share are found once for each of them. */
  readonly problems: Set<string>;
  /** Entries of which skip rules leave nothing; a mistake when nothing else is left. */
  readonly skipped: string[];
  /** Where each family was first named. */
  readonly names: Map<string, string>;
  /** Files that are being read, outermost first. */
  readonly trail: readonly string[];
  readonly behaviours: BehaviourTable[];
}

function collect(path: string, options: ExpandOptions, state: State, namedAt: string): void {
  const document = open(path, options, state, namedAt);
  if (document === undefined) return;
  const { include = [], tests = [], defaults = {}, behaviours = [] } = document.data;
  report(state, [...document.problems, ...contradictionsOf(defaults, ['defaults'], document)]);
  const inner = { ...state, trail: [...state.trail, path] };
  for (const [i, name] of include.entries()) {
    if (name !== '') collect(join(dirname(path), name), options, inner, document.where(['include', i]));
  }
  for (const [i, name] of behaviours.entries())
    if (name !== '') collectBehaviours(join(dirname(path), name), options, state, document.where(['behaviours', i]));
  tests.forEach((entry, index) => {
    if (document.isEntry(index)) collectEntry({ entry, index, defaults, document }, options, state);
  });
}

function collectBehaviours(path: string, options: ExpandOptions, state: State, namedAt: string): void {
  const { reseed = 1, reseedMultiplier, baseSeed, fixedSeed, cwd, read = readText } = options;
  try {
    const table = readBehaviours(path, read(path));
    state.behaviours.push(table);
    const seeds = { baseSeed, fixedSeed, count: reseedCount(reseed, reseedMultiplier), cwd };
    const jobs = behaviourJobs(table, seeds).map((job) => ({ ...job, argv: filesWithin(dirname(path), job.argv) }));
    state.jobs.push(...jobs);
  } catch (error) {
    if (error instanceof BehaviourError) report(state, error.problems);
    else if (isFileError(error)) report(state, [`${namedAt}: cannot read the table ${path}; ${fileReason(error)}`]);
    else if (error instanceof InputError)
      report(state, [`${namedAt}: cannot read the table ${path}; ${error.message}`]);
    else throw error;
  }
}

function collectEntry(found: FoundEntry, options: ExpandOptions, state: State): void {
  const { entry, index, document, defaults } = found;
  const where = document.where(['tests', index]);
  const twin = state.names.get(entry.name);
  if (twin !== undefined) report(state, [`${where}: the name ${entry.name} is taken (${twin}); choose another`]);
  if (document.isNamed(index)) state.names.set(entry.name, where);
  report(state, [...contradictionsOf(entry, ['tests', index], document), ...conflictsOf(entry, index, document)]);
  options.places?.add(document, index, entry);
  const named = withSequences(entry, options.sequences ?? []);
  const axis = ['tests', index, 'sweep', 'UVM_TEST_SEQ'];
  report(
    state,
    named.mistakes.map(({ step, message }) => `${document.where([...axis, step])}: in ${entry.name}: ${message}`),
  );
  const place = { entry: named.entry, defaults, where, folder: dirname(document.file) };
  try {
    const unreadable = document.isWhole(index) ? undefined : unreadableRules(entry, defaults);
    if (unreadable !== undefined) throw new RuleErrors(unreadable);
    const jobs = jobsOf(place, options, state.jobs.length);
    for (const job of jobs) {
      state.jobs.push(job);
      if (job.argv.some((word) => word.startsWith(SEQUENCE) && named.found.has(word.slice(SEQUENCE.length))))
        state.found.add(job.id);
    }
    const rules = document.where(['tests', index, 'skip']);
    if (jobs.length === 0) state.skipped.push(`${rules}: in ${entry.name}: all combinations are skipped`);
  } catch (error) {
    if (error instanceof ListError) report(state, error.problems);
    else if (error instanceof RuleErrors) report(state, ruleProblems(found, error.all));
    else throw error;
    state.loose.push(...looseJobs(place, options));
  }
}

/** An entry and where it was found. */
interface FoundEntry {
  readonly entry: ListEntry;
  readonly index: number;
  readonly defaults: ListDefaults;
  readonly document: ListDocument;
}

function report(state: State, problems: readonly string[]): void {
  for (const problem of problems) state.problems.add(problem);
}

/** A rule of the defaults belongs to no entry. */
function ruleProblems({ entry, index, document }: FoundEntry, errors: readonly RuleError[]): string[] {
  return errors.map(({ message, text }) => {
    const { place, isOwn } = expressionPlace(document, index, entry, text);
    return `${place}: in ${isOwn ? entry.name : 'the defaults'}: ${message}`;
  });
}

/** What is said twice in one place and differently; what the entry says in place of the defaults is no contradiction. */
function contradictionsOf(
  entry: Partial<ListEntry>,
  path: readonly (string | number)[],
  document: ListDocument,
): string[] {
  const problems: string[] = [];
  if (entry.seeds !== undefined && entry.reseed !== undefined)
    problems.push(`${document.where([...path, 'reseed'])}: seeds and reseed exclude each other; keep one of them`);
  problems.push(...twiceIn((entry.seeds ?? []).map(Number), [...path, 'seeds'], document));
  const fixed = new Set(Object.keys(entry.plusargs ?? {}));
  const sweptBy = new Map<string, string>();
  for (const [axis, steps] of Object.entries(entry.sweep ?? {})) {
    const names = new Set(steps.flatMap((step) => (isGroup(step) ? Object.keys(step) : [axis])));
    const where = document.where([...path, 'sweep', axis]);
    problems.push(...twiceIn(steps, [...path, 'sweep', axis], document));
    for (const name of names) {
      const other = sweptBy.get(name);
      if (fixed.has(name)) problems.push(`${where}: ${name} is swept and also fixed in plusargs; keep one of them`);
      else if (other !== undefined) problems.push(`${where}: ${name} is swept by ${other} too; keep one of them`);
      sweptBy.set(name, axis);
    }
  }
  return problems;
}

/** The same value twice is one run, not two: whoever writes it means something else. */
function twiceIn(values: readonly unknown[], path: readonly (string | number)[], document: ListDocument): string[] {
  const seen = new Set<string>();
  return values.flatMap((value, k) => {
    const text = JSON.stringify(value);
    if (!seen.has(text)) {
      seen.add(text);
      return [];
    }
    return [`${document.where([...path, k])}: ${text} stands twice in ${path.at(-1)}; leave one out`];
  });
}

function isGroup(step: SweepStep): step is Readonly<Record<string, PlusargValue>> {
  return step !== null && typeof step === 'object';
}

function open(path: string, options: ExpandOptions, state: State, namedAt: string): ListDocument | undefined {
  if (state.trail.includes(path) || state.trail.length >= MAX_DEPTH) {
    report(state, [`${namedAt}: lists include each other: ${[...state.trail, path].map(normalize).join(' -> ')}`]);
    return undefined;
  }
  try {
    return new ListDocument(path, (options.read ?? readText)(path));
  } catch (error) {
    const why = isFileError(error) ? fileReason(error) : error instanceof InputError ? error.message : String(error);
    report(state, error instanceof ListError ? error.problems : [`${namedAt}: cannot read the list ${path}; ${why}`]);
    return undefined;
  }
}

/** An entry with what belongs to it. */
interface Place {
  readonly entry: ListEntry;
  readonly defaults: ListDefaults;
  readonly where: string;
  /** Folder of the list: files that flags and plusargs have runs read are relative to it, as those of `include` are. */
  readonly folder: string;
}

/** @throws ListError for more runs than a list may have, `before` of which are those of other entries */
function jobsOf(place: Place, options: ExpandOptions, before: number): Job[] {
  const { entry, defaults, where } = place;
  const sizes = Object.values(entry.sweep ?? {}).map((steps) => steps.length);
  const swept = entry.pairs === true ? pairCount(sizes) : sizes.reduce((product, size) => product * size, 1);
  if (swept > MOST_RUNS) throw tooMany(place, `${swept} ${entry.pairs === true ? 'pairs of values' : 'combinations'}`);
  const combinations = combinationsOf(entry, defaults);
  const count = combinations.length * seedCount(entry, defaults, options);
  if (before + count > MOST_RUNS) throw tooMany(place, `${count} runs${before > 0 ? ` after ${before} others` : ''}`);
  const digits = String(combinations.length - 1).length;
  return combinations.flatMap((combination, index) => {
    const stem = combinations.length === 1 ? entry.name : `${entry.name}/${String(index).padStart(digits, '0')}`;
    return seedsOf(entry, defaults, combination, options).map((seed) => ({
      id: `${stem}-s${seed}`,
      family: entry.name,
      title: combination.title,
      argv: argvOf(place, combination, seed),
      cwd: options.cwd,
      where,
      timeoutSeconds: entry.timeout ?? defaults.timeout ?? 0,
    }));
  });
}

/** What is known of the arguments of an entry whose runs are not. Rules and other plusargs may decide about any of them. */
function looseJobs({ entry, defaults, where, folder }: Place, { cwd }: ExpandOptions): Job[] {
  const { name } = entry;
  const test = entry.test ?? defaults.test;
  const swept = Object.entries(entry.sweep ?? {}).flatMap(([axis, steps]) =>
    steps.flatMap((step) => (isGroup(step) ? Object.entries(step) : [[axis, step] as const])),
  );
  const given = [...Object.entries({ ...defaults.plusargs, ...entry.plusargs }), ...swept];
  const paths = given.filter(([plusarg]) => plusarg === TEST_PATH).map(([, path]) => inFolder(TEST_PATH, path, folder));
  const plusargs = given
    .filter(([, value]) => value !== false && !(typeof value === 'string' && value.startsWith('=')))
    .map(([plusarg, value]) => plusargText(plusarg, inFolder(plusarg, value, folder)));
  // What a name or a value means may depend on the test, and on what else there is to be found.
  const common = paths.map((path) => plusargText(TEST_PATH, path));
  if (test !== undefined) common.push(`+UVM_TESTNAME=${test}`);
  return [flagsOf(entry, defaults, folder), ...plusargs.map((word) => [word])].map((words) => {
    const argv = [...common, ...words.filter((word) => !common.includes(word))];
    return { id: name, family: name, title: '', argv, cwd, where, timeoutSeconds: 0 };
  });
}

function seedsOf(entry: ListEntry, defaults: ListDefaults, combination: Combination, options: ExpandOptions): number[] {
  if (options.fixedSeed !== undefined) return [options.fixedSeed];
  const seeds = givenSeeds(entry, defaults);
  if (seeds !== undefined) return [...new Set(seeds.map(Number))];
  const count = seedCount(entry, defaults, options);
  const found = new Set<number>();
  for (let n = 0; found.size < count; n++) found.add(derivedSeed(options.baseSeed, entry.name, combination.title, n));
  return [...found];
}

/** What the entry says counts before what the defaults say, whichever of the two ways it is said in. */
function givenSeeds(entry: ListEntry, defaults: ListDefaults): ListEntry['seeds'] {
  return entry.seeds ?? (entry.reseed === undefined ? defaults.seeds : undefined);
}

function seedCount(entry: ListEntry, defaults: ListDefaults, options: ExpandOptions): number {
  if (options.fixedSeed !== undefined) return 1;
  const given = givenSeeds(entry, defaults)?.length;
  return given ?? reseedCount(options.reseed ?? entry.reseed ?? defaults.reseed ?? 1, options.reseedMultiplier);
}

function tooMany({ entry, where }: Place, what: string): ListError {
  const advice = 'lower reseed, or split the sweep or the list';
  return new ListError([`${where}: ${entry.name} makes ${what}: a list may have 1..${MOST_RUNS} runs; ${advice}`]);
}

function argvOf({ entry, defaults, folder }: Place, combination: Combination, seed: number): string[] {
  const test = entry.test ?? defaults.test;
  const given = [...combination.plusargs].filter(([, value]) => value !== false);
  const plusargs = given.map(([name, value]) => plusargText(name, inFolder(name, value, folder)));
  const flags = flagsOf(entry, defaults, folder);
  return [...(test === undefined ? [] : [`+UVM_TESTNAME=${test}`]), ...plusargs, ...flags, '--seed', String(seed)];
}

function flagsOf(entry: ListEntry, defaults: ListDefaults, folder: string): string[] {
  return filesWithin(folder, [...(defaults.flags ?? []), ...(entry.flags ?? [])]);
}

function inFolder(name: string, value: PlusargValue, folder: string): PlusargValue {
  return INPUT_PLUSARGS.has(name) && typeof value === 'string' ? within(folder, value) : value;
}

function plusargText(name: string, value: PlusargValue): string {
  return value === null || value === true ? `+${name}` : `+${name}=${value}`;
}

function readText(path: string): string {
  return readInputText(path);
}
