/** Several lists and scripts in one regression: whose runs are whose. */

import { basename, extname } from 'node:path';
import type { Job, SkippedJob } from '../../../regress/job.ts';
import type { JobSource } from './askedJobs.ts';

/** What was read of a list or script. */
export interface ReadPart extends JobSource {
  /** Its runs before any was chosen. */
  readonly all: readonly Job[];
  /** All that it asks for is known. */
  readonly isReadable: boolean;
}

export interface SourcePart extends ReadPart {
  /** As the user named it. */
  readonly name: string;
}

/**
 * The runs of all. A run has the id and the seed that it has where its list is played alone, so that regressions can be held
 * against each other; only where two lists have a family of one name, the name of the list goes before that.
 */
export function withOwnFamilies(parts: readonly SourcePart[]): {
  readonly jobs: readonly Job[];
  readonly skipped: readonly SkippedJob[];
} {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const names = listNames(parts.map(({ name }) => name));
  const families = parts.map(({ all }) => new Set(all.map(({ family }) => family)));
  const isShared = (family: string): boolean => families.filter((own) => own.has(family)).length > 1;
  const of = (job: Job, list: string): Job => {
    if (!isShared(job.family)) return { ...job, list };
    return { ...job, id: `${list}.${job.id}`, family: `${list}.${job.family}`, list };
  };
  return {
    jobs: parts.flatMap(({ jobs }, i) => jobs.map((job) => of(job, names[i] as string))),
    skipped: parts.flatMap((part, i) =>
      part.skipped.map(({ job, reason }) => ({ job: of(job, names[i] as string), reason })),
    ),
  };
}

/** `smoke` of `lists/smoke.yaml`, `smoke-2` where another one is called so; letters as in the names of families. */
export function listNames(sources: readonly string[]): readonly string[] {
  const names: string[] = [];
  for (const source of sources) {
    const name = basename(source, extname(source))
      .replace(/[^\w.-]/g, '_')
      .replace(/^\W/, '_')
      .slice(0, 60);
    let free = name;
    for (let n = 2; names.includes(free); n++) free = `${name}-${n}`;
    names.push(free);
  }
  return names;
}
