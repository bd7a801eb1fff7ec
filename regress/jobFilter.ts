/** Which runs of a list or script are meant: patterns over their ids, families and titles. */

import { Wildcard } from '../uvm/base/wildcard.ts';
import { nearest } from '../uvm/cmdline/nearest.ts';
import { behaviourOfJob } from './conformance/behaviourJobs.ts';
import type { Job } from './job.ts';

/** What is chosen: runs that one of the patterns matches (all where there are none), and that no exclusion matches. */
export interface JobChoice {
  readonly filters: readonly string[];
  readonly exclusions: readonly string[];
  /** Ids of behaviours, of which all runs are meant; none: all. */
  readonly only?: readonly string[];
}

/** A pattern with a star or a question mark matches a whole name; any other one is text to be found. */
class JobPattern {
  readonly text: string;
  readonly #whole: Wildcard | undefined;

  /** @param text `*` stands for any characters, `?` for one */
  constructor(text: string) {
    this.text = text;
    this.#whole = /[*?]/.test(text) ? new Wildcard(text) : undefined;
  }

  /** Whether the id, the family, the title or a plusarg of the title is meant. */
  matches({ id, family, title }: Pick<Job, 'id' | 'family' | 'title'>): boolean {
    const whole = this.#whole;
    if (whole === undefined) return `${id} ${title}`.includes(this.text);
    return [id, family, title, ...title.split(' ')].some((name) => whole.matches(name));
  }
}

/** The jobs that are chosen, in their order. */
export function chosenJobs(jobs: readonly Job[], { filters, exclusions, only = [] }: JobChoice): Job[] {
  const wanted = filters.map((text) => new JobPattern(text));
  const unwanted = exclusions.map((text) => new JobPattern(text));
  const ids = new Set(only);
  const named = ids.size === 0 ? jobs : jobs.filter(({ id }) => ids.has(behaviourOfJob(id)));
  return named.filter(
    (job) => (wanted.length === 0 || wanted.some((p) => p.matches(job))) && !unwanted.some((p) => p.matches(job)),
  );
}

/** Patterns that match no job at all, each with the nearest family. */
export function vainPatterns(jobs: readonly Job[], patterns: readonly string[]): { text: string; hint: string }[] {
  const vain = patterns.filter((text) => {
    const pattern = new JobPattern(text);
    return !jobs.some((job) => pattern.matches(job));
  });
  const families = new Set(jobs.map(({ family }) => family));
  return vain.map((text) => {
    const [near] = nearest(text, families, 1);
    return { text, hint: near === undefined ? '' : `; did you mean ${near}?` };
  });
}
