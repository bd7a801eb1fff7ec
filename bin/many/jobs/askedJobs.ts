/** What a list, a script or an earlier regression asks for. */

import type { BehaviourTable } from '../../../regress/conformance/behaviours.ts';
import type { Job, SkippedJob } from '../../../regress/job.ts';
import type { ShardPlan } from '../../../regress/shard.ts';
import type { CompiledFolders } from '../../registries.ts';

/** Jobs, and what is to be said of the file that they come from. */
export interface JobSource {
  readonly jobs: readonly Job[];
  /** What is to be known of the runs, but keeps none from being played; folders of tests that a dry run leaves alone. */
  readonly notes: readonly string[];
  readonly problems: readonly string[];
  /** Plusargs that only a class of a folder that was left alone can read. */
  readonly unknown: readonly string[];
  /** Lines of a script that would be misused runs; looked for when nothing is to be run. */
  readonly wrongLines: readonly string[];
  /** Folders that a script makes, to be made before its runs. */
  readonly folders: readonly string[];
  /** Folders of tests that runs name, compiled. */
  readonly testFolders: CompiledFolders;
  /** Runs that the NIC cannot play, with the reasons. */
  readonly skipped: readonly SkippedJob[];
  /** The runs are a part of those of the list. Default: all of them. */
  readonly shard?: ShardPlan;
  /** Tables of behaviours that the list plays; default: none. */
  readonly behaviours: readonly BehaviourTable[];
}

export const NO_JOBS: JobSource = {
  jobs: [],
  notes: [],
  problems: [],
  unknown: [],
  wrongLines: [],
  folders: [],
  testFolders: {},
  skipped: [],
  behaviours: [],
};
