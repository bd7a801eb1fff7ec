/**
 * Holds failed runs against known issues. A run is known when it has no finding but those that known issues excuse. An issue
 * excuses no findings when its time is over, and none when it is about those of several signatures and does not say `broad`.
 */

import type { JobFindings, JobResult } from '../job.ts';
import type { KnownIssue } from './knownIssue.ts';
import type { KnownState } from './knownState.ts';

/** A row of reports. */
export interface KnownEntry {
  readonly where: string;
  readonly id: string;
  readonly text: string;
  readonly owner: string;
  readonly link: string;
  readonly until: string;
  readonly state: KnownState;
  /** Runs with findings that it is about, in the order of the list. */
  readonly runs: readonly string[];
}

type Finding = JobFindings['errors'][number];

export class KnownJudge {
  readonly #issues: readonly KnownIssue[];
  readonly #expired: ReadonlySet<KnownIssue>;

  /** @param now decides which issues have expired */
  constructor(issues: readonly KnownIssue[], now: Date) {
    this.#issues = issues;
    this.#expired = new Set(issues.filter((issue) => issue.isExpired(now)));
  }

  /** A result as it comes: what is too broad is known at the end alone. */
  judged(result: JobResult): JobResult {
    return this.#judged(result, this.#expired);
  }

  /** All results, with what is known at the end, and what came of each issue. */
  concluded(results: readonly JobResult[]): {
    readonly results: readonly JobResult[];
    readonly entries: readonly KnownEntry[];
  } {
    const broad = this.#issues.filter((issue) => issue.data.broad !== true && signaturesOf(issue, results).size > 1);
    const without = new Set([...this.#expired, ...broad]);
    return {
      results: results.map((result) => this.#judged(result, without)),
      entries: this.#issues.map((issue) => this.#entry(issue, results, new Set(broad))),
    };
  }

  /** @param without issues that excuse nothing */
  #judged(result: JobResult, without: ReadonlySet<KnownIssue>): JobResult {
    const plain = withoutKnown(result);
    if (!isExcusable(plain)) return plain;
    const meeting = this.#issues.filter((issue) => !without.has(issue) && issue.meets(plain));
    const issues = plain.findings.errors.map((finding) => meeting.find((issue) => issue.isAbout(finding)));
    if (issues.includes(undefined)) return plain;
    const known = [...new Set(issues)].map((issue) => nameOf(issue as KnownIssue));
    return { ...plain, status: 'known', known: { was: plain.status, issues: known } };
  }

  #entry(issue: KnownIssue, results: readonly JobResult[], broad: ReadonlySet<KnownIssue>): KnownEntry {
    const { id, text = '', owner, link, until } = issue.data;
    const runs = results.filter((result) => findingsOf(issue, result).length > 0).map((result) => result.id);
    const state = this.#stateOf(issue, results, runs.length, broad);
    return { where: issue.where, id, text, owner, link, until, state, runs };
  }

  #stateOf(issue: KnownIssue, results: readonly JobResult[], runs: number, broad: ReadonlySet<KnownIssue>): KnownState {
    if (this.#expired.has(issue)) return 'expired';
    if (broad.has(issue)) return 'too broad';
    if (runs > 0) return 'known';
    return results.some((result) => issue.meets(result)) ? 'not seen' : 'not played';
  }
}

/** As JUnit and lists name it. */
function nameOf({ data: { id, owner, link, until } }: KnownIssue): string {
  return `${id} (${owner}, ${link}, until ${until})`;
}

/** As it was before anybody held it against known issues. */
function withoutKnown(result: JobResult): JobResult {
  const { known, ...plain } = result;
  return known === undefined ? result : { ...plain, status: known.was };
}

/** A run that failed, all findings of which are there. */
function isExcusable(result: JobResult): result is JobResult & { readonly findings: JobFindings } {
  const { status, findings } = result;
  if (status !== 'failed' && status !== 'error' && status !== 'timeout') return false;
  return findings?.isWhole === true && findings.errors.length > 0 && (result.lost ?? []).length === 0;
}

function findingsOf(issue: KnownIssue, result: JobResult): readonly Finding[] {
  const { findings } = result;
  if (findings === undefined || !issue.meets(result)) return [];
  return findings.errors.filter((finding) => issue.isAbout(finding));
}

function signaturesOf(issue: KnownIssue, results: readonly JobResult[]): ReadonlySet<string> {
  return new Set(results.flatMap((result) => findingsOf(issue, result).map(({ id, text }) => `[${id}] ${text}`)));
}
