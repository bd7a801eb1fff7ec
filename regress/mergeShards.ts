/** One regression of its shards, as if it had been played in one. */

import type { Job, JobResult } from './job.ts';
import type { JournalPlan } from './journal.ts';
import type { ReadJournal } from './readJournal.ts';
import type { ShardPlan } from './shard.ts';

/** The whole of several shards. */
export interface MergedShards {
  readonly plan: JournalPlan;
  /** Of those runs that have any. */
  readonly results: ReadonlyMap<string, JobResult>;
}

/** A shard as it was read. @param folder for messages */
export interface ReadShard {
  readonly folder: string;
  readonly journal: ReadJournal;
}

/** A list of texts says why they are no whole. */
export function mergeShards(shards: readonly ReadShard[], command: string): MergedShards | readonly string[] {
  const [first] = shards;
  if (first === undefined) return ['there are no shards'];
  const problems = shards.flatMap((shard) => problemsOf(shard, first));
  if (problems.length > 0) return problems;
  const plans = shards.map(({ journal }) => journal.plan.shard as ShardPlan);
  const whole = (plans[0] as ShardPlan).of;
  for (let index = 1; index <= whole; index++) {
    const found = shards.filter((_, i) => plans[i]?.index === index);
    if (found.length === 0) problems.push(`shard ${index}/${whole} is missing; give the folders of all of them`);
    if (found.length > 1)
      problems.push(
        `shard ${index}/${whole} is there ${found.length} times: ${found.map(({ folder }) => folder).join(', ')}`,
      );
  }
  const jobs = jobsOf(shards, plans);
  if (problems.length === 0 && typeof jobs === 'string') problems.push(jobs);
  if (problems.length > 0 || typeof jobs === 'string') return problems;
  const { shard: _shard, ...plan } = first.journal.plan;
  const started = shards.map(({ journal }) => journal.plan.started).sort()[0] as string;
  const results = new Map(shards.flatMap(({ journal }) => [...journal.results]));
  return { plan: { ...plan, command, started, jobs }, results };
}

function problemsOf({ folder, journal: { plan } }: ReadShard, { folder: other, journal }: ReadShard): string[] {
  if (plan.shard === undefined) return [`${folder}: is no shard; it was played without --shard`];
  const whole = journal.plan;
  const differs = (what: string, here: unknown, there: unknown): string[] =>
    JSON.stringify(here) === JSON.stringify(there)
      ? []
      : [`${folder}: ${what} ${shown(here)}, but ${shown(there)} in ${other}; shards are of one regression`];
  return [
    ...differs('list', plan.source, whole.source),
    ...differs('seed', plan.seed, whole.seed),
    ...differs('shards', plan.shard.of, whole.shard?.of),
    ...differs('runs of the list', plan.shard.total, whole.shard?.total),
    ...differs('sources', plan.sources, whole.sources),
    ...differs('settings', plan.settings, whole.settings),
  ];
}

/** In the order of the list; a text says that they are not all of it. */
function jobsOf(shards: readonly ReadShard[], plans: readonly ShardPlan[]): readonly Job[] | string {
  const jobs: Job[] = [];
  const total = plans[0]?.total ?? 0;
  const known = new Set<string>();
  for (const [i, { folder, journal }] of shards.entries()) {
    for (const [at, job] of journal.plan.jobs.entries()) {
      const place = plans[i]?.places[at];
      if (place === undefined || place >= total || jobs[place] !== undefined || known.has(job.id))
        return `${folder}: ${job.id}: is in another shard, too, or has no place in the list`;
      jobs[place] = job;
      known.add(job.id);
    }
  }
  return known.size === total ? jobs : `the shards have ${known.size} of ${total} runs of the list`;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value || 'unknown' : JSON.stringify(value);
}
