/**
 * What a worker process plays jobs with. The implementation is given to the worker as a module address, so that
 * `regress` names nothing of the harness: `bin/player.ts` in production, a scripted fake in specs.
 */

import type { MeasuredRun } from '../coverage/measuredRun.ts';
import type { Job, JobResult } from '../job.ts';

/** Plays jobs one after another in this process. */
export interface Player {
  /**
   * Runs a job to its end; the next one begins after that. Exceptions count as a crash of the run.
   * @param attempt 1, or more for a job whose process has died before; default 1
   */
  play(job: Job, attempt?: number): Promise<PlayedJob & Measured>;
}

/** What goes its own way beside the result of a job, which journals and reports hold. */
export interface Measured {
  /** Coverage that the job was asked for, with groups that the player has not told before. */
  readonly coverage?: MeasuredRun;
  /** What a player of another kind has found; plain data, known to whoever has named the player. */
  readonly finding?: unknown;
}

/** What a player tells its process besides. */
export interface PlayerHost {
  /** The job ends the process; called at the very end of the latter, with what came of the job. */
  ending(id: string, played: PlayedJob): void;
  /** A job that has ended has thrown something. `id` is undefined where nobody knows which job it was. */
  stray(error: unknown, id: string | undefined): void;
}

/** What the player knows of the outcome; the pool adds the rest. */
export type PlayedJob = Pick<
  JobResult,
  | 'status'
  | 'test'
  | 'seed'
  | 'simulatedTimePs'
  | 'checks'
  | 'transcript'
  | 'signature'
  | 'errorIds'
  | 'message'
  | 'replay'
  | 'folder'
  | 'log'
  | 'unused'
  | 'switchedOff'
  | 'lost'
  | 'cause'
  | 'findings'
  | 'bugEffect'
>;

/** Settings of a regression that players need. */
export interface PlayerSettings {
  /** Folder of the regression. */
  readonly out: string;
  /**
   * Which runs leave run.json and run.log behind; `failures` is also one that passed with switched-off errors. A log
   * that a job names itself is always written.
   */
  readonly keep: 'failures' | 'all' | 'none';
  /** Runs are stored ones: they write into their own folders alone, whatever they name. Default: those that they name. */
  readonly stored?: boolean;
  /** Wall-clock limit of a run that names none, in seconds; default: none. */
  readonly timeoutSeconds?: number;
  /** Measure the coverage of every run. Default: of those that say `+COV`. */
  readonly coverage?: boolean;
  /** Folders of tests outside of the project, compiled, by absolute path; default: none. */
  readonly testFolders?: Readonly<Record<string, CompiledFolder>>;
}

/** Where the compiled modules of a folder are. */
export interface CompiledFolder {
  readonly output: string;
  /** Paths of the modules, without extension. */
  readonly modules: readonly string[];
  /** Over all sources that went in, by content. */
  readonly sha256: string;
}

/** The module that a worker loads exports `createPlayer`. */
export interface PlayerModule {
  createPlayer(settings: PlayerSettings, host: PlayerHost): Promise<Player>;
}
