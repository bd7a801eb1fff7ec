/** Regressions one after another as charts and tables of a page: pass rate, time, coverage, and the runs of each signature. */

import { lineChart, roundAxis } from '../chart/lineChart.ts';
import type { RegressionSummaryFile } from '../history/summaryFile.ts';
import { formatDuration } from '../report/formatDuration.ts';
import { counted } from '../../uvm/report/counted.ts';
import { visibleText } from '../../uvm/report/visibleText.ts';

/** A cell of a table. */
export interface Cell {
  readonly text: string;
  readonly isNumber: boolean;
}

/** Names are those of the template `page.html`. */
export interface TableView {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly { readonly cells: readonly Cell[] }[];
}

export interface TrendView {
  readonly text: string;
  readonly charts: readonly string[];
  readonly tables: readonly TableView[];
}

/** Regressions shown, the latest ones; signatures, those of most runs. */
const MOST = { regressions: 60, signatures: 20, drawn: 6, tests: 30 } as const;

/**
 * @param all in any order
 * @param least regressions of a trend
 * @returns undefined for fewer
 */
export function trendView(all: readonly RegressionSummaryFile[], least = 2): TrendView | undefined {
  const ordered = all.toSorted((a, b) => (a.started < b.started ? -1 : a.started > b.started ? 1 : 0));
  const shown = ordered.slice(-MOST.regressions);
  if (shown.length < least) return undefined;
  const signatures = signaturesOf(shown);
  const left = ordered.length - shown.length;
  return {
    text: `${counted(shown.length, 'regression')}, from ${shown[0]?.started} to ${shown.at(-1)?.started}${left === 0 ? '' : `; ${left} earlier ones are not shown`}.`,
    charts: [resultsChart(shown), ...signatureChart(shown, signatures)],
    tables: [regressionTable(shown), ...signatureTable(shown, signatures), testTable(shown)],
  };
}

function percent(part: number, of: number): number {
  return of === 0 ? 0 : (100 * part) / of;
}

function passRate({ counts, planned }: RegressionSummaryFile): number {
  return percent((counts['passed'] ?? 0) + (counts['known'] ?? 0), planned);
}

function axisOf(shown: readonly RegressionSummaryFile[]) {
  const every = Math.ceil(shown.length / 6);
  const marks = shown.flatMap((_, i) => (i % every === 0 ? [i] : []));
  const text = (i: number): string => (shown[i]?.started ?? '').slice(5, 16).replace('T', ' ');
  return { title: 'regressions by their beginning, UTC', from: 0, to: shown.length - 1, marks, text };
}

function resultsChart(shown: readonly RegressionSummaryFile[]): string {
  const x = axisOf(shown);
  const rates = shown.map((each, i) => [i, passRate(each)] as const);
  const covered = shown.flatMap(({ coverage }, i) =>
    coverage === null ? [] : [[i, percent(coverage.covered, coverage.bins)] as const],
  );
  const minutes = shown.map(({ wallMs }, i) => [i, wallMs / 60_000] as const);
  const lowest = Math.min(...[...rates, ...covered].map(([, value]) => value));
  const longest = Math.max(...minutes.map(([, value]) => value));
  return lineChart({
    title: 'Passed, coverage and time',
    panels: [
      { x, y: { title: '%', ...roundAxis(Math.min(lowest, 95), 100) }, lines: [rates, covered, []] },
      { x, y: { title: 'minutes', ...roundAxis(0, longest) }, lines: [[], [], minutes] },
    ],
    key: ['runs that passed or have known issues, %', 'bins covered, %', 'time by the clock on the wall, minutes'],
    dots: true,
  });
}

interface SignatureTrend {
  readonly name: string;
  /** Runs in each regression. */
  readonly runs: readonly number[];
}

function signaturesOf(shown: readonly RegressionSummaryFile[]): readonly SignatureTrend[] {
  const names = [...new Set(shown.flatMap(({ signatures }) => signatures.map(nameOf)))];
  const trends = names.map((name) => ({
    name,
    runs: shown.map(({ signatures }) =>
      signatures.filter((each) => nameOf(each) === name).reduce((n, { runs }) => n + runs, 0),
    ),
  }));
  const total = ({ runs }: SignatureTrend): number => runs.reduce((sum, n) => sum + n, 0);
  return trends.sort((a, b) => total(b) - total(a)).slice(0, MOST.signatures);
}

function nameOf({ id, text }: RegressionSummaryFile['signatures'][number]): string {
  return visibleText(`[${id}] ${text}`);
}

function signatureChart(shown: readonly RegressionSummaryFile[], signatures: readonly SignatureTrend[]): string[] {
  if (signatures.length === 0) return [];
  const drawn = signatures.slice(0, MOST.drawn);
  const most = Math.max(...drawn.flatMap(({ runs }) => runs));
  const short = (name: string): string => (name.length <= 100 ? name : `${name.slice(0, 100)}...`);
  return [
    lineChart({
      title: 'Failed runs by signature',
      panels: [
        {
          x: axisOf(shown),
          y: { title: 'runs', ...roundAxis(0, most, 1) },
          lines: drawn.map(({ runs }) => runs.map((n, i) => [i, n] as const)),
        },
      ],
      key: drawn.map(({ name }) => short(name)),
      dots: true,
    }),
  ];
}

function regressionTable(shown: readonly RegressionSummaryFile[]): TableView {
  return {
    title: 'Regressions',
    columns: ['began', 'source', 'seed', 'runs', 'passed', 'known', 'others', 'coverage', 'time'],
    rows: shown.toReversed().map((each) => {
      const { started, source, seed, planned, counts, coverage, wallMs } = each;
      const [passed, known] = [counts['passed'] ?? 0, counts['known'] ?? 0];
      const bins = coverage === null ? '' : `${percent(coverage.covered, coverage.bins).toFixed(2)} %`;
      return rowOf(
        started,
        source,
        seed,
        planned,
        passed,
        known,
        planned - passed - known,
        bins,
        formatDuration(wallMs),
      );
    }),
  };
}

function signatureTable(shown: readonly RegressionSummaryFile[], signatures: readonly SignatureTrend[]): TableView[] {
  if (signatures.length === 0) return [];
  const dateOf = (i: number): string => shown[i]?.started ?? '';
  return [
    {
      title: 'Signatures',
      columns: ['signature', 'first seen', 'last seen', 'regressions', 'runs', 'runs in the latest'],
      rows: signatures.map(({ name, runs }) => {
        const seen = runs.flatMap((n, i) => (n > 0 ? [i] : []));
        const all = runs.reduce((sum, n) => sum + n, 0);
        return rowOf(name, dateOf(seen[0] ?? 0), dateOf(seen.at(-1) ?? 0), seen.length, all, runs.at(-1) ?? 0);
      }),
    },
  ];
}

function testTable(shown: readonly RegressionSummaryFile[]): TableView {
  const names = [...new Set(shown.flatMap(({ tests }) => tests.map(({ test }) => test)))].sort();
  return {
    title: 'Tests',
    columns: ['test', 'runs', 'passed', 'mean time', 'mean time in the latest'],
    rows: names.slice(0, MOST.tests).map((name) => {
      const own = shown.flatMap(({ tests }) => tests.filter(({ test }) => test === name));
      const last = shown.at(-1)?.tests.find(({ test }) => test === name);
      const runs = own.reduce((sum, each) => sum + each.runs, 0);
      const passed = own.reduce((sum, each) => sum + each.passed, 0);
      const wallMs = own.reduce((sum, each) => sum + each.wallMs, 0);
      const latest = last === undefined || last.runs === 0 ? '' : formatDuration(last.wallMs / last.runs);
      return rowOf(
        name,
        runs,
        `${percent(passed, runs).toFixed(1)} %`,
        formatDuration(runs === 0 ? 0 : wallMs / runs),
        latest,
      );
    }),
  };
}

export function rowOf(...values: readonly (string | number)[]): { readonly cells: readonly Cell[] } {
  return {
    cells: values.map((value) => ({
      text: String(value),
      isNumber: typeof value === 'number' || /^[\d.]+ ?(%|ms|s)?$/.test(value),
    })),
  };
}
