/**
 * The coverage of many runs: what there is to cover, and what each run has hit. Totals are always derived.
 *
 * Databases are values: groups and runs are in one order whatever they were made from, so that merging is commutative,
 * associative, and idempotent for each run.
 */

import { type GroupModel, groupKey, type SparseHits } from '../../uvm/coverage/model.ts';

/** A run that was measured. */
export interface CoverageRun {
  /** Hash of test, seed, plusargs, NIC and sources: the same run measured again has the same. */
  readonly id: string;
  /** In its regression: `multiqp/0012-s1`. */
  readonly name: string;
  readonly test: string;
  readonly seed: number;
  /** Without test and seed. */
  readonly plusargs: readonly string[];
  /** Of the device under test. */
  readonly nic: string;
  readonly passed: boolean;
  /** Scheduler events: what it costs, the same on every machine. */
  readonly events: number;
  /** Processor time in milliseconds: what it costs here. */
  readonly cpuMs: number;
  /** The line to paste to run it again. */
  readonly replay: string;
  /** By `groupRef`. */
  readonly hits: Readonly<Record<string, SparseHits>>;
}

export interface CoverageDatabase {
  /** In ascending order of `groupRef`. */
  readonly groups: readonly GroupModel[];
  /** In ascending order of id. */
  readonly runs: readonly CoverageRun[];
}

/** Tells groups of one name apart that have other bins. */
export function groupRef(group: Pick<GroupModel, 'name' | 'instance' | 'hash'>): string {
  return `${groupKey(group)} ${group.hash}`;
}

/** Groups and runs in any order, also several times. */
export function databaseOf(groups: readonly GroupModel[], runs: readonly CoverageRun[]): CoverageDatabase {
  return { groups: unique(groups, groupRef), runs: unique(runs, ({ id }) => id) };
}

export function merge(...databases: readonly CoverageDatabase[]): CoverageDatabase {
  return databaseOf(
    databases.flatMap(({ groups }) => groups),
    databases.flatMap(({ runs }) => runs),
  );
}

/** Names of groups that are there with several sets of bins. */
export function ambiguousGroups({ groups }: CoverageDatabase): readonly string[] {
  const keys = groups.map(groupKey);
  return [...new Set(keys.filter((key, i) => keys.indexOf(key) !== i))];
}

/** Only some of the runs. */
export function runsOf(database: CoverageDatabase, wanted: (run: CoverageRun) => boolean): CoverageDatabase {
  return { groups: database.groups, runs: database.runs.filter(wanted) };
}

/**
 * One of each key, in order of keys. Of several that differ (another comment, another processor time) the one whose text
 * is first, whichever came first.
 */
function unique<T>(values: readonly T[], keyOf: (value: T) => string): readonly T[] {
  const found = new Map<string, T>();
  for (const value of values) {
    const key = keyOf(value);
    const before = found.get(key);
    if (before === undefined || (before !== value && textOf(value) < textOf(before))) found.set(key, value);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => sorted(part));
}

/** Objects say the same in whatever order they were filled. */
function sorted(part: unknown): unknown {
  if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
  return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
}
