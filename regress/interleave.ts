/**
 * Order of execution: every family, and the light and heavy ends of its sweep, spread over the whole regression, so
 * that workers that take the next batch when idle finish together without knowing what a run costs.
 */

import { FAILURES_FAMILY, type Job } from './job.ts';

/** Golden ratio minus one: multiples of it, modulo 1, fill the unit interval evenly however many there are. */
const STEP = (Math.sqrt(5) - 1) / 2;

/** The same jobs in an order that depends on nothing but their order and families, known failures first. */
export function interleave(jobs: readonly Job[]): Job[] {
  const known = jobs.filter(({ family }) => family === FAILURES_FAMILY);
  return [...known, ...spreadOut(jobs.filter(({ family }) => family !== FAILURES_FAMILY))];
}

function spreadOut(jobs: readonly Job[]): Job[] {
  const families = new Map<string, Job[]>();
  for (const job of jobs) {
    const family = families.get(job.family);
    if (family === undefined) families.set(job.family, [job]);
    else family.push(job);
  }
  const placed = [...families.values()].flatMap((family, f) => spread(family, f));
  placed.sort((a, b) => a.place - b.place || a.index - b.index);
  return placed.map(({ job }) => job);
}

type Placed = { readonly job: Job; readonly place: number; readonly index: number };

function spread(family: readonly Job[], offset: number): Placed[] {
  return family.map((job, index) => ({ job, place: ((index + 0.5) * STEP + offset * STEP * STEP) % 1, index }));
}
