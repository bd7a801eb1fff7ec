/** A part of the runs of a list, for machines that know nothing of each other: which part, the id of a run decides. */

import { createHash } from 'node:crypto';
import type { Job } from './job.ts';

/** One of so many parts, from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** What the journal of a shard says of the whole. */
export interface ShardPlan extends Shard {
  /** Runs of the whole list. */
  readonly total: number;
  /** Where each run of the shard stands in it, from 0. */
  readonly places: readonly number[];
}

export const MOST_SHARDS = 10_000;

/** `2/8`; undefined for what is none. */
export function parseShard(text: string): Shard | undefined {
  const [, index = '', of = ''] = /^([1-9]\d{0,4})\/([1-9]\d{0,4})$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  return index !== '' && shard.index <= shard.of && shard.of <= MOST_SHARDS ? shard : undefined;
}

/** The runs of a shard: the same whatever else is in the list. */
export function shardOf(
  jobs: readonly Job[],
  shard: Shard,
): { readonly jobs: readonly Job[]; readonly plan: ShardPlan } {
  const places = jobs.flatMap(({ id }, place) => (shardIndex(id, shard.of) === shard.index ? [place] : []));
  const plan = { index: shard.index, of: shard.of, total: jobs.length, places };
  return { jobs: places.map((place) => jobs[place] as Job), plan };
}

/** @returns from 1 to `of` */
function shardIndex(id: string, of: number): number {
  return (createHash('sha256').update(id).digest().readUInt32BE(0) % of) + 1;
}
