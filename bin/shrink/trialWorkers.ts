/** Worker processes that play candidates of one shrinking, each one at a time. */

import type { CallScenario } from '../../config/scenario/calls/callScenario.ts';
import { stepsOf } from '../../config/scenario/calls/callEdits.ts';
import type { Job } from '../../regress/job.ts';
import type { FromWorker } from '../../regress/pool/messages.ts';
import type { PlayerSettings } from '../../regress/pool/player.ts';
import { WorkerProcess } from '../../regress/pool/workerProcess.ts';
import type { WorkerStart } from '../many/localPool.ts';
import type { CandidateTrials, JudgedCandidate } from './shrinker.ts';
import type { TrialFinding, TrialSetup } from './trialPlayer.ts';

/** How the processes are started. */
export interface TrialWorkersStart extends WorkerStart {
  readonly workers: number;
  /** Folders of tests that may be loaded, compiled. */
  readonly testFolders: PlayerSettings['testFolders'];
}

/** A candidate that was handed over, or waits for a process. */
interface Asked {
  readonly scenario: CallScenario;
  readonly resolve: (judged: JudgedCandidate) => void;
  readonly reject: (error: Error) => void;
}

/** A worker has died: nothing is known of its candidate. */
class TrialWorkerError extends Error {}

const HEAP_MB = 2048;

export class TrialWorkers implements CandidateTrials {
  readonly width: number;
  readonly #start: TrialWorkersStart;
  readonly #setup: string;
  readonly #waiting: Asked[] = [];
  readonly #playing = new Map<WorkerProcess, Asked>();
  readonly #idle: WorkerProcess[] = [];
  readonly #all = new Set<WorkerProcess>();
  #count = 0;

  constructor(start: TrialWorkersStart, setup: TrialSetup) {
    this.width = start.workers;
    this.#start = start;
    this.#setup = JSON.stringify(setup);
    for (let index = 0; index < start.workers; index++) this.#begin(index);
  }

  /** @throws TrialWorkerError when the process that plays it dies */
  judge(scenario: CallScenario): Promise<JudgedCandidate> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ scenario, resolve, reject });
      this.#feed();
    });
  }

  /** Ends all processes, whatever they play. */
  close(): void {
    for (const worker of this.#all) worker.kill();
    this.#all.clear();
  }

  #begin(index: number): void {
    const { playerUrl, testFolders, workerFile, nodeArguments } = this.#start;
    const worker = new WorkerProcess(
      index,
      { workerFile, nodeArguments, heapMb: HEAP_MB },
      {
        message: (from, message) => this.#message(from, message),
        ended: (from, why) => this.#ended(from, why),
        overdue: () => {},
      },
    );
    this.#all.add(worker);
    const settings: PlayerSettings = { out: '.', keep: 'none', ...(testFolders === undefined ? {} : { testFolders }) };
    worker.send({ kind: 'setup', playerUrl, settings });
  }

  #message(worker: WorkerProcess, message: FromWorker): void {
    if (message.kind === 'ready') this.#idle.push(worker);
    else if (message.kind === 'unusable') this.#ended(worker, message.message);
    else if (message.kind === 'result') {
      const asked = this.#playing.get(worker);
      this.#playing.delete(worker);
      worker.queue.shift();
      this.#idle.push(worker);
      asked?.resolve(judgedOf(asked.scenario, message.played.finding as TrialFinding));
    } else if (message.kind === 'threw' || message.kind === 'ending') this.#ended(worker, textOf(message));
    this.#feed();
  }

  #ended(worker: WorkerProcess, why: string): void {
    worker.kill();
    this.#all.delete(worker);
    const asked = this.#playing.get(worker);
    this.#playing.delete(worker);
    const error = new TrialWorkerError(`a worker that plays candidates ended: ${why}`);
    asked?.reject(error);
    if (this.#all.size > 0) return;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** Candidates in their order, each to whoever has nothing to do. */
  #feed(): void {
    while (this.#waiting.length > 0) {
      const worker = this.#idle.shift();
      if (worker === undefined) return;
      if (!this.#all.has(worker)) continue;
      const asked = this.#waiting.shift() as Asked;
      this.#playing.set(worker, asked);
      worker.play([this.#jobOf(asked)], 1, () => 0);
    }
  }

  #jobOf({ scenario }: Asked): Job {
    const id = `candidate ${++this.#count}`;
    const argv = [this.#setup, JSON.stringify(scenario)];
    return { id, family: 'shrink', title: '', argv, cwd: process.cwd(), where: '', timeoutSeconds: 0 };
  }
}

function textOf(message: Extract<FromWorker, { kind: 'threw' | 'ending' }>): string {
  return message.kind === 'threw' ? message.message : message.played.message;
}

/** With steps in place of their numbers. */
function judgedOf(scenario: CallScenario, { signature, begun, leftOut, isLegal }: TrialFinding): JudgedCandidate {
  const steps = stepsOf(scenario);
  const step = (number: number) => steps[number] as (typeof steps)[number];
  const times = new Map(begun.map(([number, time]) => [step(number), time]));
  return { outcome: { signature, begun: times, leftOut: new Set(leftOut.map(step)) }, isLegal };
}
