/** Coverage as a tree: total, groups, items, bins. Everything that is shown or exported is rendered from it. */

import type { BinKind } from '../../uvm/coverage/binSpec.ts';
import { type GroupModel, groupKey, type ItemModel } from '../../uvm/coverage/model.ts';
import { type Coverage, groupCoverage, itemCoverage, meanOf } from '../../uvm/coverage/score.ts';
import { binsOfGroup } from './binList.ts';
import { type CoverageDatabase, groupRef } from './database.ts';
import { type Exclusions, NO_EXCLUSIONS } from './exclusions.ts';
import { type GroupCounts, type Totals, totalsOf } from './totals.ts';

export interface BinNode {
  readonly path: string;
  readonly name: string;
  readonly kind: BinKind;
  readonly hits: number;
  readonly covered: boolean;
  /** Why it is not to be covered, with the place of the rule. */
  readonly excluded?: string;
}

export interface ItemNode {
  readonly name: string;
  readonly kind: ItemModel['kind'];
  readonly of: readonly string[];
  readonly weight: number;
  readonly goal: number;
  readonly atLeast: number;
  readonly comment: string;
  readonly coverage: Coverage;
  readonly bins: readonly BinNode[];
}

export interface GroupNode {
  readonly name: string;
  readonly weight: number;
  readonly goal: number;
  readonly comment: string;
  readonly coverage: Coverage;
  readonly items: readonly ItemNode[];
}

export interface CoverageTree {
  readonly runs: number;
  /** Of all groups, without single instances. */
  readonly coverage: Coverage;
  readonly excluded: number;
  readonly groups: readonly GroupNode[];
  /** Instances that are counted apart. */
  readonly instances: readonly GroupNode[];
}

export function coverageTree(
  database: CoverageDatabase,
  exclusions: Exclusions = NO_EXCLUSIONS,
  totals: Totals = totalsOf(database),
): CoverageTree {
  const node = (group: GroupModel): GroupNode => groupNode(group, totals.get(groupRef(group)) ?? new Map(), exclusions);
  const groups = database.groups.filter(({ instance }) => instance === undefined).map(node);
  const instances = database.groups.filter(({ instance }) => instance !== undefined).map(node);
  const bins = groups.flatMap(({ items }) => items.flatMap((item) => item.bins));
  const excluded = bins.filter((bin) => bin.excluded !== undefined).length;
  return { runs: database.runs.length, coverage: meanOf(groups), excluded, groups, instances };
}

function groupNode(group: GroupModel, counts: GroupCounts, exclusions: Exclusions): GroupNode {
  const rules = exclusions.of(groupRef(group));
  const listed = binsOfGroup(group);
  const { weight, goal, comment } = group;
  let first = 0;
  const items = group.items.map((item): ItemNode => {
    const begin = first;
    first += item.bins.length;
    const bins = listed.slice(begin, first).map(({ path, bin, number }): BinNode => {
      const hits = counts.get(number) ?? 0;
      const rule = rules.get(number);
      const excluded = rule === undefined ? {} : { excluded: `${rule.reason} (${rule.where})` };
      return { path, name: bin.name, kind: bin.kind, hits, covered: hits >= item.atLeast, ...excluded };
    });
    const { name, kind, of = [], weight: share, goal: wanted, atLeast, comment: text } = item;
    const coverage = itemCoverage(item, begin, counts, rules);
    return { name, kind, of, weight: share, goal: wanted, atLeast, comment: text, coverage, bins };
  });
  return { name: groupKey(group), weight, goal, comment, coverage: groupCoverage(group, counts, rules), items };
}
