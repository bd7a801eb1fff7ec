/** Plays planted bugs in this process, or on several; what comes of each is the same. */

import type { FaultEntry } from '../../env/nicKind.ts';
import type { Job, JobResult } from '../../regress/job.ts';
import { LocalLauncher } from '../../regress/pool/localLauncher.ts';
import { PoolError } from '../../regress/pool/workerPool.ts';
import { type WorkerPrograms, workerStart } from '../many/localPool.ts';
import type { PlayableTest } from './bugMatrix.ts';
import { BUG_FAMILY, TEST_FAMILY } from './bugPlayer.ts';
import type { BugTrials, PlayedBug } from './bugTrials.ts';

/** How bugs are played. */
export interface BugPlaying {
  /** What tests find without any bug, in their order. */
  alarms(tests: readonly PlayableTest[]): Promise<readonly string[]>;
  /**
   * @param ended told of each bug; false: no further one is planted
   * @returns in the order of the bugs
   */
  play(bugs: readonly FaultEntry[], ended: (played: PlayedBug) => boolean): Promise<readonly PlayedBug[]>;
}

export function bugsHere(trials: BugTrials): BugPlaying {
  return {
    alarms: async (tests) => tests.flatMap((test) => trials.alarmsOf(test)),
    play: async (bugs, ended) => {
      const all: PlayedBug[] = [];
      for (const bug of bugs) {
        const played = trials.play(bug);
        all.push(played);
        if (!ended(played)) break;
      }
      return all;
    },
  };
}

const HEAP_MB = 2048;

export class BugWorkers implements BugPlaying {
  readonly #argv: readonly string[];
  readonly #workers: number;
  readonly #programs: WorkerPrograms;

  /** @param argv words behind `bugs`, without mistakes */
  constructor(argv: readonly string[], workers: number, programs: WorkerPrograms) {
    this.#argv = argv;
    this.#workers = workers;
    this.#programs = programs;
  }

  async alarms(tests: readonly PlayableTest[]): Promise<readonly string[]> {
    const played = await this.#run(
      tests.map(({ name }) => this.#job(TEST_FAMILY, name)),
      () => true,
    );
    return played.flatMap(({ alarms }) => alarms);
  }

  play(bugs: readonly FaultEntry[], ended: (played: PlayedBug) => boolean): Promise<readonly PlayedBug[]> {
    return this.#run(
      bugs.map(({ name }) => this.#job(BUG_FAMILY, name)),
      ended,
    );
  }

  /** @throws PoolError where a process died, with the bug that it played */
  async #run(jobs: readonly Job[], ended: (played: PlayedBug) => boolean): Promise<readonly PlayedBug[]> {
    const found = new Map<string, PlayedBug>();
    const dead: JobResult[] = [];
    const launcher = new LocalLauncher({
      ...workerStart(this.#programs, 'bin/bugs/bugPlayer', this.#programs.bugPlayerUrl),
      workers: this.#workers,
      heapMb: HEAP_MB,
      settings: { out: '.', keep: 'none' },
      timeoutSeconds: 0,
      attempts: 1,
      describe: () => ({ test: '', seed: 0, replay: '' }),
      onFinding: ({ id }, finding) => {
        found.set(id, finding as PlayedBug);
        if (!ended(finding as PlayedBug)) launcher.finish();
      },
    });
    await launcher.run(jobs, (result) => {
      if (!found.has(result.id)) dead.push(result);
    });
    const [first] = dead;
    if (first !== undefined) throw new PoolError(`${first.id}: ${first.message}`);
    return jobs.flatMap(({ id }) => found.get(id) ?? []);
  }

  #job(family: string, title: string): Job {
    const id = `${family}/${title}`;
    return { id, family, title, argv: this.#argv, cwd: process.cwd(), where: '', timeoutSeconds: 0 };
  }
}
