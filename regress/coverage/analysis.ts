/** Everything that is asked of the coverage of some regressions, worked out: what text, Markdown, JSON and HTML show. */

import { type Attribution, attributionOf } from './attribution.ts';
import { Glob } from '../../uvm/base/glob.ts';
import { binsOfGroup, matching } from './binList.ts';
import { type CoverageTree, coverageTree } from './coverageTree.ts';
import { ambiguousGroups, type CoverageDatabase } from './database.ts';
import { type CoverageDifference, differenceOf } from './difference.ts';
import { type Exclusions, unreachableHits } from './exclusions.ts';
import { type Hole, holesOf } from './holes.ts';
import { type Cost, type Ranking, rank } from './ranking.ts';
import type { Plan } from '../plan/plan.ts';
import { type PlanStatus, planStatus } from '../plan/planStatus.ts';
import type { ShippedBins } from './shippedBins.ts';
import { totalsOf } from './totals.ts';
import { type TrendRow, type TrendStep, trendOf } from './trend.ts';

export interface Asked {
  /** Pattern of groups, items or bins that are shown; default: all. Totals are those of what is shown. */
  readonly only?: string | undefined;
  readonly holes: boolean;
  /** What shipped runs hit; default: nothing is known. */
  readonly index?: ShippedBins;
  /** Pattern of bins of which the runs are named. */
  readonly hits?: string | undefined;
  readonly rank: Cost | undefined;
  readonly against?: CoverageDatabase | undefined;
  /** With all runs, those that have not passed too. */
  readonly plan?: { readonly plan: Plan; readonly all: CoverageDatabase } | undefined;
  /** Regressions to be shown one after another. */
  readonly trend?: readonly TrendStep[] | undefined;
}

export interface Analysis {
  readonly tree: CoverageTree;
  readonly holes: readonly Hole[] | undefined;
  readonly hits: readonly Attribution[] | undefined;
  readonly ranking: Ranking | undefined;
  readonly difference: CoverageDifference | undefined;
  readonly plan: PlanStatus | undefined;
  readonly trend: readonly TrendRow[] | undefined;
  /** What a reader has to know: bins that cannot be reached and were, groups with several sets of bins. */
  readonly warnings: readonly string[];
}

export function analyse(database: CoverageDatabase, exclusions: Exclusions, asked: Asked): Analysis {
  const shown = restricted(database, asked.only);
  const totals = totalsOf(shown);
  const tree = coverageTree(shown, exclusions, totals);
  return {
    tree,
    plan: asked.plan === undefined ? undefined : planStatus(asked.plan.plan, tree, asked.plan.all),
    trend: asked.trend === undefined ? undefined : trendOf(asked.trend),
    holes: asked.holes
      ? holesOf(shown, totals, exclusions, asked.index).filter(({ path }) => isShown(path, asked.only))
      : undefined,
    hits: asked.hits === undefined ? undefined : attributionOf(shown, asked.hits),
    ranking: asked.rank === undefined ? undefined : rank(shown, asked.rank, exclusions),
    difference: asked.against === undefined ? undefined : differenceOf(shown, restricted(asked.against, asked.only)),
    warnings: [...unreachableHits(shown, totals, exclusions), ...ambiguousGroups(shown).map(ambiguous)],
  };
}

/** Groups of which something is asked for. */
function restricted({ groups, runs }: CoverageDatabase, only: string | undefined): CoverageDatabase {
  if (only === undefined) return { groups, runs };
  return { groups: groups.filter((group) => matching(binsOfGroup(group), only).length > 0), runs };
}

function isShown(path: string, only: string | undefined): boolean {
  if (only === undefined) return true;
  const glob = new Glob(only);
  return glob.matches(path) || new Glob(`${only}.*`).matches(path);
}

function ambiguous(name: string): string {
  return `${name} is there with several sets of bins, each counted by itself: the databases are of different sources`;
}
