/** What a page says of a regression, or of several as one: names are those of the templates in `templates/report`. */

import { basename, dirname, join } from 'node:path';
import { statOf } from '../../files/statOf.ts';
import { formatTime } from '../../uvm/kernel/time.ts';
import { visibleText } from '../../uvm/report/visibleText.ts';
import { STORE_NAME } from '../coverage/storeFormat.ts';
import type { RegressionSummaryFile } from '../history/summaryFile.ts';
import { isExcused, isPass, type Job, type JobResult } from '../job.ts';
import type { KnownEntry } from '../known/knownJudge.ts';
import type { KnownState } from '../known/knownState.ts';
import { type FailureGroup, failureGroups } from '../report/failureGroups.ts';
import { formatDuration } from '../report/formatDuration.ts';
import { bugEffectLines } from '../report/bugEffectLines.ts';
import { retriedLines } from '../report/retriedLines.ts';
import { type FamilySummary, type RegressionSummary, summarize } from '../report/summary.ts';
import { COLUMNS } from '../report/summaryTable.ts';
import { switchedOffLines } from '../report/switchedOffLines.ts';
import { unusedLines } from '../report/unusedLines.ts';
import { type Change, type Comparison, compareRegressions, keyOf } from './comparison.ts';
import { type FailureView, failureView, hrefOf } from './failureView.ts';
import type { StoredRegression } from './storedRegression.ts';
import { type Cell, rowOf, type TrendView, trendView } from './trendView.ts';

/** What a page is made of. */
export interface PageFacts {
  /** At least one. */
  readonly regressions: readonly StoredRegression[];
  /** The earlier one, or the parts of it; empty for none. */
  readonly base: readonly StoredRegression[];
  /** Of earlier regressions, for the trend. */
  readonly history: readonly RegressionSummaryFile[];
  /** Folder of a run of a regression. */
  readonly folderOf: (id: string, regression: string) => string;
  /** Folder in which the page will lie. */
  readonly pageFolder: string;
}

/** A run with the regression that it is of. */
interface OwnedResult {
  /** Of several regressions with runs of one id: that has the name of the regression before it. */
  readonly result: JobResult;
  /** Its id in its regression. */
  readonly id: string;
  readonly regression: StoredRegression;
}

/** What a page shows at most: the rest stands in report.json. */
const MOST = { failures: 200, slowest: 20, runsOfBucket: 5, warnings: 20, changedRuns: 50 } as const;
/** Bytes of all failures of a page at most. */
const MOST_FAILURE_BYTES = 9 * 2 ** 20;

const CHANGES: Readonly<Record<Change, string>> = { new: 'New', still: 'Still failing', gone: 'Gone' };

export type RegressionView = ReturnType<typeof regressionView>;

export function regressionView(facts: PageFacts) {
  const { regressions, base, history, pageFolder } = facts;
  const known = mergedEntries(regressions).filter(({ state }) => state !== 'not played');
  const named = areIdsShared(regressions);
  const owned = regressions.flatMap((regression) => ownedResults(regression, named));
  const results = owned.map(({ result }) => result);
  const planned = regressions.flatMap((regression) => ownedJobs(regression, named));
  const summary = summarize(planned, results);
  const groups = failureGroups(results, (result) => !isPass(result));
  const failures = failureViews(owned, groups, facts);
  const [earlier] = base;
  const comparison =
    earlier === undefined
      ? undefined
      : compareRegressions(
          base.flatMap((each) => each.results),
          results,
        );
  const changeOf = new Map(comparison?.signatures.map(({ change, group }) => [keyOf(group), change]));
  const trend = trendView(history);
  const name = regressions.map((regression) => regression.name).join(', ');
  const buckets = groups.map((group, i) => bucketView(group, i, failures, changeOf.get(keyOf(group)), owned, facts));
  return {
    title: `Regression ${name}`,
    ...verdictOf(regressions, summary.notRun, results),
    counts: `${results.filter(isPass).length} of ${summary.total.planned} passed${summary.total.counts.known === 0 ? '' : `, ${summary.total.counts.known} known`}${summary.notRun === 0 ? '' : `, ${summary.notRun} not run`}`,
    parts: partsOf({ comparison, trend, isKnown: known.length > 0 }),
    warnings: warningsOf(results),
    facts: factsOf(regressions, pageFolder),
    lists: summary.lists === undefined ? undefined : countTable('list', summary.lists, summary),
    families: countTable('family', familiesOf(summary), summary),
    comparison:
      comparison === undefined || earlier === undefined ? undefined : comparisonView(earlier, comparison, buckets),
    known: known.length === 0 ? undefined : { entries: known.map(knownView) },
    buckets,
    hasBuckets: buckets.length > 0,
    failures,
    hasTimeLines: failures.some(({ svg }) => svg !== ''),
    failuresNote: failuresNote(results.filter((result) => !isPass(result)).length, failures.length),
    slowest: slowestOf(results),
    longest: results.reduce((most, { wallMs }) => Math.max(most, wallMs), 1),
    statuses: [...new Set(results.map(({ status }) => status))].sort(),
    trend,
    owned,
  };
}

/** What counts of several regressions that say different things of one issue, the first first. */
const STATES: readonly KnownState[] = ['expired', 'too broad', 'known', 'not seen', 'not played'];

/** Each issue once, with the runs of all. */
function mergedEntries(regressions: readonly StoredRegression[]): readonly KnownEntry[] {
  const merged = new Map<string, KnownEntry>();
  for (const entry of regressions.flatMap(({ known }) => known)) {
    const key = JSON.stringify([entry.where, entry.id, entry.text]);
    const before = merged.get(key);
    const states = [entry.state, ...(before === undefined ? [] : [before.state])];
    const state = STATES.find((each) => states.includes(each)) ?? entry.state;
    merged.set(key, { ...entry, state, runs: [...(before?.runs ?? []), ...entry.runs] });
  }
  return [...merged.values()];
}

function areIdsShared(regressions: readonly StoredRegression[]): boolean {
  const ids = regressions.flatMap(({ results }) => results.map(({ id }) => id));
  return new Set(ids).size < ids.length;
}

/** As their results are named. */
function ownedJobs({ name, plan }: StoredRegression, isNamed: boolean): readonly Job[] {
  return isNamed ? plan.jobs.map((job) => ({ ...job, id: `${name}:${job.id}` })) : plan.jobs;
}

function ownedResults(regression: StoredRegression, isNamed: boolean): readonly OwnedResult[] {
  return regression.results.map((result) => {
    const named = isNamed ? { ...result, id: `${regression.name}:${result.id}` } : result;
    return { result: named, id: result.id, regression };
  });
}

function verdictOf(regressions: readonly StoredRegression[], notRun: number, results: readonly JobResult[]) {
  const failed = results.some((result) => !isExcused(result));
  const isOver = regressions.every(({ end }) => end !== undefined);
  if (failed) return { verdict: 'FAILED', verdictClass: 'failed' };
  if (!isOver || notRun > 0) return { verdict: isOver ? 'STOPPED' : 'NOT ENDED', verdictClass: 'stopped' };
  return { verdict: 'PASSED', verdictClass: 'passed' };
}

function partsOf({
  comparison,
  trend,
  isKnown,
}: {
  readonly comparison: Comparison | undefined;
  readonly trend: TrendView | undefined;
  readonly isKnown: boolean;
}) {
  const part = (id: string, name: string): { readonly id: string; readonly name: string } => ({ id, name });
  return [
    part('summary', 'Summary'),
    ...(comparison === undefined ? [] : [part('comparison', 'Comparison')]),
    ...(isKnown ? [part('known', 'Known issues')] : []),
    part('buckets', 'Signatures'),
    part('failures', 'Failures'),
    part('runs', 'Runs'),
    part('time', 'Time'),
    ...(trend === undefined ? [] : [part('trend', 'Trend')]),
  ];
}

function warningsOf(results: readonly JobResult[]): readonly string[] {
  const lines = [unusedLines, switchedOffLines, retriedLines, bugEffectLines].flatMap((linesOf) => linesOf(results));
  return lines.slice(0, MOST.warnings).map(visibleText);
}

/** A row of the summary. */
interface Fact {
  readonly name: string;
  readonly text: string;
  readonly isCode?: boolean;
  readonly href?: string;
}

function factsOf(regressions: readonly StoredRegression[], pageFolder: string): readonly Fact[] {
  return regressions.flatMap(({ folder, plan, end }) => {
    const link = (file: string, name: string, text: string): Fact[] => {
      const path = join(folder, file);
      return statOf(path)?.isFile() === true ? [{ name, text, href: hrefOf(pageFolder, path) }] : [];
    };
    const ended = end === undefined ? 'has not ended' : `took ${formatDuration(end.wallMs)}, exit code ${end.exitCode}`;
    return [
      { name: 'source', text: visibleText(plan.source) },
      { name: 'began', text: `${plan.started}, ${ended}` },
      { name: 'seed', text: String(plan.seed) },
      { name: 'all once more', text: plan.command, isCode: true },
      ...link('report.json', 'for programs', 'report.json'),
      ...link('junit.xml', 'for CI', 'junit.xml'),
      ...coverageFacts(folder, link),
    ];
  });
}

function coverageFacts(folder: string, link: (file: string, name: string, text: string) => Fact[]): readonly Fact[] {
  if (statOf(join(folder, STORE_NAME))?.isFile() !== true) return [];
  const page = link('coverage.html', 'coverage', 'coverage.html');
  const text = `hca_regress coverage ${folder} --html ${join(folder, 'coverage.html')}`;
  return page.length > 0 ? page : [{ name: 'coverage', text, isCode: true }];
}

function familiesOf({ families, total }: RegressionSummary): readonly FamilySummary[] {
  return families.length > 1 ? [...families, total] : families;
}

function countTable(what: string, rows: readonly FamilySummary[], { total }: RegressionSummary) {
  const columns = COLUMNS.filter((column) => column.always === true || column.value(total) > 0);
  return {
    columns: [what, 'runs', ...columns.map(({ title }) => title), 'checks', 'run time'],
    rows: rows.map((row) =>
      rowOf(
        row.family,
        row.planned,
        ...columns.map((column) => column.value(row)),
        row.checks,
        formatDuration(row.wallMs),
      ),
    ),
  } satisfies { readonly columns: readonly string[]; readonly rows: readonly { readonly cells: readonly Cell[] }[] };
}

function failuresNote(failed: number, shown: number): string {
  if (failed <= shown) return '';
  return `${shown} of ${failed} runs that did not pass are shown here, of each signature the smallest first; the others are in the table of runs.`;
}

/** Of each signature the smallest run, then the others in turn, as far as they fit. */
function failureViews(
  owned: readonly OwnedResult[],
  groups: readonly FailureGroup[],
  facts: PageFacts,
): readonly FailureView[] {
  const byId = new Map<string, OwnedResult>();
  for (const each of owned) if (!isPass(each.result) && !byId.has(each.result.id)) byId.set(each.result.id, each);
  const turns = groups.map(({ smallest, runs }) => [smallest, ...runs.filter((run) => run !== smallest)]);
  const longest = turns.reduce((most, { length }) => Math.max(most, length), 0);
  const ordered = Array.from({ length: longest }, (_, i) => turns.flatMap((turn) => turn[i] ?? [])).flat();
  const views: FailureView[] = [];
  let bytes = 0;
  for (const id of ordered.slice(0, MOST.failures)) {
    const { result, regression, id: own } = byId.get(id) as OwnedResult;
    const folder = facts.folderOf(own, regression.folder);
    const view = failureView(result, { anchor: `failure-${views.length}`, folder, pageFolder: facts.pageFolder });
    bytes += JSON.stringify(view).length;
    if (bytes > MOST_FAILURE_BYTES) break;
    views.push(view);
  }
  return views;
}

function bucketView(
  group: FailureGroup,
  place: number,
  failures: readonly FailureView[],
  mark: Change | undefined,
  owned: readonly OwnedResult[],
  facts: PageFacts,
) {
  const { id, text, count, smallest, replay, runs, followedBy } = group;
  const failure = failures.find(({ run }) => run === smallest);
  const own = new Set(runs);
  const isKnown = owned.every(({ result }) => !own.has(result.id) || result.status === 'known');
  const others = runs.filter((run) => run !== smallest);
  const shown = others.slice(0, MOST.runsOfBucket);
  const left = others.length - shown.length;
  return {
    anchor: `bucket-${place}`,
    id,
    text: visibleText(text),
    count,
    smallest,
    failure: failure?.anchor ?? '',
    meaning: failure?.meaning ?? '',
    more: [...shown, ...(left > 0 ? [`${left} more`] : [])].join(', '),
    followedBy: followedBy.map((each) => (each.runs === count ? each.id : `${each.id} (${each.runs})`)).join(', '),
    replay,
    mark: isKnown ? 'known' : (mark ?? ''),
    shrunk: shrunkOf(runs, owned, facts),
  };
}

/** The scenario to which a run of the signature was shrunk, if any was, in the regression or afterwards. */
function shrunkOf(runs: readonly string[], owned: readonly OwnedResult[], { folderOf, pageFolder }: PageFacts) {
  const own = new Set(runs);
  for (const { result, id, regression } of owned) {
    if (!own.has(result.id)) continue;
    const path = join(folderOf(id, regression.folder), 'shrunk.yaml');
    if (statOf(path)?.isFile() !== true) continue;
    const { replay = '', requests } = result.cause?.shrunk ?? {};
    const size = requests === undefined ? '' : ` (${requests} requests)`;
    return { href: hrefOf(pageFolder, path), name: `${basename(dirname(path))}/shrunk.yaml${size}`, command: replay };
  }
  return undefined;
}

/** Links that a browser may follow; others stay text. */
function knownView({ where, id, text, owner, link, until, state, runs }: KnownEntry) {
  const href = /^https?:\/\/[^\s<>"']+$/.test(link) ? link : '';
  return { where, id, text: visibleText(text), owner: visibleText(owner), link, href, until, state, runs: runs.length };
}

function comparisonView(
  base: StoredRegression,
  { signatures, runs }: Comparison,
  buckets: readonly { readonly id: string; readonly text: string; readonly anchor: string }[],
) {
  const kinds = (Object.keys(CHANGES) as Change[]).map((kind) => ({
    kind,
    name: `${CHANGES[kind]}: ${signatures.filter(({ change }) => change === kind).length}`,
    signatures: signatures
      .filter(({ change }) => change === kind)
      .map(({ group: { id, text, smallest }, before, now }) => ({
        id,
        text: visibleText(text),
        smallest,
        before,
        now,
        anchor: buckets.find((bucket) => bucket.id === id && bucket.text === visibleText(text))?.anchor ?? '',
      })),
  }));
  const broken = runs.filter(({ now }) => now !== 'passed');
  const mended = runs.length - broken.length;
  return {
    base: base.folder,
    text: `${base.plan.source}, began ${base.plan.started}. Of the runs of both, ${broken.length} passed then and not now, ${mended} pass now and did not then.`,
    kinds: kinds.filter((kind) => kind.signatures.length > 0),
  };
}

function slowestOf(results: readonly JobResult[]) {
  return results
    .toSorted((a, b) => b.wallMs - a.wallMs)
    .slice(0, MOST.slowest)
    .map(({ id, title, wallMs, simulatedTimePs, replay }) => ({
      id,
      title: visibleText(title),
      wallMs: Math.round(wallMs),
      time: formatDuration(wallMs),
      simulated: formatTime(simulatedTimePs),
      replay,
    }));
}
