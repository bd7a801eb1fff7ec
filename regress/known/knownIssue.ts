/** A known issue: which findings it is about, and until when it excuses them. */

import { Wildcard } from '../../uvm/base/wildcard.ts';
import type { JobFindings, JobResult } from '../job.ts';
import type { KnownIssueData } from './knownIssueSchema.ts';

type Finding = JobFindings['errors'][number];

export class KnownIssue {
  readonly data: KnownIssueData;
  /** `known_issues.yaml:12:5`: what tells it from others. */
  readonly where: string;
  readonly #test: Wildcard | undefined;
  readonly #text: Wildcard | undefined;

  constructor(data: KnownIssueData, where: string) {
    this.data = data;
    this.where = where;
    this.#test = data.test === undefined ? undefined : new Wildcard(data.test);
    this.#text = data.text !== undefined && /[*?]/.test(data.text) ? new Wildcard(data.text) : undefined;
  }

  /** A day ends with it. */
  isExpired(now: Date): boolean {
    const { until } = this.data;
    const end = until.includes('T') ? Date.parse(until) : Date.parse(`${until}T00:00:00Z`) + MS_A_DAY;
    return end <= now.getTime();
  }

  /** Whether it may be about findings of a run. */
  meets({ test, findings }: Pick<JobResult, 'test' | 'findings'>): boolean {
    const { dut, plusargs = {} } = this.data;
    if (this.#test !== undefined && !this.#test.matches(test)) return false;
    if (findings === undefined) return dut === undefined && Object.keys(plusargs).length === 0;
    if (dut !== undefined && dut !== findings.dut) return false;
    return Object.entries(plusargs).every(([name, value]) => plusargValue(name, findings.plusargs) === String(value));
  }

  /** Whether it is about a finding of a run that it meets. */
  isAbout({ id, text }: Finding): boolean {
    if (id !== this.data.id) return false;
    if (this.data.text === undefined) return true;
    return this.#text === undefined ? text.includes(this.data.text) : this.#text.matches(text);
  }
}

const MS_A_DAY = 86_400_000;

/** Of a plusarg that is given twice the first one counts. */
function plusargValue(name: string, plusargs: readonly string[]): string | undefined {
  const found = plusargs.find((arg) => arg === `+${name}` || arg.startsWith(`+${name}=`));
  return found?.slice(name.length + 2);
}
