/**
 * The runs that are worth their cost: greedy set cover, in which each next run is the one with the most new coverage for
 * its price, and a second look that drops what the later ones have made superfluous.
 */

import type { CoverageDatabase, CoverageRun } from './database.ts';
import { type Exclusions, NO_EXCLUSIONS } from './exclusions.ts';
import { Targets } from './targets.ts';

/** Scheduler events, the same everywhere, or processor time. */
export type Cost = 'events' | 'cpuMs';

export interface RankedRun {
  readonly run: CoverageRun;
  /** Bins that this run completes, given those before it. */
  readonly gained: number;
  /** Bins covered with it. */
  readonly covered: number;
  /** Cost of this run and those before it. */
  readonly cost: number;
}

export interface TestAdvice {
  readonly test: string;
  readonly plusargs: string;
  readonly runs: number;
  /** Of these, runs in the smallest set found. */
  readonly kept: number;
  /** Bins that no other test and no other arguments hit. */
  readonly alone: number;
  readonly cost: number;
  /** `reseed 1 is enough: 49 runs add nothing`. */
  readonly advice: string;
}

export interface Ranking {
  readonly costIn: Cost;
  /** Runs that together cover what all do, the best first. */
  readonly ranked: readonly RankedRun[];
  /** Without which nothing is lost. */
  readonly redundant: readonly CoverageRun[];
  readonly bins: number;
  readonly cost: number;
  readonly allCost: number;
  readonly tests: readonly TestAdvice[];
}

export function rank(
  database: CoverageDatabase,
  costIn: Cost = 'events',
  exclusions: Exclusions = NO_EXCLUSIONS,
): Ranking {
  const targets = new Targets(database, exclusions);
  const candidates = database.runs.map((run) => ({ run, hits: targets.of(run), cost: Math.max(1, run[costIn]) }));
  const kept = withoutSuperfluous(greedy(candidates, targets.needed), targets.needed);
  const ranked = told(kept, targets.needed);
  const names = new Set(kept.map(({ run }) => run.id));
  const cost = (runs: readonly CoverageRun[]): number => runs.reduce((sum, run) => sum + run[costIn], 0);
  return {
    costIn,
    ranked,
    redundant: database.runs.filter(({ id }) => !names.has(id)),
    bins: targets.needed.length,
    cost: cost(kept.map(({ run }) => run)),
    allCost: cost(database.runs),
    tests: adviceOf(candidates, names, targets.needed.length, costIn),
  };
}

interface Candidate {
  readonly run: CoverageRun;
  /** Target, count, target, count … */
  readonly hits: Float64Array;
  readonly cost: number;
}

/**
 * What a run still adds only ever shrinks, so a value from before is a bound: only the candidate at the top is looked at
 * again, and taken if it stays there.
 */
function greedy(candidates: readonly Candidate[], needed: Float64Array): readonly Candidate[] {
  const missing = Float64Array.from(needed);
  const queue = candidates
    .map((candidate) => ({ candidate, worth: worthOf(candidate, missing, needed) }))
    .sort(byWorth);
  const taken: Candidate[] = [];
  for (;;) {
    const top = queue.shift();
    if (top === undefined || top.worth === 0) return taken;
    const worth = worthOf(top.candidate, missing, needed);
    const next = queue[0];
    if (next !== undefined && byWorth({ candidate: top.candidate, worth }, next) > 0) {
      if (worth > 0) insert(queue, { candidate: top.candidate, worth });
    } else if (worth > 0) {
      taken.push(top.candidate);
      subtract(top.candidate, missing);
    }
  }
}

interface Entry {
  readonly candidate: Candidate;
  readonly worth: number;
}

function byWorth(a: Entry, b: Entry): number {
  return b.worth - a.worth || (a.candidate.run.id < b.candidate.run.id ? -1 : 1);
}

function insert(queue: Entry[], entry: Entry): void {
  let from = 0;
  let to = queue.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (byWorth(queue[middle] as Entry, entry) < 0) from = middle + 1;
    else to = middle;
  }
  queue.splice(from, 0, entry);
}

/** Shares of bins that it would still add, for each unit of cost. */
function worthOf({ hits, cost }: Candidate, missing: Float64Array, needed: Float64Array): number {
  let gain = 0;
  for (let i = 0; i < hits.length; i += 2) {
    const target = hits[i] as number;
    gain += Math.min(missing[target] as number, hits[i + 1] as number) / (needed[target] as number);
  }
  return gain / cost;
}

/** @returns how many bins it completes */
function subtract({ hits }: Candidate, missing: Float64Array): number {
  let completed = 0;
  for (let i = 0; i < hits.length; i += 2) {
    const target = hits[i] as number;
    const before = missing[target] as number;
    const after = Math.max(0, before - (hits[i + 1] as number));
    missing[target] = after;
    if (before > 0 && after === 0) completed++;
  }
  return completed;
}

/** The dearest that can be spared goes first. */
function withoutSuperfluous(taken: readonly Candidate[], needed: Float64Array): readonly Candidate[] {
  const counts = new Float64Array(needed.length);
  const add = ({ hits }: Candidate, sign: number): void => {
    for (let i = 0; i < hits.length; i += 2)
      counts[hits[i] as number] = (counts[hits[i] as number] as number) + sign * (hits[i + 1] as number);
  };
  for (const candidate of taken) add(candidate, 1);
  const spared = new Set<Candidate>();
  for (const candidate of [...taken].sort((a, b) => b.cost - a.cost)) {
    add(candidate, -1);
    if (counts.every((count, target) => count >= (needed[target] as number))) spared.add(candidate);
    else add(candidate, 1);
  }
  return taken.filter((candidate) => !spared.has(candidate));
}

function told(kept: readonly Candidate[], needed: Float64Array): readonly RankedRun[] {
  const missing = Float64Array.from(needed);
  let covered = 0;
  let cost = 0;
  return kept.map((candidate) => {
    const gained = subtract(candidate, missing);
    covered += gained;
    cost += candidate.cost;
    return { run: candidate.run, gained, covered, cost };
  });
}

function adviceOf(
  candidates: readonly Candidate[],
  kept: ReadonlySet<string>,
  bins: number,
  costIn: Cost,
): readonly TestAdvice[] {
  const tests = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const key = `${candidate.run.test} ${candidate.run.plusargs.join(' ')}`;
    tests.set(key, [...(tests.get(key) ?? []), candidate]);
  }
  const hitBy = new Uint32Array(bins);
  const binsOf = (group: readonly Candidate[]): ReadonlySet<number> =>
    new Set(group.flatMap(({ hits }) => targetsOf(hits)));
  for (const group of tests.values()) for (const bin of binsOf(group)) hitBy[bin] = (hitBy[bin] as number) + 1;
  return [...tests.values()].map((group) => {
    const { test, plusargs } = (group[0] as Candidate).run;
    const count = group.filter(({ run }) => kept.has(run.id)).length;
    const alone = [...binsOf(group)].filter((bin) => hitBy[bin] === 1).length;
    const cost = group.reduce((sum, { run }) => sum + run[costIn], 0);
    const advice = adviceText(group.length, count, alone);
    return { test, plusargs: plusargs.join(' '), runs: group.length, kept: count, alone, cost, advice };
  });
}

function adviceText(runs: number, kept: number, alone: number): string {
  if (kept === 0) return 'adds nothing to the others; keep it for what it checks, with reseed 1';
  if (kept < runs) return `reseed ${kept} is enough: ${runs - kept} of ${runs} runs add nothing`;
  return alone > 0 && runs > 1 ? 'every seed adds something; more may too' : 'needed';
}

function targetsOf(hits: Float64Array): readonly number[] {
  return Array.from({ length: hits.length / 2 }, (_, i) => hits[2 * i] as number);
}
