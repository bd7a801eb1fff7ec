/** The runs of a table of behaviours as jobs. */

import type { Job } from '../job.ts';
import { derivedSeed } from '../seeds.ts';
import type { Behaviour, BehaviourTable } from './behaviours.ts';

/** What decides about seeds; `count` of them for each run. */
export interface BehaviourSeeds {
  readonly baseSeed: number;
  readonly fixedSeed?: number | undefined;
  readonly count: number;
  /** Folder for relative paths in the arguments of runs. */
  readonly cwd: string;
}

/** One job for each run and seed of the behaviours that have a case, in their order. */
export function behaviourJobs({ name, behaviours }: BehaviourTable, seeds: BehaviourSeeds): readonly Job[] {
  return behaviours.flatMap((behaviour) => jobsOf(name, behaviour, seeds));
}

/** The behaviour that a job of a table is for: `T-022` of `T-022/1-s4711`. */
export function behaviourOfJob(id: string): string {
  return id.replace(/[/](\d+)(-s\d+)?$|-s\d+$/, '');
}

function jobsOf(family: string, { id, must, shown, where }: Behaviour, seeds: BehaviourSeeds): readonly Job[] {
  if (shown.by !== 'runs') return [];
  return shown.runs.flatMap(({ words }, i) => {
    const stem = shown.runs.length === 1 ? id : `${id}/${i + 1}`;
    return seedsOf(stem, seeds).map((seed) => ({
      id: seeds.count === 1 ? stem : `${stem}-s${seed}`,
      family,
      title: must,
      argv: withSeed(words, seed, seeds.count === 1 && seeds.fixedSeed === undefined),
      cwd: seeds.cwd,
      where,
      timeoutSeconds: 0,
    }));
  });
}

/** A run that names its seed keeps it, unless it is played with several. */
function withSeed(words: readonly string[], seed: number, keeps: boolean): readonly string[] {
  if (keeps && words.includes('--seed')) return words;
  const others = words.filter((word, i) => word !== '--seed' && words[i - 1] !== '--seed');
  return [...others, '--seed', String(seed)];
}

/** A behaviour is shown with the seed of the regression itself, unless several are asked for. */
function seedsOf(stem: string, { baseSeed, fixedSeed, count }: BehaviourSeeds): readonly number[] {
  if (fixedSeed !== undefined) return [fixedSeed];
  if (count === 1) return [baseSeed];
  const found = new Set<number>();
  for (let n = 0; found.size < count; n++) found.add(derivedSeed(baseSeed, stem, '', n));
  return [...found];
}
