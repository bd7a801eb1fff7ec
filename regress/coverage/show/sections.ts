/** An analysis as headed tables, whatever they are written in. */

import { percentOf } from '../../../uvm/coverage/score.ts';
import { counted } from '../../../uvm/report/counted.ts';
import type { Analysis } from '../analysis.ts';
import type { Attribution } from '../attribution.ts';
import type { CoverageTree, GroupNode, ItemNode } from '../coverageTree.ts';
import type { ChangedBin, CoverageDifference } from '../difference.ts';
import type { Hole } from '../holes.ts';
import type { TrendRow } from '../trend.ts';
import type { PlanStatus } from '../../plan/planStatus.ts';
import type { Ranking } from '../ranking.ts';
import { percentText } from '../totalLine.ts';
import type { Column, TableData } from './table.ts';

/** A table with what is said above and below it. */
export interface Section {
  readonly title: string;
  /** Undefined where there is nothing to be shown. */
  readonly table: TableData | undefined;
  /** Lines below the table. */
  readonly notes: readonly string[];
}

/** How much is shown. */
export interface Extent {
  /** Items besides groups; bins besides items. */
  readonly depth: 'groups' | 'items' | 'bins';
  /** Rows of lists. */
  readonly top: number;
}

export function sectionsOf(analysis: Analysis, extent: Extent): readonly Section[] {
  const { tree, holes, hits, ranking, difference, plan, trend } = analysis;
  return [
    treeSection(tree, extent),
    ...(holes === undefined ? [] : [holeSection(holes, extent)]),
    ...(hits === undefined ? [] : [hitSection(hits, extent)]),
    ...(ranking === undefined ? [] : rankingSections(ranking, extent)),
    ...(difference === undefined ? [] : differenceSections(difference, extent)),
    ...(plan === undefined ? [] : [planSection(plan)]),
    ...(trend === undefined ? [] : [trendSection(trend)]),
  ];
}

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });

function treeSection({ groups, instances }: CoverageTree, { depth }: Extent): Section {
  const columns = [left('group'), right('bins'), right('covered'), right('percent'), right('weighted'), right('goal')];
  const rows = [...groups, ...instances].flatMap((group) => [
    coverageRow(group.name, group),
    ...(depth === 'groups' ? [] : group.items.flatMap((item) => itemRows(group, item, depth))),
  ]);
  return { title: 'Coverage', table: rows.length === 0 ? undefined : { columns, rows }, notes: [] };
}

function itemRows(group: GroupNode, item: ItemNode, depth: Extent['depth']): readonly (readonly string[])[] {
  const row = coverageRow(`  ${item.name}`, item);
  if (depth !== 'bins') return [row];
  const bins = item.bins.map(({ name, kind, hits, covered, excluded }) => {
    const state = kind !== 'bins' ? kind : excluded !== undefined ? 'unreachable' : covered ? '' : 'open';
    return [`    ${group.name}.${item.name}.${name}`, '', `${hits}`, '', '', state];
  });
  return [row, ...bins];
}

function coverageRow(name: string, { coverage, goal }: Pick<GroupNode, 'coverage' | 'goal'>): readonly string[] {
  const { bins, covered, percent } = coverage;
  return [
    name,
    `${bins}`,
    `${covered}`,
    percentText(percentOf(covered, bins)),
    percentText(percent),
    percent >= goal ? 'met' : `${goal} %`,
  ];
}

function trendSection(trend: readonly TrendRow[]): Section {
  const columns = [
    left('regression'),
    right('runs'),
    right('failed'),
    right('bins'),
    right('covered'),
    right('percent'),
    right('gained'),
    right('lost'),
    right('processor'),
  ];
  const rows = trend.map(({ name, runs, failed, bins, covered, gained, lost, seconds }) => {
    const percent = percentText(percentOf(covered, bins));
    return [
      name,
      `${runs}`,
      `${failed}`,
      `${bins}`,
      `${covered}`,
      percent,
      `${gained}`,
      `${lost}`,
      `${seconds.toFixed(1)} s`,
    ];
  });
  return { title: 'Trend', table: { columns, rows }, notes: [] };
}

function holeSection(holes: readonly Hole[], { top }: Extent): Section {
  const rows = holes.slice(0, top).map((hole) => {
    const { path, hits, atLeast, command } = hole;
    return [path, `${hits} of ${atLeast}`, command === '' ? 'a new sequence' : `${command}  (${whyText(hole)})`];
  });
  const columns = [left('bin'), right('hits'), left('what would hit it')];
  return {
    title: `Holes: ${holes.length}`,
    table: rows.length === 0 ? undefined : { columns, rows },
    notes: more(holes.length, top),
  };
}

function whyText({ why, shipped }: Hole): string {
  if (shipped === undefined) return why;
  return `${shipped.name} hits it ${counted(shipped.hits, 'time')}, ${shipped.events} events`;
}

function hitSection(hits: readonly Attribution[], { top }: Extent): Section {
  const columns = [left('bin'), right('hits'), right('runs'), left('cheapest run')];
  const rows = hits.slice(0, top).map(({ path, hits: count, runs }) => {
    return [path, `${count}`, `${runs.length}`, runs[0]?.run.replay ?? 'none'];
  });
  return {
    title: `Who hits what: ${hits.length} bins`,
    table: rows.length === 0 ? undefined : { columns, rows },
    notes: more(hits.length, top),
  };
}

function rankingSections(
  { ranked, redundant, bins, cost, allCost, costIn, tests }: Ranking,
  { top }: Extent,
): readonly Section[] {
  const unit = costIn === 'events' ? 'scheduler events' : 'ms of processor time';
  const runs = ranked.length + redundant.length;
  const saved = percentText(100 - percentOf(cost, Math.max(allCost, 1)));
  const best: Section = {
    title: `Ranking: ${ranked.length} of ${runs} runs cover all ${bins} bins`,
    table: {
      columns: [right('new bins'), right('covered'), right(`cost (${costIn})`), left('run')],
      rows: ranked
        .slice(0, top)
        .map(({ run, gained, covered, cost: sum }) => [`${gained}`, `${covered}`, `${Math.round(sum)}`, run.replay]),
    },
    notes: [
      ...more(ranked.length, top),
      `they cost ${Math.round(cost)} of ${Math.round(allCost)} ${unit}: ${saved} less`,
    ],
  };
  const columns = [
    left('test'),
    right('runs'),
    right('needed'),
    right('bins of its own'),
    right('cost'),
    left('advice'),
    left('arguments'),
  ];
  const rows = [...tests]
    .sort((a, b) => b.cost - a.cost)
    .slice(0, top)
    .map((t) => [t.test, `${t.runs}`, `${t.kept}`, `${t.alone}`, `${Math.round(t.cost)}`, t.advice, t.plusargs]);
  return [best, { title: 'Seeds', table: { columns, rows }, notes: more(tests.length, top) }];
}

function differenceSections(
  { gained, lost, onlyHere, onlyThere }: CoverageDifference,
  { top }: Extent,
): readonly Section[] {
  const columns = [left('bin'), right('hits'), left('cheapest run')];
  const table = (bins: readonly ChangedBin[]): TableData | undefined =>
    bins.length === 0
      ? undefined
      : { columns, rows: bins.slice(0, top).map(({ path, hits, by }) => [path, `${hits}`, by?.replay ?? '']) };
  const groups = [...onlyHere.map((name) => `only here: ${name}`), ...onlyThere.map((name) => `only there: ${name}`)];
  return [
    { title: `Gained: ${gained.length} bins`, table: table(gained), notes: more(gained.length, top) },
    { title: `Lost: ${lost.length} bins`, table: table(lost), notes: [...more(lost.length, top), ...groups] },
  ];
}

function planSection({ testpoints, stages, open }: PlanStatus): Section {
  const columns = [left('testpoint'), left('stage'), right('passed'), right('bins'), right('covered'), left('missing')];
  const rows = testpoints.map(({ testpoint, runs, passed, bins, covered, missing }) => {
    const { name, stage } = testpoint;
    return [
      name,
      stage,
      runs === 0 ? '-' : `${passed} of ${runs}`,
      `${bins}`,
      `${covered}`,
      missing === '' ? 'shown' : missing,
    ];
  });
  const done = stages.map(({ stage, testpoints: count, shown }) => `${stage} ${shown} of ${count}`).join(', ');
  const notes = [`shown: ${done}`, ...(open.length === 0 ? [] : [`checklist without evidence: ${open.join(' ')}`])];
  return { title: 'Plan', table: rows.length === 0 ? undefined : { columns, rows }, notes };
}

function more(count: number, top: number): readonly string[] {
  return count > top ? [`${count - top} more; --top ${count} shows all`] : [];
}
