/** Turns a list file, with all that it includes, into jobs. */

import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize } from 'node:path';
import type { Job } from '../job.ts';
import { derivedSeed } from '../seeds.ts';
import { type Combination, combinationsOf, RuleError } from './combinations.ts';
import { conflictsOf } from './entryConflicts.ts';
import { ListDocument } from './listDocument.ts';
import { ListError } from './listError.ts';
import { expressionPlace, type ListPlaces } from './listPlaces.ts';
import type { ListDefaults, ListEntry, PlusargValue, SweepStep } from './listSchema.ts';

/** What decides, besides the list, which runs there are. */
export interface ExpandOptions {
  /** Seed from which the seeds of `reseed:` entries, and of entries that name none, are derived. */
  readonly baseSeed: number;
  /** Replaces every `reseed:`; entries with `seeds:` keep them. */
  readonly reseed?: number;
  /** Folder for relative paths in the arguments of runs. */
  readonly cwd: string;
  /** Learns where each value of the list stands. */
  readonly places?: ListPlaces;
  /** Reads a list; default: the file system. */
  readonly read?: (path: string) => string;
}

const MAX_DEPTH = 8;
/** Runs of a list, all its entries together, and combinations of a sweep before any is skipped. */
const MOST_RUNS = 1_000_000;
/** Flags of `hca_test` that name a file to be read. */
const INPUT_FLAGS: ReadonlySet<string> = new Set(['-f', '-F', '-file', '--scenario']);
/** Plusarg that names one. */
const INPUT_PLUSARG = 'SCENARIO';

/**
 * @param path of the list
 * @throws ListError with every mistake found, each with file, line and column
 */
export function expandList(path: string, options: ExpandOptions): Job[] {
  const problems: string[] = [];
  const jobs: Job[] = [];
  const skipped: string[] = [];
  collect(path, options, { jobs, problems, skipped, names: new Map(), trail: [] }, `${path}:1:1`);
  if (problems.length === 0 && jobs.length === 0) {
    const empty = `${path}:1:1: the list has no runs; add tests: or include:`;
    problems.push(...(skipped.length > 0 ? skipped : [empty]));
  }
  if (problems.length > 0) throw new ListError(problems);
  return jobs;
}

interface State {
  readonly jobs: Job[];
  readonly problems: string[];
  /** Entries of which skip rules leave nothing; a mistake when nothing else is left. */
  readonly skipped: string[];
  /** Where each family was first named. */
  readonly names: Map<string, string>;
  /** Files that are being read, outermost first. */
  readonly trail: readonly string[];
}

function collect(path: string, options: ExpandOptions, state: State, namedAt: string): void {
  const document = open(path, options, state, namedAt);
  if (document === undefined) return;
  const { include = [], tests = [], defaults = {} } = document.data;
  state.problems.push(...contradictionsOf(defaults, ['defaults'], document));
  const inner = { ...state, trail: [...state.trail, path] };
  for (const [i, name] of include.entries()) {
    collect(join(dirname(path), name), options, inner, document.where(['include', i]));
  }
  tests.forEach((entry, i) => {
    const where = document.where(['tests', i]);
    const twin = state.names.get(entry.name);
    if (twin !== undefined) state.problems.push(`${where}: the name ${entry.name} is taken (${twin}); choose another`);
    state.names.set(entry.name, where);
    state.problems.push(...contradictionsOf(entry, ['tests', i], document), ...conflictsOf(entry, i, document));
    options.places?.add(document, i, entry);
    try {
      const found = jobsOf({ entry, defaults, where, folder: dirname(path) }, options, state.jobs.length);
      for (const job of found) state.jobs.push(job);
      const rules = document.where(['tests', i, 'skip']);
      if (found.length === 0) state.skipped.push(`${rules}: in ${entry.name}: all combinations are skipped`);
    } catch (error) {
      if (error instanceof ListError) state.problems.push(...error.problems);
      else if (error instanceof RuleError) {
        const place = expressionPlace(document, i, entry, error.text);
        state.problems.push(`${place}: in ${entry.name}: ${error.message}`);
      } else throw error;
    }
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

function within(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

function open(path: string, options: ExpandOptions, state: State, namedAt: string): ListDocument | undefined {
  if (state.trail.includes(path) || state.trail.length >= MAX_DEPTH) {
    state.problems.push(`${namedAt}: lists include each other: ${[...state.trail, path].map(normalize).join(' -> ')}`);
    return undefined;
  }
  try {
    return new ListDocument(path, (options.read ?? readText)(path));
  } catch (error) {
    if (error instanceof ListError) state.problems.push(...error.problems);
    else
      state.problems.push(
        `${namedAt}: cannot read the list ${path}; ${error instanceof Error ? error.message : error}`,
      );
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
  const swept = Object.values(entry.sweep ?? {}).reduce((product, steps) => product * steps.length, 1);
  if (swept > MOST_RUNS) throw tooMany(place, `${swept} combinations`);
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

function seedsOf(entry: ListEntry, defaults: ListDefaults, combination: Combination, options: ExpandOptions): number[] {
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
  return givenSeeds(entry, defaults)?.length ?? options.reseed ?? entry.reseed ?? defaults.reseed ?? 1;
}

function tooMany({ entry, where }: Place, what: string): ListError {
  const advice = 'lower reseed, or split the sweep or the list';
  return new ListError([`${where}: ${entry.name} makes ${what}: a list may have 1..${MOST_RUNS} runs; ${advice}`]);
}

function argvOf({ entry, defaults, folder }: Place, combination: Combination, seed: number): string[] {
  const test = entry.test ?? defaults.test;
  const given = [...combination.plusargs].filter(([, value]) => value !== false);
  const plusargs = given.map(([name, value]) => plusargText(name, inFolder(name, value, folder)));
  const flags = [...(defaults.flags ?? []), ...(entry.flags ?? [])].map((word, i, all) => {
    const [, flag, inline] = /^(--scenario|-f|-F|-file)=(.*)$/s.exec(word) ?? [];
    if (inline !== undefined) return `${flag}=${within(folder, inline)}`;
    return INPUT_FLAGS.has(all[i - 1] ?? '') ? within(folder, word) : word;
  });
  return [...(test === undefined ? [] : [`+UVM_TESTNAME=${test}`]), ...plusargs, ...flags, '--seed', String(seed)];
}

function inFolder(name: string, value: PlusargValue, folder: string): PlusargValue {
  return name === INPUT_PLUSARG && typeof value === 'string' ? within(folder, value) : value;
}

function plusargText(name: string, value: PlusargValue): string {
  return value === null || value === true ? `+${name}` : `+${name}=${value}`;
}

function readText(path: string): string {
  return readFileSync(path, 'utf8');
}
