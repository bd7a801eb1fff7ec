/** What regressions have shown of a plan: evidence for each testpoint. */

import type { CoverageTree, ItemNode } from '../coverage/coverageTree.ts';
import type { CoverageDatabase } from '../coverage/database.ts';
import type { Plan, Testpoint } from './plan.ts';
import type { Stage } from './planSchema.ts';

export interface TestpointStatus {
  readonly testpoint: Testpoint;
  /** Runs of its tests, and those of them that passed. */
  readonly runs: number;
  readonly passed: number;
  /** Bins of its covergroups. */
  readonly bins: number;
  readonly covered: number;
  /** What is missing before it can be said to be shown; '' where nothing is. */
  readonly missing: string;
}

export interface StageStatus {
  readonly stage: Stage;
  readonly testpoints: number;
  /** Testpoints of which nothing is missing. */
  readonly shown: number;
}

export interface PlanStatus {
  readonly testpoints: readonly TestpointStatus[];
  /** Without what is only planned. */
  readonly stages: readonly StageStatus[];
  /** Entries of the checklist, but for what lies outside, whose testpoints are planned, or have nothing that shows them. */
  readonly open: readonly string[];
}

/** @param database of all runs, those that have not passed too */
export function planStatus(plan: Plan, tree: CoverageTree, database: CoverageDatabase): PlanStatus {
  const testpoints = plan.testpoints.map((testpoint) => statusOf(testpoint, tree, database));
  const stages = (['V1', 'V2', 'V3'] as const).map((stage) => {
    const ofStage = testpoints.filter(({ testpoint }) => testpoint.stage === stage);
    return { stage, testpoints: ofStage.length, shown: ofStage.filter(({ missing }) => missing === '').length };
  });
  const shown = new Set(
    testpoints.filter(({ missing }) => missing === '').flatMap(({ testpoint }) => testpoint.covers),
  );
  return {
    testpoints,
    stages,
    open: [...plan.checklist.keys()].filter((id) => !shown.has(id) && !plan.outside.has(id)),
  };
}

function statusOf(testpoint: Testpoint, tree: CoverageTree, { runs }: CoverageDatabase): TestpointStatus {
  const tests = new Set(testpoint.tests);
  const own = runs.filter(
    (run) => tests.has(run.test) || run.plusargs.some((arg) => tests.has(arg.replace(/^\+UVM_TEST_SEQ=/, ''))),
  );
  const items = testpoint.covergroups.flatMap((name) => itemsOf(tree, name));
  const bins = items.reduce((n, { coverage }) => n + coverage.bins, 0);
  const covered = items.reduce((n, { coverage }) => n + coverage.covered, 0);
  const passed = own.filter((run) => run.passed).length;
  return {
    testpoint,
    runs: own.length,
    passed,
    bins,
    covered,
    missing: missingOf(testpoint, own.length, passed, items, covered),
  };
}

function missingOf(
  { stage, tests, covergroups, checks }: Testpoint,
  runs: number,
  passed: number,
  items: readonly ItemNode[],
  covered: number,
): string {
  if (stage === 'planned') return 'planned';
  if (tests.length === 0 && covergroups.length === 0) return 'names neither tests nor covergroups';
  if (checks.length === 0) return 'names no check';
  if (tests.length > 0 && runs === 0) return 'none of its tests was run';
  if (passed < runs) return `${runs - passed} of its runs have not passed`;
  if (covergroups.length > 0 && items.length === 0) return 'its covergroups were not measured';
  return covergroups.length > 0 && covered === 0 ? 'none of its bins was hit' : '';
}

function itemsOf({ groups }: CoverageTree, name: string): readonly ItemNode[] {
  return groups.flatMap((group) =>
    group.name === name ? group.items : group.items.filter((item) => `${group.name}.${item.name}` === name),
  );
}
