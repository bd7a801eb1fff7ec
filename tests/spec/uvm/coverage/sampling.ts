import type { Bins } from '../../../../uvm/coverage/binSpec.ts';
import { type Covergroup, covergroup } from '../../../../uvm/coverage/covergroup.ts';
import { CoverageCollector, countsOf } from '../../../../uvm/coverage/coverageCollector.ts';
import type { PointOptions } from '../../../../uvm/coverage/options.ts';

/** Counts of bins that were hit, by `item.bin`. */
export type Hits = Readonly<Record<string, number>>;

export interface Sampled {
  readonly hits: Hits;
  /** Texts of illegal hits. */
  readonly illegal: readonly string[];
}

/** Samples each of the samples once. */
export function sampled<S>(group: Covergroup<S>, samples: readonly S[]): Sampled {
  const illegal: string[] = [];
  const collector = new CoverageCollector((text) => void illegal.push(text()));
  const instance = collector.create(group);
  for (const sample of samples) instance.sample(sample);
  return { hits: namedHits(collector, group.name), illegal };
}

/** A group with one coverpoint `v` of the sampled numbers. */
export function pointGroup(bins: Bins, options: PointOptions<number> = {}): Covergroup<number> {
  return covergroup<number>('cg', {}, (g) => g.coverpoint('v', (n) => n, bins, options));
}

/** Hits of bins of such a group, by name of the bin. */
export function pointHits(bins: Bins, samples: readonly number[], options: PointOptions<number> = {}): Hits {
  const { hits } = sampled(pointGroup(bins, options), samples);
  return Object.fromEntries(Object.entries(hits).map(([name, n]) => [name.slice(2), n]));
}

/** Names of the bins of a group's item in order. */
export function binNames(group: Covergroup<never>, item = 0): string[] {
  return group.model.items[item]?.bins.map(({ name }) => name) ?? [];
}

export function namedHits(collector: CoverageCollector, group: string): Hits {
  const found = collector.hits().find((known) => known.group.name === group && known.group.instance === undefined);
  const names = found?.group.items.flatMap((item) => item.bins.map((bin) => `${item.name}.${bin.name}`)) ?? [];
  return Object.fromEntries([...countsOf(found?.hits ?? [])].map(([bin, n]) => [names[bin], n]));
}
