/** The covergroups of one run. */

import { UvmError } from '../base/uvmError.ts';
import type { Covergroup } from './covergroup.ts';
import type { OnIllegal } from './compileSampler.ts';
import { Counters, CovergroupInstance } from './covergroupInstance.ts';
import { type GroupModel, groupKey, type SparseHits } from './model.ts';
import { type Coverage, groupCoverage } from './score.ts';

/** What a run has covered of a group. */
export interface GroupHits {
  readonly group: GroupModel;
  readonly hits: SparseHits;
}

/** Report ids of covergroups with their meaning. */
export const COVERAGE_REPORT_IDS = {
  COV_ILLEGAL_BIN: 'a sample hit an illegal bin or an illegal combination of a cross',
} as const satisfies Readonly<Record<string, string>>;

export type CoverageReportId = keyof typeof COVERAGE_REPORT_IDS;

interface Known {
  readonly group: Covergroup<never>;
  readonly counters: Counters;
  /** By name; with `perInstance` only. */
  readonly instances: Map<string, Counters>;
}

/** Makes instances of covergroups, and knows at any time what they have counted. @public */
export class CoverageCollector {
  /** Whether anything is counted; if not, instances take samples and forget them. */
  readonly enabled: boolean;
  readonly #known = new Map<string, Known>();
  readonly #onIllegal: OnIllegal;
  readonly #flushes: (() => void)[] = [];

  /** @param onIllegal reports `COV_ILLEGAL_BIN`; null: coverage is off */
  constructor(onIllegal: OnIllegal | null) {
    this.enabled = onIllegal !== null;
    this.#onIllegal = onIllegal ?? (() => {});
  }

  /**
   * An instance to sample. Those of one covergroup are counted together, and with `perInstance` also apart.
   * @param name of the instance, as in `hca0`
   * @throws UvmError `COV_DECLARATION` where two covergroups have one name, or two instances that are counted apart
   */
  create<S>(group: Covergroup<S>, name = group.name): CovergroupInstance<S> {
    if (!this.enabled) return new CovergroupInstance(group, name, null, this.#onIllegal);
    const known = this.#of(group as Covergroup<never>);
    if (!group.options.perInstance) return new CovergroupInstance(group, name, known.counters, this.#onIllegal);
    if (known.instances.has(name)) {
      throw new UvmError('COV_DECLARATION', `${group.name} has two instances called '${name}'; give each its own name`);
    }
    const counters = new Counters(known.group);
    known.instances.set(name, counters);
    return new CovergroupInstance(group, name, counters, this.#onIllegal);
  }

  /** Calls this before anybody is told what has been counted: for samples that were only tallied. */
  beforeHits(flush: () => void): void {
    if (this.enabled) this.#flushes.push(flush);
  }

  /** Groups in the order of their first instance, each followed by its instances if they are counted apart. */
  hits(): readonly GroupHits[] {
    for (const flush of this.#flushes) flush();
    return [...this.#known.values()].flatMap(({ group: { model }, counters, instances }) => {
      const apart = [...instances].map(([instance, counted]) => ({
        group: { ...model, instance },
        hits: counted.hits(),
      }));
      const together = apart.length === 0 ? counters.hits() : added(apart.map(({ hits }) => hits));
      return [{ group: model, hits: together }, ...apart];
    });
  }

  /** Coverage so far of a group, or of an instance of one with `perInstance`; undefined where nobody has made it. */
  coverage(group: string, instance?: string): Coverage | undefined {
    const key = groupKey(instance === undefined ? { name: group } : { name: group, instance });
    const found = this.hits().find((known) => groupKey(known.group) === key);
    return found === undefined ? undefined : groupCoverage(found.group, countsOf(found.hits));
  }

  #of(group: Covergroup<never>): Known {
    const found = this.#known.get(group.name);
    if (found?.group === group) return found;
    if (found !== undefined) throw new UvmError('COV_DECLARATION', `there are two covergroups called '${group.name}'`);
    const known = { group, counters: new Counters(group), instances: new Map<string, Counters>() };
    this.#known.set(group.name, known);
    return known;
  }
}

/** Counts by bin. */
export function countsOf(hits: SparseHits): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (let i = 0; i < hits.length; i += 2) counts.set(hits[i] as number, hits[i + 1] as number);
  return counts;
}

/** The sum of several lists. */
export function added(lists: readonly SparseHits[]): SparseHits {
  const sums = new Map<number, number>();
  for (const hits of lists) for (const [bin, n] of countsOf(hits)) sums.set(bin, (sums.get(bin) ?? 0) + n);
  return [...sums].sort(([a], [b]) => a - b).flat();
}
